"""Finds the requested table cells, the constraints that they meet, and the cells for computed figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from investigator.evidence.cells import cell_quote
from investigator.evidence.listed_items import listed_items
from investigator.language.terms import folded
from investigator.questions.answer_types import AnswerType, expected_type
from investigator.questions.cues import patterns
from investigator.questions.kinds import kind_of
from investigator.questions.order import pairs, stand_together
from investigator.questions.related import root, roots
from investigator.questions.spans import moments
from investigator.records import (
    Claim,
    Constraint,
    ConstraintKind,
    ConstraintMatch,
    Document,
    Finding,
    MatchState,
    Memory,
    Operation,
    QuestionKind,
    Quote,
    QuotedCell,
    RowVerdict,
    TableRow,
)
from investigator.tables.asked import table_question
from investigator.tables.computed_cells import computed_cells
from investigator.tables.computing import asked_operation
from investigator.tables.document_tables import DocumentTables, tables_of
from investigator.tables.listing import ListedRow, listed_cells, listed_rows, names_things
from investigator.tables.lookup import FoundCell, best_cells, best_pair, figure_of
from investigator.tables.things import lists_things
from investigator.tables.times import TableTime, agrees, header_time, times_between

MET_POINT = 95
"""The point of a cell that meets all constraints of a question: such a match is certain."""
WHICH_CELL = "which cell is meant, as several match equally well"
"""The constraint that no single cell meets, if several cells match a question equally well."""
_LOOKED_AT = 40  # maximum number of cells examined
_AMOUNT = re.compile(r"[$€£¥]\s?\d|\d\s?%|\d,\d{3}|\d\.\d|\b(?:million|billion|thousand|per ?cent)\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_SPAN = re.compile(r"\b(?:from|between)\b.+\b(?:to|and|until|through)\b", re.IGNORECASE)
_CHANGES = "difference change growth increase decrease"
_SPANS = ("duration", "age")


@lru_cache(maxsize=64)  # the same documents are also asked rewordings of the question
def met_cells(question: str, document: Document) -> tuple[Quote, ...]:
    """Return the cells of a document that meet every constraint of a question, or the items of a requested list. The
    result is the best cell for each time that the question names, the cells that the question compares, or one cell for
    each row to be listed.
    """
    if listed := listed_things(question, document):
        return listed
    if not document.tables or table_question(question).is_discussion:
        return ()
    tables = tables_of(document)
    operation = asked_operation(question)
    if not has_share(question, tables, operation):
        if computed := computed_cells(question, tables):
            return tuple(cell_quote(document, *place) for place in computed.cells)
        pair = best_pair(question, tables) if operation and len(table_question(question).times) < 2 else None
        if pair is not None:
            return tuple(cell_quote(document, found.view, found.cell) for found in pair)
    found = [[one for one in _best_together(question, tables, time) if one.is_met] for time in _times(question)]
    if _is_trend(question) and not (found[0] and found[-1]):  # a trend needs figures for its beginning and its end
        return ()
    quotes = dict.fromkeys(cell_quote(document, one.view, one.cell) for of_time in found for one in of_time)
    if kind_of(question) is QuestionKind.YES_NO and not _DIGIT.search(question):  # a figure does not say yes or no
        quotes = dict.fromkeys(quote for quote in quotes if quote.cell and not _DIGIT.search(quote.cell.value))
    return tuple(quote for quote in quotes if not _lacks_span(question, quote))


def _best_together(question: str, tables: DocumentTables, time: TableTime | None) -> Iterator[FoundCell]:
    """Yield the best cell, the cells in other rows that the question names and, if the question names an amount, the
    cells next to the best cell.
    """
    found, wants_amount = best_cells(question, tables, time, most=_LOOKED_AT), bool(table_question(question).amounts)
    for one in found:
        others = found[0].stands_with(one) or (wants_amount and found[0].is_beside(one))
        if one is found[0] or (found[0].is_met and others):
            yield one


def listed_things(question: str, document: Document) -> tuple[Quote, ...]:
    """Return the requested list of things from a document: table cells or, failing that, list items."""
    found = listed_cells(question, tables_of(document)) if document.tables else ()
    return tuple(cell_quote(document, view, cell) for view, cell in found) or listed_items(question, document)


def rows_listed(question: str, document: Document) -> tuple[TableRow, ...]:
    """Return a row for each thing in a table that a question asks to list or count."""
    found = listed_rows(question, tables_of(document)) if document.tables else ()
    return tuple(_row_of(row, document) for row in found)


def has_things(question: str, document: Document) -> bool:
    """Return True if a table of a document has rows for the things that a question asks to list."""
    return bool(document.tables) and names_things(question, tables_of(document))


def _row_of(row: ListedRow, document: Document) -> TableRow:
    thing, quote = row.view.words(row.thing), cell_quote(document, row.view, row.shown)
    if not row.belongs:
        return TableRow(label=thing, document_id=document.id, verdict=RowVerdict.NO)
    value = thing if row.shown is row.thing else quote.said
    return TableRow(label=thing, document_id=document.id, verdict=RowVerdict.YES, value=value, quotes=(quote,))


def is_listed(question: str, quote: Quote, document: Document) -> bool:
    """Return True if a question asks for a list of things, or if a quote is one of the requested items."""
    return lists_things(question) or quote in listed_things(question, document)


def _lacks_span(question: str, quote: Quote) -> str:
    """If a question asks for a time span ("how long") and a cell gives none with a unit, return the kind of span;
    otherwise "".
    """
    asked, shown = patterns("asked"), patterns("shown")
    return next((kind for kind in _SPANS if asked[kind].search(question) and not shown[kind].search(quote.said)), "")


def has_share(question: str, tables: DocumentTables, operation: Operation | None) -> bool:
    """Return True if a cell already contains the requested share, which then need not be computed."""
    best = best_cells(question, tables, most=1) if operation is Operation.SHARE else ()
    return any(one.is_met and "%" in one.view.words(one.cell) for one in best)


def same_elsewhere(question: str, quote: Quote, document: Document) -> tuple[Quote, ...]:
    """Return the cells with the same figure in other tables of the document that meet every constraint of a
    question.
    """
    if quote.cell is None:
        return ()
    figure = figure_of(quote.cell.value)
    found = best_cells(question, tables_of(document), most=_LOOKED_AT)
    others = (one for one in found if one.is_met and figure_of(one.view.words(one.cell)) == figure)
    apart = {one.view.table.start: one for one in others if not quote.start <= one.cell.start < quote.end}
    return tuple(cell_quote(document, one.view, one.cell) for one in apart.values())


def with_cells(finding: Finding, cells: Sequence[Quote], *, is_read: bool) -> Finding:
    """Put the cells that answer the question before the other quotes of a finding.

    Without a language model, sentences that only resemble the question are dropped.
    """
    if not cells:
        return finding
    others = finding.quotes if is_read else ()
    reply = finding.reply if is_read else " ".join(f"{quote.said}." for quote in cells)
    quotes = tuple(dict.fromkeys((*cells, *others)))
    return finding.changed(quotes=quotes, reply=reply, point=max(MET_POINT, finding.point or 0))


def met_claims(question: str, sources: Sequence[tuple[Memory, Quote]]) -> tuple[Claim, ...]:
    """Return the quoted cells that meet every constraint of a question, as separate statements.

    Return nothing for a question that needs a computation.
    """
    if asked_operation(question) is not None:
        return ()
    return tuple(
        Claim(text=quote.said, quotes=(quote,), memory_ids=(memory.id,))
        for memory, quote in sources
        if quote.cell is not None and (memory.point or 0) >= MET_POINT and not memory.addressed
    )


def nearest_cell(question: str, document: Document) -> tuple[Quote, tuple[ConstraintMatch, ...]] | None:
    """Return the cell of a document that best matches a question about a figure, and the constraints that it misses.

    The question must contain all words of the cell's row label. Return None if the question does not ask for a figure,
    or if a cell meets every constraint.
    """
    asked = table_question(question)
    if (
        not document.tables
        or asked.is_discussion
        or not (asked.asks_figure or asked.asks_count or asked.asks_share or asked.times or asked.amounts)
    ):
        return None
    tables = tables_of(document)
    found = [one for time in _times(question) for one in best_cells(question, tables, time, most=_LOOKED_AT)]
    near = next((one for one in found if one.is_named_by_question), None)
    if near is None or any(one.is_met for one in found):
        return None
    failing = [match for match in _matches(question, near, is_computed=False) if match.state is not MatchState.MET]
    return (cell_quote(document, near.view, near.cell), tuple(failing)) if failing else None


def says_figure(question: str, sentence: str, document: Document) -> bool:
    """Return True if a sentence contains a figure and meets every constraint of the question, including the time.

    Words that describe the whole document also count, as they do for a cell.
    """
    asked = table_question(question)
    if not _AMOUNT.search(sentence):
        return False
    said = roots(sentence) | tables_of(document).about
    named = header_time(sentence)
    if named is not None and named.year and any(agrees(time, named) is False for time in asked.times):
        return False
    return all(not said.isdisjoint(term.roots) for term in asked.terms)


def cell_matches(
    question: str, quote: Quote, document: Document, *, is_computed: bool = False
) -> tuple[ConstraintMatch, ...]:
    """Match the constraints of a question against a quoted cell: its words, times and conditions."""
    if any(quote.cell and cell.start == quote.cell.start for _, cell in listed_cells(question, tables_of(document))):
        terms = table_question(question).terms
        return tuple(_match(ConstraintKind.ATTRIBUTE, term.text, MatchState.MET, "") for term in terms)
    found = list(_found_again(question, quote, document))
    if not found or quote.cell is None:
        return (_match(ConstraintKind.ATTRIBUTE, question, MatchState.NOT_MET, ""),)
    matches = [
        *_matches(question, found[0], is_computed),
        *_apart(question, quote.cell),
        *_of_other_day(question, quote.cell),
        *_of_other_kind(question, quote.cell),
    ]
    if not is_computed and not _says_result(question, quote.cell):
        matches.append(_match(ConstraintKind.QUANTITY, "a figure computed from two cells", MatchState.NOT_MET, ""))
    if not is_computed and (kind := _lacks_span(question, quote)):
        matches.append(_match(ConstraintKind.QUANTITY, kind, MatchState.NOT_MET, ""))
    return tuple(matches)


def _apart(question: str, cell: QuotedCell) -> Iterator[ConstraintMatch]:
    """Yield each pair of words that belong together in a question but are separated in a label: "Other income
    (expense), net".

    Words in a label and in its parent labels do not count as separated: "Net sales > Subscription services".
    """
    for both in pairs(question):
        wanted = {root(both.first), root(both.second)}
        together = [label for label in cell.row if wanted <= roots(label)]
        if together and not any(stand_together(both, form) for label in together for form in (label, _turned(label))):
            yield _match(ConstraintKind.ATTRIBUTE, f"{both.first} {both.second}", MatchState.NOT_MET, "")


def _of_other_day(question: str, cell: QuotedCell) -> Iterator[ConstraintMatch]:
    """Yield the day that a question names if the cell's row is labelled with another one: "2024-07-22 > Monday" for
    "Monday 29 July".
    """
    asked = [one for one in moments(question) if one.day]
    said = [one for one in moments(" | ".join(cell.row)) if one.day]
    if len(said) == 1 and asked and all((one.day, one.month) != (said[0].day, said[0].month) for one in asked):
        yield _match(ConstraintKind.PERIOD, asked[0].text, MatchState.CONTRADICTED, said[0].text)


def _of_other_kind(question: str, cell: QuotedCell) -> Iterator[ConstraintMatch]:
    """Yield the count or name that a question asks for if a cell gives an amount of money: "deposit: 35 euros"."""
    asked, money = patterns("asked"), patterns("columns")["money"]
    if expected_type(question) is AnswerType.NAME and patterns("shown")["money"].fullmatch(cell.value.strip()):
        yield _match(ConstraintKind.ANSWER_TYPE, AnswerType.NAME, MatchState.NOT_MET, "")
    is_money = patterns("shown")["money"].search(cell.value) is not None or any(map(money.search, cell.column))
    if asked["count"].search(question) and is_money and not money.search(question):
        yield _match(ConstraintKind.QUANTITY, "count", MatchState.NOT_MET, "")


def _turned(label: str) -> str:
    """Return a label in natural word order: "large White filling" for "White filling, large"."""
    noun, comma, mark = label.partition(",")
    return f"{mark} {noun}" if comma and "," not in mark else label


def _says_result(question: str, cell: QuotedCell) -> bool:
    """Return True if a cell already contains the requested result, which then need not be computed from other cells."""
    operation, times = asked_operation(question), table_question(question).times
    if len(times) > 1 and any(
        all(time.words and folded(time.words) in folded(name) for time in times) for name in (*cell.row, *cell.column)
    ):
        return True  # a single label names all the times
    if _is_trend(question):  # each figure of the trend is part of the answer
        return True
    if (operation is None and len(times) < 2) or (operation is Operation.SHARE and "%" in cell.value):
        return True
    return not roots(" ".join((*cell.row, *cell.column))).isdisjoint(_changes())


@cache
def _changes() -> frozenset[str]:
    return roots(_CHANGES)


def _found_again(question: str, quote: Quote, document: Document) -> Iterator[FoundCell]:
    tables = tables_of(document)
    fitting = [
        found
        for time in _times(question)
        for found in best_cells(question, tables, time, most=_LOOKED_AT)
        if quote.cell is not None and found.cell.start == quote.cell.start
    ]
    yield from sorted(fitting, key=lambda found: (not found.is_met, -found.score))


def _matches(question: str, found: FoundCell, is_computed: bool) -> Iterator[ConstraintMatch]:
    asked = table_question(question)
    missing = {term.text for term in found.missing}
    for term in asked.terms:
        state = MatchState.NOT_MET if term.text in missing else MatchState.MET
        yield _match(ConstraintKind.ENTITY if term.is_name else ConstraintKind.ATTRIBUTE, term.text, state, "")
    for condition in dict.fromkeys((*asked.conditions, *found.misses)):
        state = MatchState.CONTRADICTED if condition in found.misses else MatchState.MET
        yield _match(ConstraintKind.CONDITION, condition, state, "")
    if asked.times:
        words = found.time.words if found.time else ""
        state = MatchState.MET if found.time_agrees else MatchState.NOT_MET
        state = MatchState.CONTRADICTED if found.time_agrees is False else state
        named = " and ".join(time.words for time in asked.times if time.words) or "asked for"
        yield _match(ConstraintKind.PERIOD, named, state, "" if state is MatchState.MET else words)
    if not found.has_value:
        yield _match(ConstraintKind.QUANTITY, "a value", MatchState.NOT_MET, found.view.words(found.cell))
    if not found.is_sure and not is_computed:
        yield _match(ConstraintKind.QUANTITY, WHICH_CELL, MatchState.NOT_MET, "")


def _match(kind: ConstraintKind, text: str, state: MatchState, words: str) -> ConstraintMatch:
    return ConstraintMatch(
        constraint=Constraint(kind=kind, text=text or "the requested cell"), state=state, words=words
    )


def _is_trend(question: str) -> bool:
    """Return True if a question asks for a trend, or consists only of a subject and a time span: "sales from 2022 to
    2024".
    """
    if kind_of(question) is QuestionKind.TREND:
        return True
    is_subject = not question.rstrip().endswith("?") and _SPAN.search(question) is not None
    return is_subject and asked_operation(question) is None


def _times(question: str) -> tuple[TableTime | None, ...]:
    """Return the times that a question names, if there are several; for a trend between two times, also return those in
    between.
    """
    times = table_question(question).times
    if len(times) == 2 and _is_trend(question):
        return times_between(*times)
    return times if len(times) > 1 else (None,)
