"""Detects tables of a PDF page from word positions: columns by alignment, headers above, labels on the left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, pairwise
from math import inf
from typing import NamedTuple

from investigator.documents.readers.pdf.page_words import PageWord, RowPiece, VisualRow
from investigator.documents.readers.table_captions import is_unit_note

_NEAR = 2.6  # maximum distance between rows of one table, in line heights
_MOST_BETWEEN = 4  # maximum number of rows without figures between two rows with figures
_MOST_HEADERS = 14
_MOST_HEADINGS = 3  # maximum number of heading rows directly above the first row of figures
_OFF_CENTRE = 0.25  # maximum offset of a header from the centre of its columns, relative to the column distance
_TIGHT = 1.05  # maximum distance between lines of one cell, in line heights, if rows are further apart
_COVERED = 0.12  # fraction of rows that may extend into the gap between two columns
_LARGER = 1.2  # minimum letter height of a title, relative to the first row of figures
# minimum number of words in a sentence; a shorter text with a full stop names a column ("approx.", "No.")
_FEWEST_WORDS = 4
_LONG = 75  # maximum number of characters in a cell; a longer piece is running text


class LaidCell(NamedTuple):
    """A cell of a table on a page: its position in the grid, and its words."""

    row: int
    column: int
    words: tuple[PageWord, ...]
    rows: int = 1
    columns: int = 1


@dataclass
class LaidTable:
    """A table on a page; `rows` is the number of its rows, and `edges` are the left and right edges of the columns of
    figures, in points.
    """

    cells: list[LaidCell]
    header_rows: int
    rows: int
    edges: list[tuple[float, float]]
    begins_page: bool = False
    ends_page: bool = False


def laid_tables(rows: Sequence[VisualRow]) -> Iterator[LaidTable]:
    """Yield the tables formed by the rows of a page, or of one column of a page."""
    at = 0
    for first, last in _regions(rows):
        if first < at:
            continue
        body = rows[first : last + 1]
        edges = _column_edges(body)
        if not edges:
            continue
        headers = _headers_above(rows, first, at, edges)
        table = _laid(headers, body, edges)
        if table is not None:
            table.begins_page = first - len(headers) <= 2
            table.ends_page = last >= len(rows) - 3
            yield table
            at = last + 1


def _is_data(row: VisualRow) -> bool:
    """Return True if a row consists of figures, with or without a label."""
    if len(row.pieces) < 2 or (len(row.pieces[0].text) < 4 and not row.pieces[-1].is_value):
        return False
    values = sum(piece.is_value for piece in row.pieces[1:])
    if not values or values + row.pieces[0].is_value < len(row.pieces) / 2 - 0.5:
        return False
    return not all(piece.is_time for piece in row.pieces if piece.is_value)


def _regions(rows: Sequence[VisualRow]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the first and the last row of figures in each group of rows that may be a table."""
    begun: int | None = None
    last = 0
    for number, row in enumerate(rows):
        if not _is_data(row):
            continue
        if begun is None or not _may_be_one_table(rows, last, number):
            if begun is not None and last > begun:
                yield begun, last
            begun = number
        last = number
    if begun is not None and last > begun:
        yield begun, last


def _may_be_one_table(rows: Sequence[VisualRow], last: int, number: int) -> bool:
    """Return True if two rows of figures and the rows between them may belong to one table."""
    between = rows[last + 1 : number]
    if len(between) > _MOST_BETWEEN:
        return False
    begin = min(piece.left for row in (rows[last], rows[number]) for piece in row.pieces if piece.is_value)
    if any(len(piece.text) > _LONG and piece.right > begin for row in between for piece in row.pieces):
        return False
    if any(_is_note(row) and row.pieces[0].right > begin for row in between):
        return False
    if any(all(piece.is_time and piece.right > begin for piece in row.pieces) for row in between):
        return False  # a new row of column names begins another table
    chain = rows[last : number + 1]
    return all(
        above.bottom - below.bottom <= _NEAR * 1.6 * max(above.height, below.height) for above, below in pairwise(chain)
    )


def _column_edges(body: Sequence[VisualRow]) -> list[tuple[float, float]]:
    """Return the columns of figures from left to right, as spans in points.

    A column is a range that is covered by pieces of rows, except the first piece of a labelled row. A range that only a
    few rows cover is a gap.
    """
    data = [row for row in body if _is_data(row)]
    spans = []
    for row in data:
        labelled = not row.pieces[0].is_value
        spans += [(piece.left, piece.right) for piece in row.pieces[labelled:]]
    if not spans:
        return []
    marks = sorted({edge for span in spans for edge in span})
    least = _COVERED * len(data)
    columns: list[tuple[float, float]] = []
    open_at: float | None = None
    for low, high in pairwise(marks):
        covered = sum(left < high and right > low for left, right in spans)
        if covered > least:
            open_at = low if open_at is None else open_at
        elif open_at is not None:
            columns.append((open_at, low))
            open_at = None
    if open_at is not None:
        columns.append((open_at, marks[-1]))
    return columns


