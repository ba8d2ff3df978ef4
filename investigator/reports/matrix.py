"""Shows a matrix as text for a terminal: the heading, and a table or lists of short cells. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from investigator.language.addresses import defanged
from investigator.language.relevance import stems
from investigator.language.sentences import sentence_spans
from investigator.language.terms import words
from investigator.records import CellStatus, Matrix, MatrixCell, Support
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.wording import SUPPORTS, engine_line, plural, usage_line

CELL_WORDS: Mapping[CellStatus, str] = {status: status.value.replace("_", " ") for status in CellStatus}

_STYLES: Mapping[CellStatus, str] = {
    CellStatus.STATED: "green",
    CellStatus.PASSAGES: "yellow",
    CellStatus.NOT_STATED: "dim",
    CellStatus.UNCLEAR: "yellow",
    CellStatus.NOT_READ: "red",
}
_SIDE_BY_SIDE = 3  # maximum number of questions in one table; if there are more, they are listed one by one
_TOGETHER, _WIDEST_CELL, _WIDE, _NAME = 132, 80, 160, 40
"""Maximum lengths in characters: all cells of a row, a cell, an answer in a list, and a document's name."""
_MOST_SCANNED = 4_000  # characters of a text in which the line for a cell is looked for


def in_short(cell: MatrixCell, question: str, most: int = _WIDE) -> str:
    """Return a cell as one short line: its value or text, after the status unless it is stated; else the reason. Of a
    longer text, the line shows the row or sentence that is nearest to the question.
    """
    if cell.status is CellStatus.STATED:
        mark = "" if cell.support in (Support.VERBATIM, Support.SUPPORTED) else f" ({SUPPORTS[cell.support]})"
        text = cell.text if cell.value is None else f"{value_text(cell.value)} {cell.unit}".strip()
        return f"{_nearest(text, question, most - len(mark))}{mark}"
    head = CELL_WORDS[cell.status]
    detail = cell.text or (cell.reason if cell.status is not CellStatus.NOT_STATED else "")
    return f"{head}: {_nearest(detail, question, most - len(head) - 2)}" if detail else head


def _nearest(text: str, question: str, most: int) -> str:
    """Return a text on one line; of a longer one, the row or sentence that shares most words with the question, and of
    that the stretch with a figure, which may be the value, and most shared words. No stretch ends before a figure.
    """
    if len(line := inert_line(defanged(text))) <= most:
        return line
    wanted = stems(words(question))
    rows = text[:_MOST_SCANNED].splitlines()
    sentences = [row[start:end] for row in rows for start, end in sentence_spans(row)]
    best = max(sentences, key=lambda part: (_shared(part, wanted), _has_figure(part)), default=text)
    if len(line := inert_line(defanged(best))) <= most:
        return line
    parts, stretches = line.split(), []
    for first in range(len(parts)):
        last, length = first + 1, len(parts[first])
        while last < len(parts) and length + 1 + len(parts[last]) <= most - 2:
            length += 1 + len(parts[last])
            last += 1
        ends_well = last == len(parts) or not _has_figure(parts[last])
        shown = f"{'…' if first else ''}{' '.join(parts[first:last])}{'…' if last < len(parts) else ''}"
        stretches.append((ends_well, _has_figure(shown), _shared(shown, wanted), -first, shown))
    return inert_line(max(stretches)[-1], most)


def _shared(text: str, wanted: frozenset[str]) -> int:
    return len(wanted & stems(words(text)))


def _has_figure(text: str) -> bool:
    return any(map(str.isdigit, text))


def value_text(value: Any) -> str:
    """Return a value in a line."""
    if isinstance(value, list):
        return "; ".join(map(value_text, value))
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def support_words(cell: MatrixCell) -> str:
    """Return how a cell was checked, with the reason if there is one."""
    return ": ".join(filter(None, (SUPPORTS[cell.support], cell.reason)))


