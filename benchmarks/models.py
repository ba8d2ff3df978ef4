"""Compares the method with plain prompting: the same model, index and search, with one prompt or an investigation.

    python benchmarks/models.py SET_DIR [SET_DIR ...] --model PROVIDER:NAME [--questions N] [--split dev] [--jobs N]
        [--side SIDE ...] [--set PART.FIELD=VALUE] [--workspaces DIR] [--rows FILE.jsonl] [--json FILE]

Each SET_DIR contains `questions.SPLIT.jsonl` and the folder `docs_SPLIT`, or `NAME.SPLIT.jsonl` with pairs of questions
(`twin`) about the folders of adjacent sets (`set`). N questions, or pairs, are taken at equal intervals. `one prompt`
is plain retrieval-augmented generation (plain_rag.j2): the five best passages of the folder in one call. `method` is
`investigator ask --model`. `no model` is the built-in engine, to show what the search achieves by itself. All answers
are stored in FILE.jsonl, one per line. `answer_f1` covers the questions that have an answer, and `f1_all` covers all
questions.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from jinja2 import Environment
from side_by_side import Asking, Desk, each

from investigator.asking.replies import read_reply
from investigator.engines.base import Engine, tokens_of, traits_of
from investigator.errors import InvestigatorError
from investigator.evaluation.abstention import confusion
from investigator.evaluation.lines import rows_of
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome, Ranking
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import scores
from investigator.investigator import Investigator
from investigator.records import Answer, Answered, AnswerStatus, Passage, Prompt, QuestionVariables, Record, Usage
from investigator.services.run_records import RunOptions

_PASSAGES = 5
_TEMPLATE = Environment(autoescape=False).from_string(Path(__file__).with_name("plain_rag.j2").read_text("utf-8"))
_NOT_THERE = re.compile(r"not in the documents|not (?:mentioned|stated|provided|specified)|cannot (?:be )?answer", re.I)
_MEASURES = (
    Measure.ANSWER_F1,
    Measure.ANSWER_CONTAINS,
    Measure.NUMBER_RECALL,
    Measure.CITED_FIRST,
    Measure.EVIDENCE_HIT,
)
_SAID = ("answered", "answered_in_part", "passages_found", "not_found")


class Side(StrEnum):
    """The compared sides."""

    ONE_PROMPT = "one prompt"
    METHOD = "method"
    NO_MODEL = "no model"


class PlainReply(Record):
    """The reply that the single prompt requests."""

    answer: str


class SetQuestion(Question):
    """A question of a set, with the folder that it is about if the set has several, and its twin."""

    set: str = ""
    twin: str = ""


class Task(Record):
    """One question for one side."""

    set: str
    folder: Path
    side: Side
    question: SetQuestion


class Result(Record):
    """The reply of one side to one question; the whole answer if it comes from the method."""

    task: Task
    outcome: Outcome
    answer: Answer | None = None


def one_prompt(engine: Engine, question: str, passages: Sequence[Passage]) -> tuple[str, Usage]:
    """Return the answer to a single prompt with as many passages as fit, and its cost."""
    room = traits_of(engine).context_tokens
    for count in range(len(passages), 0, -1):
        text = _TEMPLATE.render(question=question, passages=passages[:count])
        if room is None or tokens_of(engine, text) <= room:
            break
    variables = QuestionVariables(document_id="", purpose=question, perspectives="")
    reply = engine.reply(Prompt("query/ask", variables, text, PlainReply))
    usage = Usage(calls=1, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    try:
        return read_reply(reply.text, PlainReply).answer, usage
    except InvestigatorError:
        return reply.text, usage


def investigated(investigator: Investigator, question: str) -> tuple[Answer | None, Usage]:
    """Return the answer of the method, and its cost."""
    for event in investigator.investigate(question, RunOptions(fresh=True)):
        if isinstance(event, Answered):
            return event.investigation.answer, event.investigation.usage
    return None, Usage()


def result(desk: Desk, task: Task) -> Result:
    """Return the result of one side for one question."""
    began = time.monotonic()
    ranking = Ranking(documents=(), evidence_found=None)
    blank = Outcome(evaluation="-", id=task.question.id, ranking=ranking)
    investigator = desk.investigator(task.folder, with_model=task.side is Side.METHOD)
    answer: Answer | None = None
    try:
        if task.side is Side.ONE_PROMPT:
            with investigator.library() as library:
                passages = library.passages((task.question.asked,))[:_PASSAGES]
            text, usage = one_prompt(desk.engine, task.question.asked, passages)
            silent = not text.strip() or _NOT_THERE.search(text)
            outcome = blank.changed(
                answer=text, usage=usage, status=AnswerStatus.NOT_FOUND if silent else AnswerStatus.ANSWERED
            )
        else:
            answer, usage = investigated(investigator, task.question.asked)
            outcome = blank.changed(usage=usage, status=AnswerStatus.NOT_FOUND_SO_FAR)
            if answer is not None:
                text = " ".join(claim.text for claim in answer.claims)
                outcome = outcome.changed(status=answer.status, answer=text, citations=answer.citations)
    except InvestigatorError as error:
        outcome = blank.changed(failure=error.message, status=AnswerStatus.NOT_FOUND_SO_FAR)
    seconds = round(time.monotonic() - began, 3)
    return Result(task=task, outcome=outcome.changed(seconds=seconds), answer=answer)


def tasks_of(directory: Path, arguments: argparse.Namespace) -> list[Task]:
    """Return the chosen questions of a set for each side."""
    file = next(iter(sorted(directory.glob(f"*.{arguments.split}.jsonl"))))
    every = [question for _, question in rows_of(file, SetQuestion)]
    if every[0].twin:
        by_id = {question.id: question for question in every}
        first = _at_equal_distances([question for question in every if question.answerable], arguments.questions)
        chosen = [one for question in first for one in (by_id[question.twin], question)]
    else:
        chosen = _at_equal_distances(every, arguments.questions)
    return [
        Task(set=directory.name, folder=_folder(directory, question, arguments.split), side=side, question=question)
        for question in chosen
        for side in (arguments.side or Side)
    ]


def _at_equal_distances(questions: Sequence[SetQuestion], count: int) -> Sequence[SetQuestion]:
    return questions[:: max(1, len(questions) // count)][:count]


def _folder(directory: Path, question: SetQuestion, split: str) -> Path:
    return (directory.parent / question.set if question.set else directory) / f"docs_{split}"


def row(set_name: str, model: str, side: Side, found: Sequence[Result]) -> dict[str, object]:
    """Return the figures of one side on one set."""
    own = [(r.task.question, r.outcome) for r in found if r.task.side is side and r.task.set == set_name]
    scored = [scores(*one) for one in own]
    judged = [(question, outcome) for question, outcome in own if question.answerable is not None]
    said = confusion([bool(q.answerable) for q, _ in judged], [o.status for _, o in judged if o.status is not None])
    means = {measure.value: _mean([s[measure] for s in scored if measure in s]) for measure in _MEASURES}
    whole = [_counting_silence(*one, found=s) for one, s in zip(own, scored, strict=True)]
    counts = said.model_dump()
    return {
        "set": set_name,
        "model": model,
        "side": side.value,
        "questions": len(own),
        "failed": sum(bool(outcome.failure) for _, outcome in own),
        **{kind: "/".join(str(counts[f"{kind}_{name}"]) for name in _SAID) for kind in ("answerable", "unanswerable")},
        **means,
        "f1_all": _mean(whole) if means["answer_f1"] else None,
        "no_answer_f1": said.f1,
        "calls": _mean([outcome.usage.calls for _, outcome in own]),
        "tokens": _mean([outcome.usage.tokens for _, outcome in own]),
        "seconds": _mean([outcome.seconds or 0.0 for _, outcome in own]),
    }


def _counting_silence(question: Question, outcome: Outcome, found: Mapping[Measure, float]) -> float:
    """Return token F1 as in SQuAD 2.0: for an unanswerable question, 1 if nothing was answered, otherwise 0."""
    if question.answerable is False:
        return float(not outcome.answered)
    return found.get(Measure.ANSWER_F1, 0.0) if outcome.answered else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def lines(rows: Sequence[dict[str, object]]) -> str:
    """Return the Markdown table."""
    names = list(rows[0])
    cells = [[f"{value:.3g}" if isinstance(value, float) else str(value or "-") for value in r.values()] for r in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in (names, ["---"] * len(names), *cells))


def main() -> None:
    """Parse the arguments, ask the questions and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--side", action="append", type=Side, choices=list(Side))
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    tasks = [task for path in arguments.sets for task in tasks_of(path.resolve(), arguments)]
    asking = Asking(arguments.model, tuple(arguments.overrides), arguments.workspaces.resolve())
    found: list[Result] = []
    for one in each(asking, [task.folder for task in tasks], result, tasks, arguments.jobs):
        found.append(one)
        said = one.outcome.failure or one.outcome.answer[:100]
        print(f"{len(found):4} {one.task.question.id} {one.task.side}: {one.outcome.status} {said!r}", flush=True)
        if arguments.rows:
            with arguments.rows.open("a", encoding="utf-8") as stream:
                stream.write(one.model_dump_json() + "\n")
    sets, sides = dict.fromkeys(task.set for task in tasks), dict.fromkeys(task.side for task in tasks)
    rows = [row(name, arguments.model.rpartition("/")[2], side, found) for name in sets for side in sides]
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    print(lines(rows))


if __name__ == "__main__":
    main()
