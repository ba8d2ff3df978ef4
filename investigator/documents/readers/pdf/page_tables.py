"""Detects the tables of a PDF page by page, joins them across pages, and finds their captions in the text above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from investigator.documents.readers.pdf.page_texts import letters_in_order
from investigator.documents.readers.pdf.page_words import PageWord, page_columns, visual_rows
from investigator.documents.readers.pdf.table_layout import LaidCell, LaidTable, laid_tables
from investigator.documents.readers.table_captions import caption_above
from investigator.documents.readers.table_recorder import MOST_CELLS, MOST_TABLES
from investigator.documents.readers.table_shape import is_value
from investigator.language.terms import folded
from investigator.records import PageSpan, Table, TableCell

_SAME_EDGE = 4.0  # maximum distance between matching column edges, in points
_SIDE_BY_SIDE = 6  # maximum number of characters between adjacent words
_FEWEST_ROWS, _OFF_EDGE = 2, 1.0  # rows of each part of a table; distance of its title from the edge, in letter heights
_FEWEST_ALIKE = 0.7  # minimum fraction of columns that continue on the next page


def tables_of_page(words: Sequence[PageWord]) -> list[LaidTable]:
    """Return the tables of one page, column by column; of two tables side by side, the left one comes first."""
    detected = (table for column in page_columns(words) for table in laid_tables(visual_rows(column)))
    return [table for both in detected for table in _told_apart(both)]


def _told_apart(table: LaidTable) -> Iterator[LaidTable]:
    """Yield the tables that make up a detected table, from left to right; there may be only one.

    The columns of a single table may alternate as well (country, population, capital, area). A table is therefore split
    only if the headers are the same on both sides, the left side has ended, or each side has its own title.
    """
    for column in range(2, len(table.edges)):
        if _names_rows(table, column) and _is_another(table, column):
            yield _part(table, 0, column)
            yield from _told_apart(_part(table, column, len(table.edges) + 1))
            return
    yield table


def _names_rows(table: LaidTable, column: int) -> bool:
    """Return True if a column consists of words, with figures on its left and right."""
    own = [_text(cell) for cell in _body(table) if cell.column == column]
    sides = ([_text(cell) for cell in _body(table) if cell.column == near] for near in (column - 1, column + 1))
    are_figures = all(sum(map(is_value, side)) >= _FEWEST_ROWS for side in sides)
    return len(own) >= _FEWEST_ROWS and not any(map(is_value, own)) and are_figures


def _is_another(table: LaidTable, column: int) -> bool:
    headers = [cell for cell in table.cells if cell.row == table.header_rows - 1]
    left = {folded(_text(cell)) for cell in headers if cell.column < column}
    if any(folded(_text(cell)) in left for cell in headers if cell.column >= column):
        return True
    rows = {cell.row: [peer.column for peer in _body(table) if peer.row == cell.row] for cell in _body(table)}
    return any(min(columns) == column and len(columns) > 1 for columns in rows.values()) or _has_titles(table, column)


def _has_titles(table: LaidTable, column: int) -> bool:
    """Return True if a row above has two cells, each aligned with the row labels of its side."""
    labels = [[cell.words[0].left for cell in _body(table) if cell.column == at] for at in (0, column)]
    for row in range(table.header_rows):
        titles = [cell for cell in table.cells if cell.row == row]
        if len(titles) == 2 and all(labels):
            begin = sorted(cell.words[0].left for cell in titles)
            slack = _OFF_EDGE * titles[0].words[0].height
            return all(abs(left - min(side)) <= slack for left, side in zip(begin, labels, strict=True))
    return False


def _part(table: LaidTable, first: int, end: int) -> LaidTable:
    """Return the table made of the columns from `first` up to `end`; a cell belongs to the side on which it begins."""
    cells = [
        cell._replace(column=cell.column - first, columns=min(cell.columns, end - cell.column))
        for cell in table.cells
        if first <= cell.column < end
    ]
    return replace(table, cells=cells, edges=table.edges[first : end - 1])


def _body(table: LaidTable) -> Sequence[LaidCell]:
    return [cell for cell in table.cells if cell.row >= table.header_rows]


def _text(cell: LaidCell) -> str:
    return " ".join(word.text for word in cell.words)


def moved(raw: str, tables: Sequence[LaidTable], text: str) -> list[LaidTable]:
    """Move tables from their positions in pdfium's text of a page to those in its final text. Return no tables if the
    two texts differ in more than whitespace and the hyphens of split words.
    """
    places = letters_in_order(raw, text) if tables else None
    if places is None:
        return []
    ends = [0] * len(raw)  # after each letter of `raw`, in `text`; 0 if it is not there
    for end, place in enumerate(places, start=1):
        if place is not None:
            ends[place] = end
    ends = list(accumulate(ends, max))

    def placed(word: PageWord) -> PageWord:
        return word._replace(start=max(ends[word.start] - 1, 0), end=ends[word.end - 1])

    return [
        replace(table, cells=[cell._replace(words=tuple(map(placed, cell.words))) for cell in table.cells])
        for table in tables
    ]


def recorded_tables(pages: Sequence[Sequence[LaidTable]], spans: Sequence[PageSpan], text: str) -> tuple[Table, ...]:
    """Return the tables of all pages; `pages` contains a list of tables for each page that has a span."""
    left = MOST_CELLS
    tables: list[Table] = []
    for joined in _joined(pages, spans):
        if len(tables) >= MOST_TABLES or left <= 0:
            break
        table = _recorded(joined, text, left, [other.end for other in tables])
        left -= len(table.cells)
        tables.append(table)
    return tuple(sorted(tables, key=lambda table: table.start))


def _joined(
    pages: Sequence[Sequence[LaidTable]], spans: Sequence[PageSpan]
) -> Iterator[list[tuple[LaidTable, PageSpan]]]:
    """Yield each table, merged with its continuations on the following pages."""
    open_table: list[tuple[LaidTable, PageSpan]] = []
    for tables, span in zip(pages, spans, strict=True):
        for number, table in enumerate(tables):
            if open_table and number == 0 and _continues(open_table[-1], (table, span)):
                open_table.append((table, span))
                continue
            if open_table:
                yield open_table
            open_table = [(table, span)]
    if open_table:
        yield open_table


def _continues(before: tuple[LaidTable, PageSpan], after: tuple[LaidTable, PageSpan]) -> bool:
    """Return True if a table at the top of a page continues the table at the end of the previous page."""
    (first, first_span), (second, second_span) = before, after
    if second_span.page != first_span.page + 1 or not (first.ends_page and second.begins_page):
        return False
    if len(first.edges) != len(second.edges):
        return False
    columns = zip(first.edges, second.edges, strict=True)  # figures have the same right edge, words the same left edge
    same = sum(any(abs(mine - theirs) <= _SAME_EDGE for mine, theirs in zip(*pair, strict=True)) for pair in columns)
    if same < _FEWEST_ALIKE * len(first.edges):
        return False
    repeated = _header(second)
    return not repeated or _header(first)[-len(repeated) :] == repeated


def _header(table: LaidTable) -> list[str]:
    return [_text(cell) for cell in table.cells if cell.row < table.header_rows]


def _recorded(parts: Sequence[tuple[LaidTable, PageSpan]], text: str, most: int, ends: Sequence[int]) -> Table:
    """Return a table with its caption, which begins after the `ends` of the tables above it."""
    first, first_span = parts[0]
    cells: list[TableCell] = []
    rows = 0
    for number, (part, span) in enumerate(parts):
        skipped = part.header_rows if number else 0
        for cell in part.cells:
            begin, end = _run(cell.words)
            row, spans = cell.row + rows - skipped, {"rows": cell.rows, "columns": cell.columns}
            if cell.row >= skipped:
                place = {"start": span.start + begin, "end": span.start + end}
                cells.append(TableCell(row=row, column=cell.column, **place, **spans))
        rows += part.rows - skipped
    start = min(cell.start for cell in cells)
    floor = max((end for end in ends if end <= start), default=0)
    kept = cells[:most]
    return Table(
        start=start,
        end=max(cell.end for cell in kept),
        page=first_span.page,
        caption=caption_above(text, start, max(first_span.start, floor)),
        header_rows=first.header_rows,
        label_columns=1,
        cells=tuple(kept),
        complete=len(kept) == len(cells),
    )


def _run(words: Sequence[PageWord]) -> tuple[int, int]:
    """Return the longest span of words that are adjacent in the text; a superscript may be elsewhere in the text."""
    runs: list[list[PageWord]] = []
    for word in sorted(words, key=lambda word: word.start):
        if runs and word.start - runs[-1][-1].end <= _SIDE_BY_SIDE:
            runs[-1].append(word)
        else:
            runs.append([word])
    best = max(runs, key=lambda run: run[-1].end - run[0].start)
    return best[0].start, best[-1].end
