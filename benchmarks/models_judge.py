"""Writes sheets on which a person, or another model, judges the answers of `models.py` blind, and reads them back.

    python benchmarks/models_judge.py write ROWS.jsonl SHEETS.md [--seed S]
    python benchmarks/models_judge.py read ROWS.jsonl JUDGEMENTS.jsonl [--seed S]

A sheet has a question, the right answer and its key points, and the answers of all sides under letters, in random
order. A question with key points is judged by these; of other questions, those answers are judged that are called
answered although no known short answer was found in them. The judge writes one JSON object per sheet, in the form that
the sheet shows. `read` prints the key points made, the statements that are false or misleading, how readable the
answers are, and which one the judge would rather get.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import mean
from string import ascii_uppercase

from models_rows import LONG_KINDS, MARK, Row, Side, kept_rows
from models_tables import left_to_judge, markdown, share

from investigator.files.text_lines import json_rows
from investigator.records import Record

_HEAD = """# Answers to judge

Judge each answer by the right answer and the key points, and if in doubt by the documents. The letters are in a new
random order on every sheet. Write one line of JSON for each sheet, as it shows:

- `points`: the numbers of the key points that the answer makes, in whatever words.
- `false`: how many of its statements are false or misleading.
- `readable`: 0 (hard to use) to 3 (pleasant: says it at once, nothing twice).
- `right`: whether it answers the question rightly.
- `preferred`: the letter that you would rather get; "" if they are equally good.
"""


class Mark(Record):
    """The judgement of one answer; `right` is given for questions without key points, the others for those with."""

    points: tuple[int, ...] = ()
    false: int = 0
    readable: float | None = None
    right: bool | None = None


class Judgement(Record):
    """The judgement of a sheet: a mark for each letter, and the preferred letter."""

    sheet: int
    marks: Mapping[str, Mark]
    preferred: str = ""


class Sheet(Record):
    """The answers to one question, in the order of their letters."""

    number: int
    rows: tuple[Row, ...]

    @property
    def is_long(self) -> bool:
        """Return True if the answers are judged by key points."""
        return _is_long(self.rows[0])

    @property
    def by_letter(self) -> dict[str, Row]:
        """Return the rows by letter."""
        return dict(zip(ascii_uppercase, self.rows, strict=False))


def sheets(rows: Sequence[Row], seed: int) -> list[Sheet]:
    """Return the sheets of all questions that must be judged; the order of their answers follows from the seed."""
    unclear = {row.key for row in left_to_judge(rows)}
    wanted = [row for row in rows if not row.failure and (_is_long(row) or row.key in unclear)]
    wanted.sort(key=_question_of)
    result: list[Sheet] = []
    for _, own in groupby(wanted, key=_question_of):
        answers = sorted(own, key=lambda row: row.side)
        random.Random(f"{seed} {answers[0].id}").shuffle(answers)
        result.append(Sheet(number=len(result) + 1, rows=tuple(answers)))
    return result


def _question_of(row: Row) -> tuple[str, str]:
    return row.group, row.id


def _is_long(row: Row) -> bool:
    return row.kind in LONG_KINDS and bool(row.key_points)


def written(sheet: Sheet) -> Iterator[str]:
    """Yield the lines of a sheet."""
    first = sheet.rows[0]
    yield f"## Sheet {sheet.number}\n"
    yield f"Question about {first.set}: {first.question}\n"
    yield f"Right answer: {'; '.join(first.gold) or '-'} ({', '.join(first.right_documents) or 'no document'})\n"
    if sheet.is_long:
        yield from (f"{number}. {point}" for number, point in enumerate(first.key_points, start=1))
        yield ""
    for letter, row in sheet.by_letter.items():
        text = row.text or row.reason
        yield f"### {letter}\n\n{text}\n"
        cited = {int(number) for mark in MARK.findall(text) for number in mark.split(",")}
        yield from (f"[{number}] {source}" for number, source in enumerate(row.sources, start=1) if number in cited)
        yield ""
    mark = {"points": [1], "false": 0, "readable": 2} if sheet.is_long else {"right": True}
    form: dict[str, object] = {"sheet": sheet.number, "marks": dict.fromkeys(sheet.by_letter, mark)}
    if sheet.is_long and len(sheet.rows) > 1:
        form["preferred"] = "A"
    yield f"```json\n{json.dumps(form)}\n```\n"


def judged(every: Sequence[Sheet], judgements: Sequence[Judgement]) -> str:
    """Return a table of the judgements, by side."""
    by_number = {judgement.sheet: judgement for judgement in judgements}
    pairs = [(sheet, by_number[sheet.number]) for sheet in every if sheet.number in by_number]
    head = ["", "key points", "false or misleading", "readable, 0 to 3", "preferred", "left to the judge: right"]
    sides = [side for side in Side if any(row.side is side for sheet, _ in pairs for row in sheet.rows)]
    return markdown([head, *(_line(side, pairs) for side in sides)])


def _line(side: Side, pairs: Sequence[tuple[Sheet, Judgement]]) -> list[str]:
    marks = [
        (sheet, row, judgement.marks[letter], judgement.preferred == letter)
        for sheet, judgement in pairs
        for letter, row in sheet.by_letter.items()
        if row.side is side and letter in judgement.marks
    ]
    long = [entry for entry in marks if entry[0].is_long]
    points = [len(set(mark.points)) / len(row.key_points) for _, row, mark, _ in long]
    readable = [mark.readable for _, _, mark, _ in long if mark.readable is not None]
    compared = [preferred for sheet, _, _, preferred in long if len(sheet.rows) > 1]
    right = [bool(mark.right) for sheet, _, mark, _ in marks if not sheet.is_long]
    return [
        side,
        f"{mean(points):.2f} of {len(points)}" if points else "-",
        str(sum(mark.false for _, _, mark, _ in long)) if long else "-",
        f"{mean(readable):.2f}" if readable else "-",
        share(sum(compared), len(compared)),
        share(sum(right), len(right)),
    ]


def main() -> None:
    """Parse the arguments, and write the sheets or read the judgements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("write", "read"))
    parser.add_argument("rows", type=Path)
    parser.add_argument("file", type=Path, help="sheets to write, or judgements to read")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    every = sheets(kept_rows(arguments.rows), arguments.seed)
    if arguments.action == "read":
        print(judged(every, [judgement for _, judgement in json_rows(arguments.file, Judgement)]))
        return
    text = "\n".join([_HEAD, *(line for sheet in every for line in written(sheet))])
    arguments.file.write_text(text, encoding="utf-8")
    print(f"{len(every)} sheets in {arguments.file}")


if __name__ == "__main__":
    main()
