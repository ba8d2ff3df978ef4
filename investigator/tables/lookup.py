"""Finds the cell of a document's tables that a question asks for, and its unmet constraints. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import nsmallest
from itertools import combinations, pairwise

from investigator.language.late_patterns import late
from investigator.language.terms import folded, words
from investigator.questions.asked_amounts import plain_amounts
from investigator.questions.cues import patterns
from investigator.questions.kinds import kind_of
from investigator.questions.numbered import numbered
from investigator.questions.order import other_mark, pairs
from investigator.questions.related import root
from investigator.records import QuestionKind, TableCell
from investigator.tables.asked import AskedTerm, TableQuestion, asks_time, limits, table_question
from investigator.tables.asked_kinds import asked_label, is_of_asked_kind, says_money
from investigator.tables.binding import Binding
from investigator.tables.cell_values import OF_OTHER_KIND, gives_no_value, has_amount, is_aside, kind_fits, timeless
from investigator.tables.cells import TableView
from investigator.tables.document_tables import DocumentTables
from investigator.tables.naming import Named, named, naming_alone, says, share_not_said, spells, without
from investigator.tables.times import TableTime, agrees, header_time

_MOST_LOOKED_AT, _MOST_KEPT = 60_000, 60  # maximum number of cells per document
_LABEL, _PARENT, _HEADER, _CAPTION, _DOCUMENT = 1.0, 0.8, 0.9, 0.55, 0.3
_NOT_ASKED = 0.45  # penalty for a word in a label that is not in the question
_NOT_ASKED_ABOVE = 0.25  # penalty for such a word in a heading row above the label
_NOT_ASKED_OVER = 0.2  # penalty for such a word in a header
_OTHER_WORD = 0.15  # penalty for a synonym in place of the requested word
_TIME_KNOWN, _OPTIONAL = 0.5, 0.2
_LEAST_SHARE = 0.5  # minimum fraction of the question's words that a reported row must name
_IN_ORDER = 0.1
"""Bonus for two adjacent words in the order of the question: "net income" fits better than "other income, net"."""
_SAME = 0.05
_PAIR, _MOST_OPPOSED = 2, 12
_BARE_AMOUNT = late(
    r"[-−–]?(?:[A-Z]{3} ?)?[$€£¥₹]? ?\(?\d[\d.,' ]*\)?(?: ?(?:[$€£¥₹]|[A-Z]{3}|euros?|dollars?|pounds?))?"
)
_TEST = late(r"\W*(?:p(?:[- ]?values?)?|\d+ ?% ?ci|sig(?:nificance)?)\W*", re.IGNORECASE)
"""Matches the header of a column that says how certain the adjacent figures are."""


@dataclass(frozen=True)
class FoundCell:
    """A cell that nearly matches a question, with its unmet constraints. `missing` contains words that are neither in
    the cell's table nor in its document, and `misses` contains unmet conditions. `time_agrees` is None if the question
    or the table names no time. `is_sure` is False if other cells match equally well; `is_named_by_question` is True if
    the question contains all words of the cell's label.
    """

    view: TableView
    cell: TableCell
    score: float
    missing: tuple[AskedTerm, ...] = ()
    misses: tuple[str, ...] = ()
    time: TableTime | None = None
    time_agrees: bool | None = None
    is_sure: bool = True
    has_value: bool = True
    asks_time: bool = False
    is_named_by_question: bool = False

    @property
    def is_met(self) -> bool:
        """Return True if the cell meets every constraint."""
        agrees_with_time = bool(self.time_agrees) or not self.asks_time
        return not self.missing and not self.misses and agrees_with_time and self.is_sure and self.has_value

    def is_beside(self, other: FoundCell) -> bool:
        """Return True if another cell is in the same row."""
        return self.view.table == other.view.table and self.cell.row == other.cell.row

    def stands_with(self, other: FoundCell) -> bool:
        """Return True if another cell is in the same column, and its row differs only in the last label, such as "1
        kg".
        """
        (one, other_one), view = (self.view.row_labels(found.cell.row) for found in (self, other)), self.view
        is_column = view.table == other.view.table and self.cell.column == other.cell.column
        if is_column and self.cell.column < view.table.label_columns:  # several people may have the same role
            return set(one) - {view.words(self.cell)} == set(other_one) - {view.words(other.cell)}
        is_same = is_column and view.table.label_columns > 1 and one[:-1] == other_one[:-1] != ()
        return is_same and abs(self.score - other.score) < _SAME


def best_cells(
    question: str, tables: DocumentTables, time: TableTime | None = None, most: int = 3
) -> tuple[FoundCell, ...]:
    """Return the cells of a document nearest to a question, best first. `time` is the time to look for if the question
    names several. Cells in rows that name fewer than half of the question's words are omitted.
    """
    return _best(question, tables, time)[:most]


@lru_cache(maxsize=32)  # cached, because each step that judges a quoted cell looks it up again
def _best(question: str, tables: DocumentTables, time: TableTime | None) -> tuple[FoundCell, ...]:
    asked = table_question(question)
    wanted = time or (asked.times[0] if len(asked.times) == 1 else None)
    if not asked.terms:
        return ()
    found = nsmallest(_MOST_KEPT, _scored(asked, tables, wanted), key=lambda one: (-one.score, one.cell.start))
    if not found:
        return ()
    best = found[0]
    value = _figure(best)
    rivals = [one for one in found[1:] if best.score - one.score < _SAME and _figure(one) != value]
    if asked.amounts:  # every cell of a row with the amount is an answer
        rivals = [one for one in rivals if not one.is_beside(best)]
    rivals = [] if all(best.stands_with(one) for one in rivals) else rivals
    if rivals:
        found[0] = _without_doubt(best, rivals, asked)
    return tuple(found)


def best_pair(question: str, tables: DocumentTables) -> tuple[FoundCell, FoundCell] | None:
    """Return the two cells in one row that a question compares; None if no row contains both.

    Either the question names the header of each, or they are the only cells in the row; together they meet every
    constraint. The cells are in the order in which the question names them.
    """
    asked = table_question(question)
    if not asked.terms or len(asked.times) > 1:
        return None
    wanted = asked.times[0] if asked.times else None
    rows: dict[tuple[int, int], list[FoundCell]] = {}
    for one in _scored(asked, tables, wanted):
        if one.is_named_by_question and not one.misses and (wanted is None or one.time_agrees):
            rows.setdefault((one.view.table.start, one.cell.row), []).append(one)
    pairs = [pair for cells in rows.values() for pair in _opposed(asked, cells, tables)]
    return max(pairs, key=lambda pair: pair[0].score + pair[1].score, default=None)


def _opposed(
    asked: TableQuestion, cells: Sequence[FoundCell], tables: DocumentTables
) -> Iterator[tuple[FoundCell, FoundCell]]:
    """Yield the pairs of cells in one row that together meet every constraint."""
    for one, other in combinations(cells[:_MOST_OPPOSED], 2):
        if {term.text for term in one.missing} & {term.text for term in other.missing}:
            continue
        firsts = [_first_own_word(asked, *pair, tables) for pair in ((one, other), (other, one))]
        if None not in firsts:
            yield (one, other) if firsts <= firsts[::-1] else (other, one)
        elif len(cells) == _PAIR and not one.missing:
            yield one, other


def _first_own_word(asked: TableQuestion, one: FoundCell, other: FoundCell, tables: DocumentTables) -> int | None:
    """Return the position of the question's first word that occurs only in the headers of the first cell."""
    mine, theirs = (tables.named(" ".join(found.view.column_headers(found.cell))) for found in (one, other))
    own = [place for place, term in enumerate(asked.terms) if says(mine, term) and not says(theirs, term)]
    return own[0] if own else None


