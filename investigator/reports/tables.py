"""Shows an answer's table as lines of text: a row for each document, side or period, with its quotes and their
places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from investigator.language.addresses import defanged
from investigator.records import AnswerTable, Quote, RowVerdict, TableRow
from investigator.reports.inert import inert_line

_OF_DOCUMENTS: Mapping[RowVerdict, str] = {
    RowVerdict.YES: "yes",
    RowVerdict.UNCLEAR: "unclear",
    RowVerdict.MISSING: "nothing found",
    RowVerdict.NO: "no",
}
_OF_SIDES: Mapping[RowVerdict, str] = {
    **_OF_DOCUMENTS,
    RowVerdict.YES: "established",
    RowVerdict.UNCLEAR: "not established",
}
_IN_THIS_ORDER = (RowVerdict.YES, RowVerdict.UNCLEAR, RowVerdict.MISSING)
_MOST_NAMED = 20
_LONGEST_CELL = 400  # maximum number of characters


def verdict_words(table: AnswerTable) -> Mapping[RowVerdict, str]:
    """Return the words for the verdict on a document, a side or a period."""
    return _OF_DOCUMENTS if table.is_of_documents else _OF_SIDES


def table_rows(table: AnswerTable) -> tuple[TableRow, ...]:
    """Return the rows that are shown one by one, positive documents first."""
    if table.is_of_documents:
        return tuple(row for verdict in _IN_THIS_ORDER for row in table.with_verdict(verdict))
    return tuple(row for row in table.rows if row.verdict is not RowVerdict.NO)


def table_lines(table: AnswerTable) -> Iterator[str]:
    """Yield the lines of a table; they are safe to display, no matter what the documents contain."""
    for row in table_rows(table):
        yield f"{inert_line(row.label)}: {verdict_words(table)[row.verdict]}{_missing(row)}"
        if row.value and row.value not in {row.label, _one_line(row.quotes[:1]), *map(quote_words, row.quotes[:1])}:
            yield f"    {inert_line(defanged(row.value), _LONGEST_CELL)}"
        for quote in row.quotes:
            yield f'    {inert_line(quote.place)}  "{inert_line(quote_words(quote), _LONGEST_CELL)}"'
    if others := no_line(table):
        yield others


def quote_words(quote: Quote) -> str:
    """Return the text of a quote; for a cell, include labels and headers."""
    return quote.cell.line if quote.cell is not None else quote.text


def no_line(table: AnswerTable) -> str:
    """Return one line with the documents whose verdict is "no"; "" if there are none."""
    left = [inert_line(row.label) for row in table.with_verdict(RowVerdict.NO)]
    if not left:
        return ""
    more = [f"and {len(left) - _MOST_NAMED:,} more"] if len(left) > _MOST_NAMED else []
    return f"no: {', '.join([*left[:_MOST_NAMED], *more])}"


def _missing(row: TableRow) -> str:
    return f" (not in these quotes: {inert_line(', '.join(row.missing))})" if row.missing else ""


def _one_line(quotes: Sequence[Quote]) -> str:
    return " ".join(" ".join(quote.text.split()) for quote in quotes)