def _headers_above(
    rows: Sequence[VisualRow], first: int, floor: int, edges: Sequence[tuple[float, float]]
) -> list[VisualRow]:
    """Return the rows that name columns, which are above the first row of figures. At most one piece of such a row may
    be left of the figures.
    """
    begin = edges[0][0]
    headers: list[VisualRow] = []
    below = rows[first]
    for number in range(first - 1, floor - 1, -1):
        row = rows[number]
        if row.bottom - below.bottom > _NEAR * 1.5 * max(row.height, below.height) or len(headers) >= _MOST_HEADERS:
            break
        if len(row.pieces) == 1 and row.height > _LARGER * rows[first].height:
            break  # a title of the page or of a section
        over = [piece for piece in row.pieces if _is_over(piece, edges)]
        labels = [piece for piece in row.pieces if not _is_over(piece, edges)]
        are_headings = all(piece.right <= begin - 1 for header in headers for piece in header.pieces)
        if (
            not over
            and len(labels) == 1
            and are_headings
            and len(headers) < _MOST_HEADINGS
            and len(labels[0].text) <= _LONG
        ):
            headers.insert(0, row)  # a heading for the first rows, such as "Net sales:"
        elif (
            not over
            or len(labels) > 1
            or _is_note(row)
            or any(not _names_columns(piece, edges, len(over)) for piece in over)
        ):
            break
        else:
            headers.insert(0, row)
        below = row
    return headers


def _is_over(piece: RowPiece, edges: Sequence[tuple[float, float]]) -> bool:
    """Return True if a header piece extends over the figures, or is nearly centred over the first column of figures."""
    begin, end = edges[0]
    return piece.right > begin - 1 or abs((begin + end) / 2 - piece.centre) <= _reach(edges)


def _reach(edges: Sequence[tuple[float, float]]) -> float:
    return 0.42 * (edges[-1][1] - edges[0][0]) / len(edges) + 6


def _is_note(row: VisualRow) -> bool:
    """Return True if a row consists of a sentence, or of a unit note in brackets."""
    if len(row.pieces) > 1:
        return False
    text, words = row.pieces[0].text, row.pieces[0].words
    return (text.endswith(".") and len(words) >= _FEWEST_WORDS) or (text.startswith("(") and is_unit_note(text))


def _names_columns(piece: RowPiece, edges: Sequence[tuple[float, float]], beside: int) -> bool:
    """Return True if a piece is centred over one column of figures, or over several neighbouring columns. If the row
    has several headers (`beside`), the piece need only cover exactly one column.
    """
    if len(piece.text) > _LONG:
        return False
    if beside > 1 and sum(piece.left < right and piece.right > left for left, right in edges) == 1:
        return True
    reach = _reach(edges)
    groups = ((edges[first][0], edges[last][1]) for first in range(len(edges)) for last in range(first, len(edges)))
    return any(
        abs((left + right) / 2 - piece.centre) <= reach or abs(right - piece.right) < 3 for left, right in groups
    )


def _laid(headers: list[VisualRow], body: Sequence[VisualRow], edges: list[tuple[float, float]]) -> LaidTable | None:
    """Return the table with its cells in position; None if it has no figures in columns."""
    while headers and all(piece.right <= edges[0][0] for piece in headers[-1].pieces):
        body = [headers.pop(), *body]  # a heading for the first rows does not name a column
    cells: list[LaidCell] = []
    places = list(edges)
    for number in range(len(headers) - 1, -1, -1):
        named = list(_header_cells(number, headers[number], edges, places))
        for cell in named:
            if cell.column and cell.columns == 1:  # the header above is centred over this header, not over the figures
                places[cell.column - 1] = cell.words[0].left, cell.words[-1].right
        cells = named + cells
    number = len(headers)
    for row in _cells_joined(body, edges[0][0]):
        placed = _body_cells(row, edges)
        label = placed.get(0)
        if label and _continues(label, cells, number, placed):
            _join(cells, number - 1, label)
            if len(placed) == 1:
                continue
            moved = {column: words for column, words in placed.items() if column}
            cells += [LaidCell(number - 1, column, words) for column, words in moved.items()]
            continue
        cells += [LaidCell(number, column, words) for column, words in sorted(placed.items())]
        number += 1
    values = [cell for cell in cells if cell.row >= len(headers) and cell.column]
    if len(values) < 2 or len({cell.row for cell in values}) < 2:
        return None
    return LaidTable(cells, len(headers), number, list(edges))


def _cells_joined(body: Sequence[VisualRow], begin: float) -> Iterator[VisualRow]:
    """Yield the rows, with label lines above and below the centre of a row merged into it."""
    cluster: list[VisualRow] = []
    for row in body:
        if cluster and cluster[-1].top - row.top > _TIGHT * max(row.height, cluster[-1].height):
            yield from _one_row(cluster, begin)
            cluster = []
        cluster.append(row)
    yield from _one_row(cluster, begin)


