"""Asks an investigator a file of questions, and measures and stores the outcome of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from time import perf_counter

from investigator.asking.budget import Budget, BudgetSpent
from investigator.engines.base import traits_of
from investigator.engines.roles import Role
from investigator.errors import DataError, QuestionError, RunError
from investigator.evaluation.lines import RecordFile, storing
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome, share_parsed
from investigator.evaluation.questions import Question
from investigator.evaluation.results import FolderReport, folder_report, unmeasured_line
from investigator.evaluation.scoring import scores
from investigator.investigator import Investigator
from investigator.proof.quotes import quote_at
from investigator.records import (
    Answered,
    AnswerStatus,
    Event,
    Investigation,
    Notice,
    Progressed,
    Started,
    Support,
    together,
    usage_of,
)
from investigator.scoring.prices import priced
from investigator.services.run_records import RunOptions
from investigator.store.workspace import Workspace

UNREAD_TEMPLATES = Notice(text="The built-in finder reads no templates, so they change nothing; add --model.")


def check_outside(file: Path, investigator: Investigator) -> None:
    """Raise DataError for a file that would be read as one of the folder's documents."""
    place, workspace = file.expanduser().resolve(), investigator.workspace.resolve()
    if place.is_relative_to(investigator.folder.resolve()) and not place.is_relative_to(workspace):
        raise DataError(
            f"{file} is inside the folder of documents and would be read as one of them",
            hint="Keep questions and outcomes outside the folder.",
        )


def reads_templates(investigator: Investigator) -> bool:
    """Return True if an engine reads prompts; the built-in finder goes by search scores alone."""
    engines = (engine for role, engine in investigator.engines.items() if role is not Role.CHECK)
    return not all(traits_of(engine).goes_by_measures for engine in engines)