def _without_doubt(best: FoundCell, rivals: Sequence[FoundCell], asked: TableQuestion) -> FoundCell:
    """Choose among equally good matches: return the newest if they are in one row and the question names no time,
    otherwise `best`, marked as unsure.
    """
    together = sorted((best, *rivals), key=_newest_first)
    one_row = {(one.view.table.start, one.cell.row) for one in together}
    if not asked.times and len(one_row) == 1 and all(one.time is not None for one in together):
        newest, next_newest = together[:2]
        if _newest_first(newest) != _newest_first(next_newest):
            return newest
    return replace(best, is_sure=False)


def _newest_first(one: FoundCell) -> tuple[tuple[int, ...], int]:
    return (tuple(-part for part in one.time.order), one.time.months or 0) if one.time else ((), 0)


def figure_of(value: str) -> str:
    """Return the digits and decimal points in a value."""
    return re.sub(r"[^\d.]", "", value)


def _figure(found: FoundCell) -> str:
    value = found.view.words(found.cell)
    return figure_of(value) or value


def _scored(asked: TableQuestion, tables: DocumentTables, wanted: TableTime | None) -> Iterator[FoundCell]:
    translated = _by_own_quarters(wanted, tables)
    looked_at = 0
    for view in tables.views:
        over = f"{view.caption} {tables.heading_over(view)} {view.stub}"
        caption = without(named(over), naming_alone(view, asked))
        binding = Binding(asked.text, tables, view)
        for row, cells in view.rows.items():
            labels = view.row_labels(row) if row >= view.table.header_rows else ()
            if not labels or looked_at > _MOST_LOOKED_AT:
                continue
            if not binding.fits(row):
                continue
            is_of_time = translated is not None and any(_is_row_of(translated, label) for label in labels)
            own = tables.named(timeless(labels[-1]) if is_of_time else labels[-1])
            above = tables.named(" ".join(labels[:-1]))
            is_sum = bool(own.words) and not own.telling
            if not (is_sum or is_of_time) and not any(says(own, term) or says(above, term) for term in asked.terms):
                continue
            name = asked_label(asked, tables, view, row)
            for cell in cells:
                looked_at += 1
                is_label = cell.column < view.table.label_columns
                if cell is not name and (is_label or (name and not _is_headed(asked, tables, view, cell))):
                    continue
                one = _fit(asked, tables, view, cell, (own, above, caption), translated)
                if one is not None and is_of_asked_kind(asked, tables, view, cell):
                    yield one


