"""Shows a matrix as text for a terminal: the heading, and a table or lists of short cells. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text

from investigator.language.addresses import defanged
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
_SOUND = (Support.VERBATIM, Support.SUPPORTED)
_SIDE_BY_SIDE = 3  # maximum number of questions in one table; if there are more, they are listed one by one
_NARROW, _WIDE, _NAME = 44, 160, 40
"""Maximum lengths in characters: an answer in a table, an answer in a list, and a document's name."""


def in_short(cell: MatrixCell, most: int = _WIDE) -> str:
    """Return a cell as one short line: its text, after the status unless it is stated; without a text, the reason."""
    if cell.status is CellStatus.STATED:
        mark = "" if cell.support in _SOUND else f" ({SUPPORTS[cell.support]})"
        return f"{_prose(cell.text, most - len(mark))}{mark}"
    words = CELL_WORDS[cell.status]
    detail = cell.text or (cell.reason if cell.status is not CellStatus.NOT_STATED else "")
    return _prose(f"{words}: {detail}" if detail else words, most)


def support_words(cell: MatrixCell) -> str:
    """Return how a cell was checked, with the reason if there is one."""
    return ": ".join(filter(None, (SUPPORTS[cell.support], cell.reason)))


def readers_line(matrix: Matrix) -> str:
    """Return who answered and who checked the cells."""
    return engine_line(matrix.engine) + (f" Checked by {matrix.checked_by}." if matrix.checked_by else "")


def _prose(text: str, most: int) -> str:
    return inert_line(defanged(text), most)


def counts_line(matrix: Matrix) -> str:
    """Return the number of cells with each status."""
    counts = [f"{CELL_WORDS[status]} {count:,}" for status in CellStatus if (count := matrix.count(status))]
    failed = [f"failed {matrix.failed:,}"] if matrix.failed else []
    return ", ".join([*counts, *failed])


def size_line(matrix: Matrix) -> str:
    """Return the size of a matrix in words."""
    return f"{plural(len(matrix.documents), 'document')}, {plural(len(matrix.questions), 'question')}"


def matrix_text(matrix: Matrix) -> Text:
    """Return the matrix for a terminal: a table for a few questions, otherwise a list for each question; ends with a
    newline.
    """
    legend = [Text(f"Q{number}  {inert_line(question)}") for number, question in enumerate(matrix.questions, start=1)]
    blocks = [Text("\n").join([Text(f"Matrix: {size_line(matrix)}", style="bold"), *legend])]
    blocks += [_table(matrix)] if len(matrix.questions) <= _SIDE_BY_SIDE else list(_lists(matrix))
    footer = Text(
        "\n".join(
            (
                f"Cells: {counts_line(matrix)}.",
                inert_line(readers_line(matrix)),
                f"Used: {usage_line(matrix.usage, matrix.seconds)}",
                "The quotes behind each cell: --report FILE.html or --json with the same command, at no extra cost.",
            )
        ),
        style="dim",
    )
    return Text("\n\n").join([*blocks, footer]).append("\n")


def _table(matrix: Matrix) -> Text:
    heading = ("Document", *(f"Q{number}" for number in range(1, len(matrix.questions) + 1)))
    rows = [
        (inert_line(document.id, _NAME), *(in_short(cell, _NARROW) for cell in matrix.row(number)))
        for number, document in enumerate(matrix.documents)
    ]
    return columns(rows, heading=heading, left=range(len(heading)))


def _lists(matrix: Matrix) -> Iterator[Text]:
    rows = [matrix.row(number) for number in range(len(matrix.documents))]
    for number, question in enumerate(matrix.questions):
        cells = [row[number] for row in rows]
        places = [inert_line(cell.quotes[0].place) if cell.quotes else "" for cell in cells]
        names = [inert_line(cell.document_id, _NAME) for cell in cells]
        lines = list(zip(names, map(in_short, cells), places, strict=True))
        table = columns(lines, left=range(3), styles=[_STYLES[cell.status] for cell in cells])
        yield Text("\n").join([Text(f"Q{number + 1}  {inert_line(question)}", style="bold"), table])
