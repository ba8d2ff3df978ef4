"""`investigator ask FOLDER QUESTION`: investigate a folder and answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.batch import KEPT, kept_so_far, outcome_of, questions_of
from investigator.cli.options import CommonOptions, Folder, check_order
from investigator.cli.output import HTML, OutputOptions, print_result, resumable, write_file
from investigator.cli.progress import follow
from investigator.errors import QuestionError, RunError, SettingsError
from investigator.investigator import Investigator
from investigator.records import AnswerStatus, AskedQuestions, QuestionOutcome
from investigator.reports.schemas import Printed
from investigator.reports.terminal import forecast_text, questions_text
from investigator.research.research_settings import Effort
from investigator.services.run_records import RunOptions

EXIT_CODES = {
    AnswerStatus.ANSWERED: 0,
    AnswerStatus.PREMISE_WRONG: 3,
    AnswerStatus.NOT_FOUND: 3,
    AnswerStatus.NOT_FOUND_SO_FAR: 4,
    AnswerStatus.CONFLICTING: 5,
    AnswerStatus.ANSWERED_IN_PART: 5,
    AnswerStatus.PASSAGES_FOUND: 5,
}

_UNSENT_KEY = "no-key-is-needed-for-a-dry-run"
_WORST_FIRST = (1, 4, 3, 5)


@dataclass(frozen=True)
class EffortOptions:
    """How much a run may read; at a limit it stops, and its results so far are kept."""

    max_calls: Annotated[int | None, typer.Option(metavar="N", help="Maximum number of engine calls.")] = None
    effort: Annotated[
        Effort | None,
        typer.Option(help="full (the default), or quick: one reading of the best documents, and a check."),
    ] = None

    def settings(self) -> Iterator[str]:
        """Yield these options as settings, written as for `--set`."""
        if self.max_calls is not None:
            yield f"budget.calls={self.max_calls}"
        if self.effort is not None:
            yield f"research.effort={self.effort.value}"


@dataclass(frozen=True)
class AskingOptions:
    """Options that describe a question, and how it is asked."""

    common: CommonOptions
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="DOCUMENT", help="Use only this document, or those that match a pattern; repeatable."),
    ] = None
    after: Annotated[
        str,
        typer.Option(metavar="RUN", help="The earlier run that this question follows up on: its id, or 'last'."),
    ] = ""
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start over: do not resume, and ask the model even what it answered before.")
    ] = False
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print the plan and the expected calls and tokens without calling a model."),
    ] = False
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Record the model's replies here; --model recorded:FILE replays them."),
    ] = None
    effort: EffortOptions = EffortOptions()

    def check(self, *, many: bool) -> None:
        """Raise SettingsError if an option applies only to a single question but there are `many`."""
        for name, given in (("--dry-run", self.dry_run), ("--after", self.after)):
            if many and given:
                hint = "To ask one question: investigator ask FOLDER QUESTION"
                raise SettingsError(f"{name} applies to a single question", hint=hint)

    def investigator(self, folder: Path) -> Investigator:
        """Return the Investigator for a folder. Raises the same errors as its constructor."""
        unsent = (f"chat.api_key={_UNSENT_KEY}",) if self.dry_run else ()
        settings = self.common.settings.load(*self.effort.settings(), *unsent)
        return self.common.investigator(folder, settings, self.record)

    def run_options(self) -> RunOptions:
        """Return the question's options in the form that `Investigator` expects."""
        return RunOptions(only=tuple(self.only or ()), fresh=self.fresh, cache=not self.fresh, after=self.after)


def ask(
    folder: Folder,
    asking: AskingOptions,
    output: OutputOptions,
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="The question; - reads it from standard input.")
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask the questions in a file: .txt (one per line), .csv (column question), .jsonl (field question).",
        ),
    ] = None,
) -> None:
    """Answer a question from a folder of documents, or all questions in a file.

    Every statement comes with quotes that are proven to be in the documents. Without --model, no language model is
    used, and passages that may answer are shown. Limits such as --max-calls and budget.money apply to the total of all
    questions in a file.

    Exit codes: 0 answered, 3 not in the documents, or they say otherwise than the question assumes, 4 not found so far,
    5 answered in part, passages found that may answer, or the documents disagree, 1 the run failed, 2 usage error, 130
    interrupted. With several questions, the worst code counts: 1, then 4, 3, 5, 0.
    """
    if questions is not None:
        _ask_all(folder, questions_of(questions, [question] if question else ()), asking, output)
        return
    check_order(folder, question or "", "ask")
    question = _question(question or "")
    asking.check(many=False)
    output.check(folder)
    investigator = asking.investigator(folder)
    if asking.dry_run:
        forecast = investigator.forecast(question, asking.run_options())
        engine = investigator.engine_name
        print_result(Printed.FORECAST, forecast, lambda it: forecast_text(it, engine), as_json=output.as_json)
        return
    events = investigator.investigate(question, asking.run_options())
    with resumable(kept_so_far(fresh=asking.fresh)):
        investigation = follow(events, sys.stderr, watch=investigator.parts.watch)
    output.show(investigation, investigator)
    if investigation.answer is not None:
        raise typer.Exit(EXIT_CODES[investigation.answer.status])


def _ask_all(folder: Path, questions: Sequence[str], asking: AskingOptions, output: OutputOptions) -> None:
    asking.check(many=True)
    output.check(folder, HTML)
    investigator = asking.investigator(folder)
    events = investigator.investigate_all(questions, asking.run_options())
    answers = outcome_of(events, investigator.parts.watch, AskedQuestions, fresh=asking.fresh)
    for path in output.report or ():
        from investigator.reports.html import questions_page  # imported here because few commands need it

        write_file(path, questions_page(answers).encode("utf-8"), KEPT)
    print_result(Printed.QUESTIONS, answers, questions_text, as_json=output.as_json)
    codes = [exit_code(outcome) for outcome in answers.outcomes]
    raise typer.Exit(next((code for code in _WORST_FIRST if code in codes), 0))


def exit_code(outcome: QuestionOutcome) -> int:
    """Return the exit code for one question in a batch."""
    answer = outcome.investigation.answer if outcome.investigation is not None else None
    return EXIT_CODES[answer.status] if answer is not None else RunError.exit_code


def _question(words: str) -> str:
    if words == "-":
        if sys.stdin is None:  # the parent process closed standard input
            raise QuestionError("standard input is closed, so no question can be read")
        try:
            words = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise QuestionError("the question on standard input is not UTF-8 text") from error
    if not words.strip():
        raise QuestionError("the question is empty")
    return words.strip()