def _is_headed(asked: TableQuestion, tables: DocumentTables, view: TableView, cell: TableCell) -> bool:
    """Return True if the question names the column of a cell."""
    header = tables.named(" ".join(view.column_headers(cell)))
    return any(says(header, term) for term in asked.terms)


def _fit(
    asked: TableQuestion,
    tables: DocumentTables,
    view: TableView,
    cell: TableCell,
    names: tuple[Named, Named, Named],
    wanted: TableTime | None,
) -> FoundCell | None:
    own, above, caption = names
    header_text = " ".join(view.column_headers(cell))
    header = tables.named(header_text)
    value = view.words(cell)
    if _TEST.fullmatch(header_text) and "p" not in words(asked.text):
        return None
    shown = f"{value} %" if view.is_share(cell) else value
    kind = kind_fits(asked, shown, header_text, " ".join(view.row_labels(cell.row)), f"{view.caption} {view.unit}")
    if kind is None or (not any(says(header, term) for term in asked.terms) and is_aside(asked, header_text, value)):
        return None
    score, missing, in_table = kind, list[AskedTerm](), 0
    for term in asked.terms:
        place = _place(term, own, above, header, caption)
        in_table += place > 0
        if not place:
            place = _DOCUMENT if term.root in tables.about else 0.0
            if not place:
                missing.append(term)
        score += place
    carried = _carried(asked, missing, value, (own, above, header, caption))
    missing = [term for term in missing if term not in carried]
    elsewhere = len(carried) + sum(term.root in tables.about for term in asked.terms)
    if not in_table or in_table < _LEAST_SHARE * (len(asked.terms) - elsewhere):
        return None
    time = tables.time_of(view, cell)
    agreed = agrees(wanted, time) if wanted is not None and time is not None else None
    agreed = True if wanted is not None and time is None and tables.is_of(wanted) else agreed
    score -= OF_OTHER_KIND * (not limits(view.row_labels(cell.row)[-1]) <= asked.said)
    score -= _not_asked(asked, own, above, tables.named(timeless(header_text)))
    score += _IN_ORDER * sum(pair in own.neighbours for pair in pairwise(term.root for term in asked.terms))
    score += _OPTIONAL * len(asked.optional & (own.every | above.every | header.every | caption.every))
    score += _TIME_KNOWN if agreed else (-2 * _TIME_KNOWN if agreed is False else 0.0)
    everything = " ".join((*view.row_labels(cell.row), header_text, view.caption))
    misses = (
        *(text for text in asked.conditions if not _holds_condition(text, everything, view, cell)),
        *(f"{one.first} {one.second}" for one in pairs(asked.text) if other_mark(one, everything)),
        *_only_planned(asked.text, " ".join((*view.row_labels(cell.row), header_text))),
        *_other_amounts(asked, view, cell),
    )
    return FoundCell(
        view,
        cell,
        score - 0.5 * len(misses),
        tuple(missing),
        misses,
        time,
        agreed,
        has_value=not gives_no_value(value) or kind_of(asked.text) is QuestionKind.YES_NO,
        asks_time=bool(asked.times),
        is_named_by_question=bool(own.telling or agreed) and not own.not_said(asked.said),
    )