def _one_row(cluster: Sequence[VisualRow], begin: float) -> Sequence[VisualRow]:
    """Merge lines that are close together into one row, if only one of them has figures."""
    with_figures = [row for row in cluster if row.pieces[-1].right > begin]
    if len(cluster) < 2 or len(with_figures) != 1:
        return cluster
    labels = [piece for row in cluster for piece in row.pieces if piece.right <= begin]
    words = tuple(word for piece in labels for word in piece.words)
    figures = tuple(piece for piece in with_figures[0].pieces if piece.right > begin)
    pieces = (RowPiece(words), *figures) if words else figures
    return [VisualRow(pieces, cluster[0].top, cluster[-1].bottom)]


def _continues(
    label: tuple[PageWord, ...], cells: Sequence[LaidCell], number: int, placed: dict[int, tuple[PageWord, ...]]
) -> bool:
    """Return True if a label continues the label of the row above: it begins in lower case.

    At most one of the two rows may have figures.
    """
    above = [cell for cell in cells if cell.row == number - 1]
    heading = next((cell.words[-1].text for cell in above if cell.column == 0), ":")
    words = next((cell.words for cell in above if cell.column == 0), ())
    open_bracket = sum(word.text.count("(") - word.text.count(")") for word in words) > 0
    if heading.endswith(":") or not (label[0].text.islower() or open_bracket):
        return False
    return len(placed) == 1 or all(cell.column == 0 for cell in above)


def _join(cells: list[LaidCell], row: int, label: tuple[PageWord, ...]) -> None:
    for place, cell in enumerate(cells):
        if cell.row == row and cell.column == 0:
            if label[0].start - cell.words[-1].end <= 2:
                cells[place] = LaidCell(row, 0, cell.words + label)
            else:
                cells.append(LaidCell(row, 0, label))
            return


def _body_cells(row: VisualRow, edges: Sequence[tuple[float, float]]) -> dict[int, tuple[PageWord, ...]]:
    """Return the words of a row, grouped by column; column 0 contains the labels."""
    cells: dict[int, list[PageWord]] = {}
    for place, piece in enumerate(row.pieces):
        own = _column_of(piece, edges)
        if place == 0 and not piece.is_value and piece.left < edges[0][0] - 1:
            own = 0
        cells.setdefault(own, []).extend(piece.words)
    return {column: tuple(words) for column, words in cells.items()}


def _column_of(piece: RowPiece, edges: Sequence[tuple[float, float]]) -> int:
    shared = [min(piece.right, right) - max(piece.left, left) for left, right in edges]
    best = max(range(len(edges)), key=shared.__getitem__)
    if shared[best] > 0:
        return best + 1
    return (
        0
        if piece.right <= edges[0][0]
        else min(range(len(edges)), key=lambda k: abs(piece.centre - sum(edges[k]) / 2)) + 1
    )


def _header_cells(
    number: int, row: VisualRow, edges: Sequence[tuple[float, float]], places: Sequence[tuple[float, float]]
) -> Iterator[LaidCell]:
    """Yield the cells of a header row: each piece spans the columns that it is centred over.

    `places` contains the columns given by the row below, that is, by its headers or figures.
    """
    pieces = [piece for piece in row.pieces if _is_over(piece, edges)]
    for piece in row.pieces:
        if piece not in pieces:
            yield LaidCell(number, 0, piece.words)
    for piece, (first, last) in zip(pieces, _spread(pieces, places), strict=True):
        yield LaidCell(number, first + 1, piece.words, columns=last - first + 1)


def _spread(pieces: Sequence[RowPiece], edges: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """Return the first and last column of each header, from left to right.

    Of all ways to assign each header one or more neighbouring columns, choose the one in which the column centres are
    nearest to the centres of their headers; a column without a header costs a third of the distance between
    columns.
    """
    count = len(edges)
    pitch = (edges[-1][1] - edges[0][0]) / count

    @cache
    def best(number: int, used: int) -> tuple[float, tuple[tuple[int, int], ...]]:
        """Return the cost and the columns of the headers from `number` on, if `used` columns are taken."""
        if number == len(pieces):
            return 0.33 * pitch * (count - used), ()
        ways: list[tuple[float, tuple[tuple[int, int], ...]]] = [(inf, ())]
        for first, last in combinations_with_replacement(range(used, count), 2):
            away = abs((edges[first][0] + edges[last][1]) / 2 - pieces[number].centre)
            reaches = pieces[number].left < edges[first][1] and pieces[number].right > edges[last][0]
            if last == first or away <= _OFF_CENTRE * pitch or reaches:
                cost, chosen = best(number + 1, last + 1)
                ways.append((away + 0.33 * pitch * (first - used) + cost, ((first, last), *chosen)))
        return min(ways)

    cost, chosen = best(0, 0)
    if cost < inf:
        return list(chosen)
    nearest = [min(range(count), key=lambda k: abs(sum(edges[k]) / 2 - piece.centre)) for piece in pieces]
    return [(column, column) for column in nearest]
