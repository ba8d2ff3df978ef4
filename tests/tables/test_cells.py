"""The labels and headers that name a cell of a table."""

from __future__ import annotations

import re

import pytest

from investigator.records import Table, TableCell, TextSpan
from investigator.tables.cells import TableView
from investigator.tables.measures import is_unit_note, measure_of

TEXT = """Segment results (in millions)
 | Three Months Ended | Year
 | July 1, 2023 | June 25, 2022 | 2022
North America
Net sales | $ 82,546 | 74,430 | 315,880
Operating income (loss) | 3,211 | (627) | (2,847)
International
Net sales | 29,697 | 27,065 | 118,007
"""


def _table(text: str, indents: tuple[int, ...] = ()) -> TableView:
    """Return the lines of a text as rows; a header cell spans all columns up to the next one of the row below."""
    cells, at, rows = [], text.index("\n") + 1, text.split("\n")[1:-1]
    for number, line in enumerate(rows):
        column = 0
        for piece in re.finditer(r"[^|]*", line):
            if words := piece.group().strip():
                start = at + piece.start() + piece.group().index(words)
                wide = words == "Three Months Ended"
                cells.append(
                    TableCell(row=number, column=column, start=start, end=start + len(words), columns=1 + wide)
                )
                column += wide
            column += line[piece.end() : piece.end() + 1] == "|"
        at += len(line) + 1
    caption, unit = TextSpan(start=0, end=15), TextSpan(start=16, end=29)
    table = Table(
        start=0, end=len(text), header_rows=2, cells=tuple(cells), caption=caption, unit=unit, indents=indents
    )
    return TableView(table, text)


def test_a_cell_is_named_by_its_labels_headers_caption_and_unit() -> None:
    view = _table(TEXT)
    cell = next(cell for cell in view.values() if view.words(cell) == "3,211")
    quoted = view.quoted(cell)
    assert quoted.row == ("North America", "Operating income (loss)")
    assert quoted.column == ("Three Months Ended", "July 1, 2023")
    assert (quoted.caption, quoted.unit, quoted.measure) == ("Segment results", "(in millions)", "million")
    line = "North America > Operating income (loss) | Three Months Ended July 1, 2023 | 3,211 million"
    assert quoted.line == line
    assert TEXT[slice(*view.row_span(cell))] == "Operating income (loss) | 3,211 | (627) | (2,847)"


def test_a_row_without_values_heads_the_rows_below_it_up_to_the_next() -> None:
    view = _table(TEXT)
    assert view.row_labels(6) == ("International", "Net sales")


def test_indentation_tells_which_rows_a_heading_covers() -> None:
    text = "Balance\n | 2023\nAssets\nCurrent\nCash | 1\nOther | 2\nLand | 5\n"
    view = _table(text, indents=(0, 0, 1, 2, 2, 1))
    view = TableView(view.table.changed(header_rows=1), text)
    assert view.row_labels(3) == ("Assets", "Current", "Cash")
    assert view.row_labels(5) == ("Assets", "Land")


@pytest.mark.parametrize(
    ("value", "row", "unit", "measure"),
    [
        ("9,879", "Net income", "(in millions, except per share data)", "million"),
        ("$ 0.94", "Diluted earnings per share", "(in millions, except per share data)", ""),
        (
            "10,250",
            "Shares used",
            "(In millions, except number of shares, which are reflected in thousands)",
            "thousand",
        ),
        ("16.3 %", "Effective tax rate", "(dollars in millions)", ""),
        ("12", "RSUs vested (in thousands)", "", "thousand"),
        ("3.61", "Viewers", "", ""),
        ("17", "Umsatz", "(in Mio. EUR)", "mio"),
        ("12,000", "Travel", "Sum: 486,000 euros", ""),
    ],
)
def test_the_nearest_note_says_what_a_figure_is_in(value: str, row: str, unit: str, measure: str) -> None:
    assert measure_of(value, (row,), (), unit) == measure


def test_a_note_on_units_is_told_from_other_words() -> None:
    assert is_unit_note("(in millions, except per share data)")
    assert is_unit_note("USD thousands")
    assert is_unit_note("($ 000)")
    assert not is_unit_note("Sum: 486,000 euros")
    assert not is_unit_note("in million-dollar homes people said no" * 20)
    assert not is_unit_note("Consolidated Statements of Operations")
