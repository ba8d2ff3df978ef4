"""The tables of one document, and the parts of the document that help to name their cells. Pure."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from functools import cached_property, lru_cache

from investigator.language.abbreviations import abbreviations
from investigator.language.prefixes import bare
from investigator.language.terms import words
from investigator.questions.periods import Period, agree, periods
from investigator.questions.related import root, roots
from investigator.records import Document, TableCell
from investigator.tables.asked import CHANGE, with_whom
from investigator.tables.cells import TableView, views
from investigator.tables.naming import Named, explained, named
from investigator.tables.times import TableTime, agrees, header_time

_ABOUT, _SHARE_ABOUT = 3_000, 5  # the first fifth of a document, up to 3,000 characters, describes it


class DocumentTables:
    """The tables of one document, and the words that name their cells."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.views = tuple(views(document))
        self._named: dict[str, Named] = {}

    def named(self, text: str) -> Named:
        """Return the name in a label, header or caption; abbreviations that the document explains are written out."""
        if text not in self._named:
            self._named[text] = explained(named(text), self._abbreviations)
        return self._named[text]

    @cached_property
    def _abbreviations(self) -> dict[str, frozenset[str]]:
        found = ((words(short), long) for short, long in abbreviations(self.document.text))
        return {root(own[0]): roots(long) for own, long in found if len(own) == 1}

    @cached_property
    def about(self) -> frozenset[str]:
        """Return the roots of the words that the document uses to describe itself."""
        document, imprint = self.document, self.document.imprint
        own = " ".join((imprint.kind, *document.authors))
        most = min(_ABOUT, len(document.text) // _SHARE_ABOUT)
        every = f"{self.own_name} {own} {self.beside_tables(most)}"
        return with_whom(roots(every) | roots(" ".join(map(bare, words(every)))))

    @property
    def own_name(self) -> str:
        """Return the title and the name of the document, and its issuer."""
        return " ".join((self.document.names, *self.document.imprint.symbols))

    def beside_tables(self, most: int) -> str:
        """Return the beginning of the document without tables, because a row does not describe the other rows."""
        kept, at = list[str](), 0
        for table in sorted(self.document.tables, key=lambda one: one.start):
            if table.start >= most:
                break
            kept.append(self.document.text[at : max(at, table.start)])
            at = max(at, table.end)
        return " ".join((*kept, self.document.text[at:most]))

    @cached_property
    def own_quarter(self) -> tuple[Period, TableTime] | None:
        """Return the quarter that the document covers, numbered as in the document, and the end of that quarter.

        Firms number fiscal quarters differently; the document's name for its own quarter shows how to read the others.
        """
        imprint = self.document.imprint
        end = header_time(imprint.period_end or "")
        if not imprint.fiscal_year or not imprint.fiscal_quarter or end is None or not end.month:
            return None
        return Period(imprint.fiscal_year, imprint.fiscal_quarter), end

    def heading_over(self, view: TableView) -> str:
        """Return the heading above a table."""
        headings = self.document.headings
        at = bisect_right(headings, view.table.start, key=lambda heading: heading.start) - 1
        return headings[at].text if at >= 0 else ""

    def is_of(self, wanted: TableTime) -> bool:
        """Return True if the document describes itself as covering the given time."""
        covered = header_time(self.document.imprint.period_end or "")
        if covered is not None and agrees(wanted, replace(covered, may_end_then=True)):
            return True
        return agree(periods(wanted.words), periods(f"{self.document.title} {self.beside_tables(_ABOUT // 4)}"))

    def time_of(self, view: TableView, cell: TableCell) -> TableTime | None:
        """Return the time of a cell: from its headers, else from its row, else from the caption.

        Rows and captions may name the end of a longer period. A column "Change" belongs to the first period next to it.
        """
        headers = view.column_headers(cell)
        over = _time(" ".join(headers))
        if over is None and headers and CHANGE.match(headers[-1]):
            names = (view.column_headers(one) for one in view.rows[cell.row])
            over = next((time for own in names if own[:-2] == headers[:-1] and (time := _time(" ".join(own)))), None)
        beside = over or _time(" ".join(view.row_labels(cell.row))) or _time(view.caption)
        return over or (replace(beside, may_end_then=True) if beside else None)


class _Same:
    """A document as a cache key, compared by identity: two records of the same text are different keys."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def __hash__(self) -> int:
        return id(self.document)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.document is self.document


def tables_of(document: Document) -> DocumentTables:
    """Return the tables of a document; the most recent documents are cached, because a run needs their tables many
    times, and the next run often needs them again.
    """
    return _cached_tables(_Same(document))


@lru_cache(maxsize=32)
def _cached_tables(same: _Same) -> DocumentTables:
    return DocumentTables(same.document)


@lru_cache(maxsize=4_096)
def _time(text: str) -> TableTime | None:
    found = header_time(text)
    return found if found is not None and found.year else None
