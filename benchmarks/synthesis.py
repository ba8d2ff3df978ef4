"""Measures answers to questions that need more than one sentence: table cells, differences, several documents.

    python benchmarks/synthesis.py ROWS.jsonl SETS_DIR [--kind KIND ...] [--split dev] [--workspaces DIR]
                                   [--model PROVIDER:NAME] [--set PART.FIELD=VALUE] [--jobs N] [--details] [--json]
                                   [--rows FILE.jsonl]

Each row names its set; the question is asked about the folder SETS_DIR/SET/docs_SPLIT. Answers are judged by the cited
documents, the quoted evidence, the given value, and, if the documents contain no answer, by silence. The answers are
stored in FILE.jsonl, one per line.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pydantic import ConfigDict
from side_by_side import Asking, Desk, each

from investigator.errors import InvestigatorError
from investigator.evaluation.evidence_match import overlaps
from investigator.records import Answer, AnswerStatus, Record

TABLE_KINDS = ("table_cell", "table_difference", "table_near_miss")
SILENT = (AnswerStatus.NOT_FOUND, AnswerStatus.NOT_FOUND_SO_FAR)
FIRST = 3  # statements in which the value is looked for
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")


class KeyPoint(Record):
    """A point of a complete answer, and the evidence for it."""

    model_config = ConfigDict(extra="ignore")

    text: str
    doc_id: str | None = None
    evidence: str | None = None


class SynthesisRow(Record):
    """A question of a set, with its answer and the place of the answer."""

    model_config = ConfigDict(extra="ignore")

    id: str
    set: str
    kind: str
    question: str
    answerable: bool
    answers: tuple[str, ...] = ()
    doc_ids: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    key_points: tuple[KeyPoint, ...] = ()


class Judgement(Record):
    """The evaluation of a row; measures that do not apply to its kind are None."""

    id: str
    kind: str
    status: AnswerStatus
    seconds: float
    answered: float | None = None
    right_document: float | None = None
    evidence_quoted: float | None = None
    key_points: float | None = None
    documents_found: float | None = None
    documents_right: float | None = None
    value_among_quotes: float | None = None
    value_given: float | None = None
    failure: str = ""
    silent: float | None = None
    not_called_answered: float | None = None


MEASURES = (
    "right_document",
    "documents_found",
    "documents_right",
    "key_points",
    "evidence_quoted",
    "value_among_quotes",
    "value_given",
    "answered",
)
SILENCE = ("silent", "not_called_answered")


def judged(row: SynthesisRow, answer: Answer, seconds: float) -> Judgement:
    """Evaluate an answer."""
    found = Judgement(id=row.id, kind=row.kind, status=answer.status, seconds=seconds)
    if not row.answerable:
        silent, answered = answer.status in SILENT, answer.status is AnswerStatus.ANSWERED
        return found.changed(silent=float(silent), not_called_answered=float(not answered))
    quotes = [quote for quote in answer.citations if quote.document_id in row.doc_ids]
    pieces = [any(overlaps(quote.text, piece) for quote in quotes) for piece in row.evidence]
    wanted = [numbers for text in row.answers if (numbers := _numbers(text))]
    cited = {quote.document_id for quote in answer.citations}
    points = [
        any(quote.document_id == point.doc_id and overlaps(quote.text, point.evidence) for quote in answer.citations)
        for point in row.key_points
        if point.evidence
    ]
    return found.changed(
        key_points=sum(points) / len(points) if points else None,
        documents_found=len(cited & set(row.doc_ids)) / len(row.doc_ids) if row.doc_ids else None,
        documents_right=len(cited & set(row.doc_ids)) / len(cited) if cited else None,
        answered=float(answer.status is AnswerStatus.ANSWERED),
        right_document=float(bool(answer.citations) and answer.citations[0].document_id in row.doc_ids),
        evidence_quoted=sum(pieces) / len(pieces) if pieces else None,
        value_among_quotes=float(any(_holds(quote.text, numbers) for quote in quotes for numbers in wanted)),
        value_given=float(any(_is_given(answer, row, numbers) for numbers in wanted)),
    )


def _is_given(answer: Answer, row: SynthesisRow, wanted: Sequence[str]) -> bool:
    """Return True if one of the first statements gives the value, with a quote from a right document."""
    for claim in answer.claims[:FIRST]:
        if any(quote.document_id in row.doc_ids for quote in claim.quotes):
            values = [quote.cell.value for quote in claim.quotes if quote.cell is not None and len(claim.quotes) == 1]
            computed = getattr(claim, "computation", None)
            values += [computed.value] if computed is not None else []
            if any(_numbers(value)[: len(wanted)] == list(wanted) for value in values):
                return True
    return False


def _numbers(text: str) -> list[str]:
    return _NUMBER.findall(text.replace(",", "").replace(" : ", ":"))


def _holds(text: str, numbers: Sequence[str]) -> bool:
    return set(numbers) <= set(_numbers(text))


class Task(Record):
    """A row and its folder."""

    row: SynthesisRow
    folder: Path


class Asked(Record):
    """A row, its answer (None if the model failed), and the evaluation."""

    row: SynthesisRow
    answer: Answer | None
    judgement: Judgement


def asked(desk: Desk, task: Task) -> Asked:
    """Ask a row as a user would."""
    began, row = time.perf_counter(), task.row
    try:
        answer = desk.investigator(task.folder).ask(row.question, fresh=True)
    except InvestigatorError as error:
        status = AnswerStatus.NOT_FOUND_SO_FAR
        failed = Judgement(id=row.id, kind=row.kind, status=status, seconds=0.0, failure=error.message)
        return Asked(row=row, answer=None, judgement=failed)
    return Asked(row=row, answer=answer, judgement=judged(row, answer, round(time.perf_counter() - began, 3)))


def _details(one: Asked) -> str:
    row, found = one.row, one.judgement
    lines = [f"{row.id} {found.status} {found.seconds:.2f} s: {row.question} -> {row.answers[:1]} {found.failure}"]
    if one.answer is not None:
        lines += [f"    {claim.text[:200]}" for claim in one.answer.claims[:FIRST]]
        lines += [f"    near: {miss.quote.said[:150]}" for miss in one.answer.near_misses]
    return "\n".join([*lines, f"    {found.model_dump(include={*MEASURES, *SILENCE}, exclude_none=True)}"])


def table(found: Sequence[Judgement]) -> str:
    """Return a Markdown table with a row for each kind."""
    names = (*MEASURES, *SILENCE)
    lines = [f"| kind | rows | {' | '.join(name.replace('_', ' ') for name in names)} | s, mean (most) |"]
    lines.append("| --- | --: " * 1 + "| --: " * (len(names) + 1) + "|")
    for kind in dict.fromkeys(one.kind for one in found):
        own = [one for one in found if one.kind == kind]
        cells = [_mean([value for one in own if (value := getattr(one, name)) is not None]) for name in names]
        seconds = [one.seconds for one in own]
        times = f"{sum(seconds) / len(seconds):.2f} ({max(seconds):.2f})"
        lines.append(f"| {kind} | {len(own)} | {' | '.join(cells)} | {times} |")
    return "\n".join(lines)


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.2f}" if values else "-"


def main() -> None:
    """Parse the arguments, ask the questions and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("sets", type=Path)
    parser.add_argument("--kind", action="append", help="only rows of this kind; default: kinds about tables")
    parser.add_argument("--id", action="append", help="only rows with this id")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--model")
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--rows", type=Path, dest="rows_kept")
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = [SynthesisRow.model_validate_json(line) for line in arguments.rows.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row.kind in (arguments.kind or TABLE_KINDS)]
    rows = [row for row in rows if row.id in (arguments.id or [row.id])]
    tasks = [Task(row=row, folder=(arguments.sets / row.set / f"docs_{arguments.split}").resolve()) for row in rows]
    tasks.sort(key=lambda task: task.row.set)
    asking = Asking(arguments.model, tuple(arguments.overrides), arguments.workspaces.resolve())
    found: list[Judgement] = []
    for one in each(asking, [task.folder for task in tasks], asked, tasks, arguments.jobs):
        found.append(one.judgement)
        if arguments.details:
            print(_details(one), file=sys.stderr, flush=True)
        if arguments.rows_kept:
            with arguments.rows_kept.open("a", encoding="utf-8") as stream:
                stream.write(one.model_dump_json() + "\n")
    found.sort(key=lambda one: [row.id for row in rows].index(one.id))
    print(json.dumps([one.model_dump(mode="json") for one in found], indent=2) if arguments.json else table(found))


if __name__ == "__main__":
    main()
