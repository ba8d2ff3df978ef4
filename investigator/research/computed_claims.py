"""Computes the figures that a question asks for from quoted cells, and checks them against its constraints. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, takewhile

from investigator.evidence.cells import cell_quote
from investigator.evidence.quotes import Load, quote_at
from investigator.evidence.stated_computations import stated_computation
from investigator.evidence.titles import subject_of, title_line
from investigator.language.terms import folded
from investigator.questions.answer_types import AnswerType
from investigator.questions.constraints import constraints
from investigator.questions.parts import taken_apart
from investigator.records import (
    Claim,
    Computation,
    Constraint,
    ConstraintKind,
    ConstraintMatch,
    Document,
    Investigation,
    MatchState,
    Memory,
    Operation,
    Part,
    QuestionKind,
    Quote,
    QuotedCell,
)
from investigator.research.table_cells import cell_matches, has_share
from investigator.tables.asked import table_question
from investigator.tables.computed_cells import ComputedCells, computed_cells
from investigator.tables.computing import asked_operation, computation
from investigator.tables.document_tables import tables_of
from investigator.tables.operands import asked_computation
from investigator.tables.times import TableTime, header_time

_JOINTS: Mapping[Operation, str] = {
    Operation.DIFFERENCE: " less ",
    Operation.SUM: " and ",
    Operation.SHARE: " as a share of ",
    Operation.GROWTH: " against ",
    Operation.MEAN: ", ",
}
_SIGNS = re.compile(r"[\W_]+")
_EXTREMES = {
    Operation.MAXIMUM: {"of two": "higher", "of all": "highest"},
    Operation.MINIMUM: {"of two": "lower", "of all": "lowest"},
}


def as_one_figure(run: Investigation, history: Sequence[Memory], load: Load) -> Investigation:
    """If one document is enough to compute the result, treat a question about several sides as a question about a
    single figure.
    """
    is_one = run.kind is not QuestionKind.COMPARISON and len(run.parts) < 2
    if is_one or not (asked_computation(run.question) or asked_operation(run.question)):
        return run
    names = dict.fromkeys(quote.document_id for memory in history for quote in memory.quotes)
    if not any(any(_computed_in(run.question, load(name), ())) for name in names):
        return run
    part = Part(question=run.question, constraints=constraints(run.question))
    return run.changed(kind=QuestionKind.FACT, parts=(part,))


def computed_claims(question: str, sources: Sequence[tuple[Memory, Quote]], load: Load) -> tuple[Claim, ...]:
    """Return the computed figures that a question, or one of its parts, asks for; empty if units or periods differ.
    They are computed from cells of the quoted documents.
    """
    cited: dict[str, list[int]] = {}
    for memory, quote in sources:
        cited.setdefault(quote.document_id, []).append(memory.id)
    every = dict.fromkeys((question, *(part.question for part in taken_apart(question))))
    asked = [text for text in every if asked_computation(text) or asked_operation(text)]
    found = ((text, load(name), ids) for text in asked for name, ids in cited.items())
    claims = {claim.text: claim for one in found for claim in _computed_in(*one)}
    return tuple(claims.values()) or _of_two_times(question, sources, load)


def _computed_in(question: str, document: Document, memory_ids: Sequence[int]) -> Iterator[Claim]:
    """Yield the computed figure that a question asks for, from the tables of one document or, failing that, its
    sentences.
    """
    tables, ids = tables_of(document), tuple(dict.fromkeys(memory_ids))
    if has_share(question, tables, asked_operation(question)):
        return
    if (computed := computed_cells(question, tables)) is not None:
        quotes = tuple(cell_quote(document, *place) for place in computed.cells)
        yield Claim(text=_of_cells(computed), quotes=quotes, memory_ids=ids, computation=computed.result)
    elif (stated := stated_computation(question, tables)) is not None:
        quotes = tuple(quote_at(document, *span) for span in stated.spans)
        text = _told(stated.result, stated.about, stated.names, len(stated.names))
        yield Claim(text=text, quotes=quotes, memory_ids=ids, computation=stated.result)


def _of_cells(computed: ComputedCells) -> str:
    """Return a sentence that states a figure computed from cells and names their rows or columns."""
    cells = [view.quoted(cell) for view, cell in computed.cells]
    if computed.are_of_row:
        return _told(computed.result, _row(cells[0]), [*map(_column, cells)], computed.count)
    return _told(computed.result, _column(cells[0]), [*map(_row, cells)], computed.count)


def _told(result: Computation, about: str, names: Sequence[str], count: int) -> str:
    """Return a sentence that states a computed figure and its subject, and names the `count` figures that it is
    computed from.
    """
    subject = f"{about[:1].upper()}{about[1:]}: " if about else ""
    if result.operation not in _EXTREMES:
        return f"{subject}{result.formula}{f' ({_JOINTS[result.operation].join(names)})' if names else ''}"
    signs = re.findall(r" ([=<>]) ", result.formula)
    equal = 1 + sum(1 for _ in takewhile("=".__eq__, signs))
    more = " ..." if count > len(names) else ""
    degree = _EXTREMES[result.operation]["of two" if count == 2 else "of all"]
    which = f"{' and '.join(names[:equal])}, {degree} of {count} figures"
    return f"{subject}{which}: {result.formula}{more} ({', '.join(names)}{more})"


def _of_two_times(question: str, sources: Sequence[tuple[Memory, Quote]], load: Load) -> tuple[Claim, ...]:
    """Return a figure computed from two quoted cells in the same row, or in equally labelled rows for different times.
    They may be in different documents.
    """
    operation, asked = asked_operation(question), table_question(question)
    cells = [(quote, quote.cell, memory.id) for memory, quote in sources if quote.cell is not None] if operation else []
    for one, other in combinations(cells, 2):
        if operation is None or not _belong_together(one[0], one[1], other[0], other[1], load):
            continue
        times = _time(one[0], one[1], load), _time(other[0], other[1], load)
        is_older = times[0] is not None and times[1] is not None and times[0].order < times[1].order
        (newer, first, _), (older, second, _) = (other, one) if is_older else (one, other)
        result = computation(operation, first, second, wants_share=asked.asks_share, wants_means=asked.asks_figure)
        if result is not None:
            names = [_column(cell) for cell in (first, second)]
            if names[0] == names[1]:
                names = [time.words for time in sorted(filter(None, times), key=lambda time: time.order, reverse=True)]
            text = f"{_row(first)}: {result.formula} ({_JOINTS[operation].join(names)})"
            ids = tuple(dict.fromkeys((one[2], other[2])))
            return (Claim(text=text, quotes=(newer, older), memory_ids=ids, computation=result),)
    return ()


def claim_matches(question: str, claim: Claim, load: Load) -> tuple[ConstraintMatch, ...]:
    """Match the constraints of a question against a computed figure. A time must match both cells; any other constraint
    must match at least one of them. A figure computed from a single document meets all constraints, because its cells
    were chosen for the question.
    """
    document = load(claim.quotes[0].document_id)
    if any(one.quotes == claim.quotes for one in _computed_in(question, document, ())):
        kinds = {ConstraintKind.ATTRIBUTE: question, ConstraintKind.ANSWER_TYPE: AnswerType.NUMBER}
        asked = (Constraint(kind=kind, text=text) for kind, text in kinds.items())
        return tuple(ConstraintMatch(constraint=one, state=MatchState.MET) for one in asked)
    own = [cell_matches(question, quote, load(quote.document_id), is_computed=True) for quote in claim.quotes]
    merged: dict[Constraint, ConstraintMatch] = {}
    for match in (match for matches in own for match in matches):
        known = merged.get(match.constraint)
        is_time = match.constraint.kind is ConstraintKind.PERIOD
        better = known is None or (match.state is MatchState.MET) is not is_time
        if better:
            merged[match.constraint] = match
    return tuple(merged.values())


def _belong_together(one: Quote, cell: QuotedCell, other: Quote, other_cell: QuotedCell, load: Load) -> bool:
    """Return True if two cells are in one row, or in equally labelled rows for different times. The times are in the
    headers or, if the columns are the same, belong to two documents about one subject.
    """
    if cell == other_cell or (one.document_id, one.start) == (other.document_id, other.start):
        return cell != other_cell
    labels = {folded(each.row[-1]) if each.row else "" for each in (cell, other_cell)}
    if len(labels) > 1 or _time(one, cell, load) == _time(other, other_cell, load):
        return False
    if header_time(" ".join(cell.column)) and header_time(" ".join(other_cell.column)):
        return True
    titles = [title_line(load(quote.document_id).text) for quote in (one, other)]
    return cell.column == other_cell.column and subject_of(titles[0]) == subject_of(titles[1])


def _time(quote: Quote, cell: QuotedCell, load: Load) -> TableTime | None:
    """Return the time of a cell: from its headers or, failing that, from the first line of its document. If that line
    is a row of a table, use the document's name.
    """
    document = load(quote.document_id)
    first = document.text.strip().partition("\n")[0]
    named = _SIGNS.sub(" ", document.id) if any(table.start == 0 for table in document.tables) else first
    return header_time(" ".join(cell.column)) or header_time(named)


def _row(cell: QuotedCell) -> str:
    return " > ".join(cell.row)


def _column(cell: QuotedCell) -> str:
    return " ".join(cell.column) or cell.value