def readers_line(matrix: Matrix) -> str:
    """Return who answered and who checked the cells."""
    return engine_line(matrix.engine) + (f" Checked by {matrix.checked_by}." if matrix.checked_by else "")


def status_counts(cells: Sequence[MatrixCell]) -> str:
    """Return the number of cells with each status."""
    counts = Counter(cell.status for cell in cells)
    return ", ".join(f"{counts[status]:,} {words}" for status, words in CELL_WORDS.items() if counts[status])


def counts_line(matrix: Matrix) -> str:
    """Return the number of cells with each status, and of the documents that failed."""
    return ", ".join(filter(None, (status_counts(matrix.cells), f"{matrix.failed:,} failed" if matrix.failed else "")))


def size_line(matrix: Matrix) -> str:
    """Return the size of a matrix in words."""
    return f"{plural(len(matrix.documents), 'document')}, {plural(len(matrix.questions), 'question')}"


def matrix_text(matrix: Matrix) -> Text:
    """Return the matrix for a terminal: a table for a few questions, otherwise a list for each question; ends with a
    newline.
    """
    legend = [Text(f"Q{number}  {inert_line(question)}") for number, question in enumerate(matrix.questions, start=1)]
    heading = Text("\n").join([Text(f"Matrix: {size_line(matrix)}", style="bold"), *legend])
    used = [f"Used: {usage_line(matrix.usage, matrix.seconds)}"] if matrix.usage.tokens else []
    footer = (
        f"Cells: {counts_line(matrix)}.",
        inert_line(readers_line(matrix)),
        *used,
        "The quotes behind each cell: --report FILE.html or --json with the same command, at no extra cost.",
    )
    tables = [_table(matrix)] if len(matrix.questions) <= _SIDE_BY_SIDE else _lists(matrix)
    problems = [inert_line(f"{own.id}: {text}") for own in matrix.documents for text in own.problems]
    parts = [heading, *tables, *([Text("\n".join(problems))] if problems else []), Text("\n".join(footer), style="dim")]
    return Text("\n\n").join(parts).append("\n")


def _table(matrix: Matrix) -> Text:
    """Return the cells side by side; a reason that does not fit into its cell stands in full below the table."""
    heading = ("Document", *(f"Q{number}" for number in range(1, len(matrix.questions) + 1)))
    most, notes = min(_WIDEST_CELL, _TOGETHER // len(matrix.questions)), dict[str, str]()
    rows = []
    for row in matrix.rows():
        cells = zip(row.cells, matrix.questions, strict=True)
        shown = (_noted(cell, notes) if _is_cut(cell, most) else in_short(cell, asked, most) for cell, asked in cells)
        rows.append((inert_line(row.name, _NAME), *shown))
    below = [Text(f"[{mark}] {inert_line(reason)}", style="dim") for reason, mark in notes.items()]
    return Text("\n").join([columns(rows, heading=heading, left=range(len(heading))), *below])


def _is_cut(cell: MatrixCell, most: int) -> bool:
    has_reason = cell.reason and not cell.text and cell.status is not CellStatus.NOT_STATED
    return bool(has_reason) and len(CELL_WORDS[cell.status]) + len(cell.reason) + 2 > most


def _noted(cell: MatrixCell, notes: dict[str, str]) -> str:
    return f"{CELL_WORDS[cell.status]} [{notes.setdefault(cell.reason, str(len(notes) + 1))}]"


def _lists(matrix: Matrix) -> Iterator[Text]:
    every = list(matrix.rows())
    for number, question in enumerate(matrix.questions):
        cells = [row.cells[number] for row in every]
        rows = [
            (
                inert_line(row.name, _NAME),
                in_short(cell, question),
                inert_line(cell.quotes[0].place) if cell.quotes else "",
            )
            for row, cell in zip(every, cells, strict=True)
        ]
        table = columns(rows, left=range(3), styles=[_STYLES[cell.status] for cell in cells])
        yield Text("\n").join([Text(f"Q{number + 1}  {inert_line(question)}", style="bold"), table])