@dataclass
class FolderEvaluation:
    """Asks an investigator the questions in a file, as a user would.

    Only the first `limit` questions are asked. `outcomes` are keyed by question id, and stored in the file `out`, by
    default one in the workspace, named after a hash of everything that they depend on. Existing outcomes are reused,
    except those of failed questions; `fresh` asks everything again. A `repetition`, counted from 1, is a separate
    evaluation that reuses no replies. `joint` is a budget that the investigator shares with others. Raises
    DataError if outcomes would be stored inside the folder.
    """

    investigator: Investigator
    questions: Sequence[Question]
    _: KW_ONLY
    limit: int | None = None
    out: Path | None = None
    fresh: bool = False
    repetition: int = 0
    joint: Budget | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict, init=False)
    file: Path | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.out is not None:
            self.file = self.out.expanduser().absolute()
            check_outside(self.file, self.investigator)
        self._asked = self.questions[: self.limit]
        self._options = RunOptions(fresh=self.fresh, repetition=self.repetition)

    def run(self) -> Iterator[Event]:
        """Read the folder, and then ask the questions; `report` returns the results. If a question fails, its error is
        stored as its outcome and the next question is asked, but a UserError ends the run. Raises DataError,
        the errors of `Investigator.investigate`, and BudgetSpent if the joint budget stops an investigation.
        """
        if line := unmeasured_line(self._asked):
            yield Notice(text=line)
        yield from self.investigator.index(vectors=True)
        if self.investigator.parts.prompts.own() and not reads_templates(self.investigator):
            yield UNREAD_TEMPLATES
        yield from self._opened_file()
        pending = [question for question in self._asked if question.id not in self.outcomes]
        if not pending:
            return
        began = perf_counter()
        with self.investigator.opened() as self._ask:
            for done, question in enumerate(pending, start=1):
                outcome = self._outcome(question)
                self._file.append(outcome)
                self.outcomes[outcome.id] = outcome
                yield self._progress((perf_counter() - began) / done)

    def report(self) -> FolderReport:
        """Return the results for all questions with an outcome."""
        return folder_report(self._asked, self.outcomes, self.investigator.engine_name)

    def _opened_file(self) -> Iterator[Notice]:
        """Read the outcomes of exactly this evaluation, except failures; the folder must have been read."""
        parts = self.investigator.parts
        named = {name for question in self.questions for name in question.documents}
        with Workspace(self.investigator.workspace, write=False) as workspace:
            stored = parts.folder_index(self.investigator.folder, workspace).stored
            missing, documents = sorted(named.difference(stored.document_ids())), stored.fingerprint()
        if missing:
            some = f"{len(missing):,} of {len(named):,} right documents are not in the folder, such as {missing[0]}."
            yield Notice(text=some)
        depends_on = (
            *(question.model_dump_json() for question in self.questions),
            self.investigator.engine_name,
            parts.settings.model_dump_json(),
            parts.embedder.name,
            parts.prompts.fingerprint(),
            documents,
            f"repetition {self.repetition}",
            "2",  # the version of the fields of an outcome
        )
        self._evaluation = hashlib.sha256("\0".join(depends_on).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.file = self.file or self.investigator.workspace / "evaluations" / f"{self._evaluation}.jsonl"
        self._file = RecordFile(self.file, Outcome, "the outcome of a question")
        if self.fresh and self.file.exists():
            with storing(self.file):
                self.file.replace(f"{self.file}.before")
        kept = {outcome.id: outcome for outcome in self._file.read()}
        if any(outcome.evaluation != self._evaluation for outcome in kept.values()):
            problem = f"{self.file} contains outcomes of other questions, documents, models or settings"
            raise DataError(problem, hint="Choose another file with --out, or start over with --fresh.")
        self.outcomes = {q.id: kept[q.id] for q in self._asked if q.id in kept and not kept[q.id].failure}
        if self.outcomes:
            existing = f"{len(self.outcomes):,} of {len(self._asked):,} outcomes already exist: {self.file}"
            yield Notice(text=existing)

    def _outcome(self, question: Question) -> Outcome:
        blank = Outcome(evaluation=self._evaluation, id=question.id)
        whole, began = False, perf_counter()
        try:
            for event in self._ask(question.wording, self._options):
                whole |= isinstance(event, Started) and not event.resumed
                if self.joint is not None and self.joint.refused is not None:
                    raise BudgetSpent(self.joint.refused)  # an incomplete investigation must not be measured
                if isinstance(event, Answered):
                    seconds = perf_counter() - began if whole else None
                    return self._measured(question, blank.changed(seconds=seconds), event.investigation)
        except (QuestionError, RunError) as error:
            return blank.changed(failure=f"{type(error).__name__}: {error.message}")
        return blank.changed(failure="the investigation ended without an answer")

    def _measured(self, question: Question, blank: Outcome, run: Investigation) -> Outcome:
        calls, held = self.investigator.calls(run.id), self.investigator.cited_documents(run.citations)
        price_of = self.investigator.parts.prices.price_of
        outcome = blank.changed(
            run_id=run.id,
            status=AnswerStatus.NOT_FOUND_SO_FAR,
            cost=together(*(priced(usage_of(call.reply), price_of(call.engine)) for call in calls)),
        )
        if answer := run.answer:
            shown = answer.statements
            places = ((quote, held.get(quote.document_id)) for quote in answer.citations)
            outcome = outcome.changed(
                status=answer.status,
                answer=" ".join(f"{each.head}: {each.text}" if each.head else each.text for each in shown),
                statements=len(shown),
                unsupported=sum(each.support not in (Support.VERBATIM, Support.SUPPORTED) for each in shown),
                withheld=len(answer.check.withheld),
                citations=answer.citations,
                proven=sum(document is not None and quote_at(document, q.start, q.end) == q for q, document in places),
            )
        parsed = share_parsed(calls)
        return outcome.changed(
            scores=scores(question, outcome) | ({Measure.PARSED: parsed} if parsed is not None else {})
        )

    def _progress(self, seconds: float) -> Progressed:
        outcomes = self.outcomes.values()
        counts = {
            "answered": sum(outcome.answered for outcome in outcomes),
            "passages found": 0,
            "not found": sum(outcome.silent for outcome in outcomes),
            "failed": sum(bool(outcome.failure) for outcome in outcomes),
        }
        counts["passages found"] = len(outcomes) - sum(counts.values())
        about = [f"{name} {count}" for name, count in counts.items() if count or name != "failed"]
        about.append(f"{seconds:.1f} s per question")
        return Progressed(phase="questions", done=len(outcomes), total=len(self._asked), about=tuple(about))