def _not_asked(asked: TableQuestion, own: Named, above: Named, header: Named) -> float:
    """Return the penalty for words in a cell's names that are not in the question."""
    names = ((own, _NOT_ASKED), (above, _NOT_ASKED_ABOVE), (header, _NOT_ASKED_OVER))
    narrowed = _NOT_ASKED_ABOVE * bool((own.narrowing | above.narrowing) - asked.said)
    return narrowed + sum(cost * share_not_said(name, asked.said, asked) for name, cost in names)


def _other_amounts(asked: TableQuestion, view: TableView, cell: TableCell) -> Iterator[str]:
    """Yield the amounts in a question that neither a cell nor its names contain. If the question asks for things that
    have an amount, the cell's own value does not count, because the answer is a list or a count of rows.
    """
    for one in asked.amounts:
        quoted = view.quoted(cell)
        names = " ".join((*quoted.row, *quoted.column))
        is_named = any(amount.is_said_by(one.amount) for amount in plain_amounts(names))
        if not is_named and not (asks_time(asked.text) and has_amount(one, quoted)):
            yield one.text


def _only_planned(question: str, names: str) -> Iterator[str]:
    """Yield the question's word for spending if a cell only contains a planned amount."""
    cue = patterns("modality")
    spent = cue["asks_spent"].search(question)
    if spent and cue["figures_planned"].search(names.replace("_", " ")) and not cue["figures_planned"].search(question):
        yield spent.group()


def _carried(
    asked: TableQuestion, missing: Sequence[AskedTerm], value: str, names: tuple[Named, Named, Named, Named]
) -> tuple[AskedTerm, ...]:
    """Return the missing words that only ask for money, such as "cost" in "What was the cost of insurance?", which need
    not be in the row "Insurance". Return no words if a label shows that the cell is a different kind of amount, such as
    income.
    """
    words_of, apart = patterns("carried")["money"], patterns("set_apart")["money"]
    found = tuple(term for term in missing if words_of.fullmatch(term.text))
    if not found or not (_BARE_AMOUNT.fullmatch(value) or gives_no_value(value)):
        return ()
    own, _, header, _ = names
    left = header.not_said(asked.said)
    says_more = own.not_said(asked.said) or any(not says_money(word) for word in header.spelled if root(word) in left)
    asked_words = frozenset(words(asked.text))
    is_other = any(apart.fullmatch(word) for name in names for word in name.spelled if word not in asked_words)
    return () if says_more or is_other else found


def _is_row_of(wanted: TableTime, label: str) -> bool:
    """Return True if a row label only names a time, such as "2023", "Q2 2023" or "May 1, 2022 to May 28, 2022"."""
    if wanted.year is None or str(wanted.year) not in label:
        return False
    time = header_time(label)
    return time is not None and agrees(wanted, replace(time, may_end_then=True)) is True


def _place(term: AskedTerm, own: Named, above: Named, header: Named, caption: Named) -> float:
    for name, worth in ((own, _LABEL), (header, _HEADER), (above, _PARENT), (caption, _CAPTION)):
        if says(name, term) and (name is not caption or spells(name.spelled, term)):
            return worth if term.root in name.every else worth - _OTHER_WORD
    return 0.0


def _holds_condition(condition: str, everything: str, view: TableView, cell: TableCell) -> bool:
    things = numbered(condition)
    if not things:
        return folded(condition) in folded(everything)
    thing = things[0]
    named = numbered(f"{everything} | {view.stub} {' '.join(view.row_labels(cell.row)[-1:])}")
    return any(other.thing == thing.thing and other.number == thing.number for other in named)


def _by_own_quarters(wanted: TableTime | None, tables: DocumentTables) -> TableTime | None:
    """Convert a requested quarter, numbered as in the document, to the month in which it ends."""
    own = tables.own_quarter
    if wanted is None or wanted.quarter is None or own is None or wanted.year is None:
        return wanted
    named, end = own
    later = 12 * (wanted.year - (named.year or 0)) + 3 * (wanted.quarter - (named.quarter or 0))
    whole = 12 * (end.year or 0) + (end.month or 1) - 1 + later
    return TableTime(whole // 12, whole % 12 + 1, end.day if later == 0 else None, months=3, words=wanted.words)
