"""A document is shown with its structure, completely or around a mark, and exactly the span is marked."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from investigator.records import Document, Heading
from investigator.records.tables import Table, TableCell
from investigator.server.document_view import WINDOW, DocumentView, document_view

TEXT = "Harbours\nThe harbour is old.\nIt is deep.\n\nDepths\nYear  Depth\n2019  11 m\n2020  12 m\n\nThe end."


def document(text: str = TEXT, **more: object) -> Document:
    return Document(id="a.txt", title="A", media_type="text/plain", content_hash="0", text=text).changed(**more)


def marked(view: DocumentView) -> str:
    cells = [cell.text for block in view.blocks for row in block.rows for cell in row]
    return "".join(re.findall("<mark>(.*?)</mark>", "".join([*(b.text for b in view.blocks), *cells]), re.DOTALL))


def words(view: DocumentView) -> list[str]:
    return [block.text for block in view.blocks if not block.rows]


def drawn_cells(view: DocumentView) -> list[list[list[str]]]:
    return [[[cell.text.striptags() for cell in row] for row in block.rows] for block in view.blocks if block.rows]


def cells_at(places: Iterable[tuple[int, int, int, int]]) -> tuple[TableCell, ...]:
    """Return cells, each from its row, its column, its start and its length."""
    return tuple(TableCell(row=row, column=column, start=at, end=at + size) for row, column, at, size in places)


def test_headings_and_paragraphs_stand_apart_with_their_lines() -> None:
    view = document_view(document(headings=(Heading(text="Harbours", start=0), Heading(text="Depths", start=42))))
    lines = [(1, True), (2, False), (5, True), (6, False), (10, False)]
    assert [(block.line, block.is_heading) for block in view.blocks] == lines
    assert words(view)[:2] == ["Harbours", "The harbour is old.\nIt is deep."]


@pytest.mark.parametrize("quote", ["The harbour is old.", "old.\nIt is", "The end.", TEXT[:40]])
def test_what_is_marked_is_the_span_but_for_the_lines_between_paragraphs(quote: str) -> None:
    start = TEXT.index(quote)
    view = document_view(document(), (start, start + len(quote)))
    assert marked(view).split() == quote.split()


def test_a_table_is_a_table_and_its_cells_are_marked() -> None:
    at = TEXT.index("Year")
    words_at = [(0, 0, "Year"), (0, 1, "Depth"), (1, 0, "2019"), (1, 1, "11 m"), (2, 1, "12 m")]
    cells = cells_at((row, column, TEXT.index(text, at), len(text)) for row, column, text in words_at)
    table = Table(start=at, end=TEXT.index("\n\nThe end"), cells=cells, label_columns=1)
    start = TEXT.index("11 m")
    view = document_view(document(tables=(table,)), (start, start + 4))
    (drawn,) = (block for block in view.blocks if block.rows)
    assert (drawn_cells(view), drawn.line) == ([[["Year", "Depth"], ["2019", "11 m"], ["", "12 m"]]], 6)
    assert [cell.is_header for cell in drawn.rows[1]] == [True, False]
    assert marked(view) == "11 m"
    assert "2019" not in " ".join(words(view))


def test_of_two_tables_side_by_side_both_are_shown() -> None:
    text = "Pen  2    Ink  4\nCap  3"
    left = cells_at(((0, 0, 0, 3), (0, 1, 5, 1), (1, 0, 17, 3), (1, 1, 22, 1)))
    right = cells_at(((0, 0, 10, 3), (0, 1, 15, 1)))
    tables = (Table(start=0, end=len(text), cells=left), Table(start=10, end=16, cells=right))
    view = document_view(document(text, tables=tables), (15, 16))
    assert drawn_cells(view) == [[["Pen", "2"], ["Cap", "3"]], [["Ink", "4"]]]
    assert [block.line for block in view.blocks] == [1, 1]
    assert marked(view) == "4"


@pytest.mark.parametrize("between", ["\n", " "])
def test_of_a_long_document_the_part_around_the_mark_is_shown_and_the_rest_is_a_step_away(between: str) -> None:
    long = document(between.join(f"Line {number} of many." for number in range(20_000)))
    quote = "Line 9000 of many."
    start = long.text.index(quote)
    view = document_view(long, (start, start + len(quote)))
    assert marked(view) == quote
    assert (view.blocks[0].line > 1) is (between == "\n")
    assert sum(len(block.text) for block in view.blocks) < 1.1 * WINDOW
    assert view.earlier is not None
    assert view.later is not None
    seen, at = 0, 0
    while (part := document_view(long, at=at)).later is not None:
        seen, at = seen + 1, part.later
    assert part.blocks[-1].text.endswith("Line 19999 of many.")
    assert seen < 30


@pytest.mark.parametrize("mark", [(-1, 5), (5, 5), (9, 3), (0, 10**9)])
def test_a_span_that_is_none_marks_nothing(mark: tuple[int, int]) -> None:
    assert marked(document_view(document(), mark)) == ""
    assert document_view(document(""), mark).blocks == ()


def test_columns_of_figures_are_known_with_their_headers_and_dates_are_not_wrapped() -> None:
    text = "Item\tPrice\tSince\nTea\t-1,200.50\t12 March 2022\nA long 2nd name of an item\t£90\t2024-01-31"
    rows = [line.split("\t") for line in text.split("\n")]
    cells = cells_at(
        (row, column, text.index(words), len(words))
        for row, line in enumerate(rows)
        for column, words in enumerate(line)
    )
    view = document_view(document(text, tables=(Table(start=0, end=len(text), header_rows=1, cells=cells),)))
    (shown,) = [block.rows for block in view.blocks if block.rows]
    assert [[cell.is_figure for cell in row] for row in shown] == [[False, True, False]] * 3
    assert [[cell.is_short for cell in row] for row in shown[1:]] == [[False, True, True]] * 2
