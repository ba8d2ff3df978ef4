"""Finds the documents of a series and the result for each row of a comparison or trend. Pure."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Sequence

from investigator.evidence.claims import prove
from investigator.evidence.quotes import Load
from investigator.evidence.titles import are_of_a_series
from investigator.language.normalise import one_line
from investigator.language.terms import words
from investigator.questions.constraints import constraints
from investigator.questions.imprints import covered, covered_period
from investigator.questions.kinds import asks_everything, cue
from investigator.questions.naming import named
from investigator.questions.periods import Period, agree, periods
from investigator.questions.related import related_roots, roots
from investigator.questions.topics import spelled_roots
from investigator.records import (
    SUMMARY,
    Claim,
    Constraint,
    ConstraintKind,
    Document,
    DocumentCard,
    Investigation,
    Memory,
    Part,
    ProposedStep,
    QuestionKind,
    Quote,
    RowVerdict,
    TableRow,
)
from investigator.research.follow_ups import found_for
from investigator.research.judging import Judging
from investigator.research.planner import Proposal
from investigator.research.table_cells import same_elsewhere
from investigator.research.telling import new_sentences, telling_sentences
from investigator.scoring.calibration import default_calibration
from investigator.tables.asked import table_question
from investigator.tables.times import asked_times

_MOST_ROWS = 12
_UNDATED = (0, 0)
_OF_BEST = 0.5  # minimum match score of a document in a series, relative to the best score
_MOST_QUOTES, _MOST_TIMES = 4, 5
_BEGINNING = 1_500  # number of characters at the beginning of a document that are searched for the words of a side
_TIME, _PARTS_OF_YEAR = 1.0, (3, 6, 9)
_ABOUT = 600  # number of characters at the beginning of a document that describe it
_MEANT_AS_WELL, _AS_LIKELY, _MOST_SUMMARISED = 0.9, 2, 6
_LONG_TITLE = 2  # minimum number of words in a title that may identify a document
_NUMBERS = {"two": 2, "both": 2, "either": 2, "three": 3, "four": 4, "five": 5}
_HOW_MANY = re.compile(rf"\b({'|'.join(_NUMBERS)})\b", re.IGNORECASE)


def series(question: str, cards: Sequence[DocumentCard], worth_asking: float) -> tuple[DocumentCard, ...]:
    """Return the documents that report on the same thing at different times, earliest first; () if there are fewer than
    two.
    """
    best = max((card.match for card in cards), default=0.0)
    likely = [card for card in cards if card.match >= max(worth_asking, _OF_BEST * best)][:_MOST_ROWS]
    dated = [card for card in likely if _times(card)]
    dated = [card for card in dated if names_issuer(question, card.imprint.issuer)] or dated
    dated += [card for card in _between(periods(question), cards) if card not in dated and _is_of_series(card, dated)]
    if len({_when(card) for card in dated}) < 2:
        return ()
    return tuple(sorted(dated[:_MOST_ROWS], key=lambda card: (_when(card), card.document_id)))


def _between(asked: frozenset[Period], cards: Sequence[DocumentCard]) -> list[DocumentCard]:
    """Return the documents dated between the first and last of several periods."""
    known = sorted(period.order for period in asked if period.year)
    return [card for card in cards if known[0] <= _when(card) <= known[-1]] if len(known) > 1 else []


def _is_of_series(card: DocumentCard, dated: Sequence[DocumentCard]) -> bool:
    return any(are_of_a_series(card.title, other.title) for other in dated)


def names_issuer(question: str, issuer: str) -> bool:
    """Return True if a question contains the first word of the name of the firm that issued a report."""
    name = words(issuer)[:1]
    return bool(name) and name[0] in words(question)


def at_newest(part: Part, cards: Sequence[DocumentCard]) -> Part:
    """Add the newest period covered by the likely reports to a side's question if that question mentions no time."""
    best = max((card.match for card in cards), default=0.0)
    likely = [card for card in cards if card.match >= _OF_BEST * best and covered_period(card.imprint)]
    if not part.side or periods(part.question) or not likely:
        return part
    period = covered_period(max(likely, key=lambda card: card.imprint.period_end or "").imprint)
    question = f"{part.question}, {period}"
    bound = tuple(dict.fromkeys((*part.constraints, *constraints(question))))
    return part.changed(question=question, side=f"{part.side}, {period}", constraints=bound)


def series_plan(question: str, documents: Sequence[DocumentCard]) -> Proposal:
    """Return the plan that asks each document of a series the same question."""
    steps = (ProposedStep(document_id=card.document_id, purpose=question) for card in documents)
    return Proposal(f"Ask each of the {len(documents)} documents of the series, earliest first.", tuple(steps))


def whole_documents(question: str, cards: Sequence[DocumentCard]) -> Proposal:
    """Return the plan for a summary: the documents that the question names, or the most promising documents. For a
    summary of everything, return all documents, up to the maximum number of table rows.
    """
    several = any(found.group().endswith("s") for found in cue("documents").finditer(question))
    best, asked = max((card.match for card in cards), default=0.0), roots(question)
    near = [card for card in cards if card.match >= _MEANT_AS_WELL * best]
    named = [card for card in cards if (title := roots(card.title)) and title <= asked]
    named.sort(key=lambda card: -len(roots(card.title)))
    if asks_everything(question):
        meant = list(cards[:_MOST_ROWS])
    elif several:
        meant = named[:_MOST_SUMMARISED] if len(named) > 1 else near[:_AS_LIKELY]
    else:
        meant = [card for card in named if len(roots(card.title)) >= _LONG_TITLE][:1] or near[:1]
    steps = (ProposedStep(document_id=card.document_id, purpose=question) for card in meant)
    return Proposal("Read the whole document that is to be summarised.", tuple(steps))


def side_by_side(
    run: Investigation, history: Sequence[Memory], document: Load, *, is_read: bool
) -> tuple[TableRow, ...]:
    """Return a row for each side of a comparison, or for each document asked; () if there are fewer than two.

    `is_read` is True if a language model replied; a row uses the model's words if the quotes prove them.
    """
    sides = [part for part in run.parts if part.side]
    if len(sides) > 1:
        names = [part.side.partition(",")[0] for part in sides]
        rows = []
        for part, name in zip(sides, names, strict=True):
            others = [other for other in names if other != name]
            found = [m for m in found_for(part, run, history) if not _is_of_another(m, name, others, document)]
            rows.append(_row(part.side, part, _with_telling(part, found, document, is_read), document, is_read=is_read))
        return tuple(rows)
    asked = _series_asked(run, document) if run.kind is QuestionKind.TREND else _compared(run, document)
    if run.kind is QuestionKind.TREND and not asked and not is_read:
        return _in_one_document(run, history, document)
    asked = asked or _in_order([memory for memory in history if memory.quotes], document)[:_MOST_ROWS]
    return _by_document(run, asked, document, is_read=is_read) if len(asked) > 1 else ()


def _in_one_document(run: Investigation, history: Sequence[Memory], document: Load) -> tuple[TableRow, ...]:
    """Return one row of statements about different times, all from the best document; () if nothing was found."""
    part, found = run.parts[0], [memory for memory in history if memory.quotes and not memory.addressed]
    if not found:
        return ()
    best = max(found, key=lambda memory: _of_side(part, memory, document))
    one = document(best.target_document_id)
    quotes = telling_sentences(one, part.question, best.quotes, most=_MOST_TIMES, dated=True)
    return (_row(_label(one), part, [_with_quotes(best, quotes)], document, is_read=False, most=_MOST_TIMES),)


def _series_asked(run: Investigation, document: Load) -> list[str]:
    """Return the reports that were asked about a trend, earliest first; [] if any of them has no period."""
    asked = dict.fromkeys(memory.target_document_id for memory in run.memories if memory.target_document_id != SUMMARY)
    own = {name for name in asked if names_issuer(run.question, document(name).imprint.issuer)}
    times = {name: _named_period(document(name)) for name in asked if not own or name in own}
    if len(set(times.values())) < 2 or _UNDATED in times.values():
        return []
    return sorted(times, key=lambda name: (times[name], name))[:_MOST_ROWS]


def _compared(run: Investigation, document: Load) -> list[str]:
    """Return as many documents as a question such as "compare two reports" asks for, best replies first; [] if it gives
    no number.
    """
    said = _HOW_MANY.search(run.question)
    if said is None:
        return []
    best = sorted(run.memories, key=lambda memory: -_of_side(run.parts[0], memory, document))
    names = dict.fromkeys(memory.target_document_id for memory in best if memory.quotes and not memory.addressed)
    return list(names)[: _NUMBERS[said.group(1).casefold()]]


def _is_of_another(memory: Memory, name: str, others: Sequence[str], document: Load) -> bool:
    """Return True if the names or the beginning of a document mention another side, but not this one."""
    if not memory.quotes:
        return False
    one = document(memory.quotes[0].document_id)
    said = f"{one.names} {one.text[:_ABOUT]}"
    about = spelled_roots(said)
    return not _holds(about, name) and any(_holds(about, other) for other in others)


def _holds(about: Sequence[str], name: str) -> bool:
    return set(spelled_roots(name)) <= set(about)


def _by_document(run: Investigation, asked: Sequence[str], document: Load, *, is_read: bool) -> tuple[TableRow, ...]:
    part, before, rows = run.parts[0], None, list[TableRow]()
    for name in asked:
        found: Sequence[Memory] = [one for one in run.memories if one.target_document_id == name]
        if run.kind is QuestionKind.TREND and not is_read:
            found = [_with_news(one, part, document(name), before) for one in found]
        else:
            found = _with_telling(part, found, document, is_read)
        own = _at_own_time(part, document(name)) if run.kind is QuestionKind.TREND else part
        rows.append(_row(_label(document(name)), own, found, document, is_read=is_read, is_of_series=own is not part))
        before = document(name)
    return tuple(rows)


def _at_own_time(part: Part, one: Document) -> Part:
    """If a part of a question covers several periods, restrict it to the period of one report."""
    if len(periods(part.question)) < 2 or (own := _own_period(one)) is None:
        return part
    within = f"q{own.quarter} " if own.quarter else f"{month_name[own.month]} " if own.month else ""
    others = (bound for bound in part.constraints if bound.kind is not ConstraintKind.PERIOD)
    return part.changed(constraints=(Constraint(kind=ConstraintKind.PERIOD, text=f"{within}{own.year}"), *others))


def _label(one: Document) -> str:
    """Return the name of a document and the period that it covers."""
    period = covered_period(one.imprint)
    return f"{one.id} ({period})" if period else one.id


def _with_telling(part: Part, found: Sequence[Memory], document: Load, is_read: bool) -> Sequence[Memory]:
    """Return the memory of the best document for a side, with that document's most relevant sentences. If a model read
    the documents, return all memories unchanged.
    """
    if is_read or not found:
        return found
    best = max(found, key=lambda memory: _of_side(part, memory, document))
    quotes = telling_sentences(document(best.target_document_id), part.question, best.quotes)
    return (_with_quotes(best, quotes),)


def _of_side(part: Part, memory: Memory, document: Load) -> float:
    """Score how well a document fits a side, based on its names, its beginning, its period and its reply."""
    if memory.addressed or not memory.quotes:
        return 0.0
    one, asked = document(memory.target_document_id), table_question(part.question)
    if not asked.terms:
        return float(memory.point or 0)
    named, begins = roots(one.names), roots(one.text[:_BEGINNING])
    called = sum(not (term.roots | related_roots(term.text)).isdisjoint(named) for term in asked.terms)
    about = sum(not (term.roots | related_roots(term.text)).isdisjoint(begins) for term in asked.terms)
    own = [period for period in periods(part.question) if period.year and period.month]
    if own:  # "three months ended July 1, 2023" names the month of a report, not the first quarter of a year
        of_time = _TIME * agree(own, covered(one.imprint))
    else:
        of_time = sum(_TIME * (time.quarter == one.imprint.fiscal_quarter) for time in _quarters(part.question))
    return (called + about) / len(asked.terms) + of_time + (memory.point or 0) / 100


def _quarters(question: str) -> list[Period]:
    """Return the quarters in which the periods in a question end: the third quarter for "nine months"."""
    return [Period(time.year, time.months // 3) for time in asked_times(question) if time.months in _PARTS_OF_YEAR]


def _with_news(memory: Memory, part: Part, one: Document, before: Document | None) -> Memory:
    """Return a memory with the sentences about the subject that the previous document does not contain.

    If the memory quotes cells, only a cell with the same figure in another table is added.
    """
    cells = [quote for quote in memory.quotes if quote.cell is not None]
    if cells:
        asked = f"{part.question}, {covered_period(one.imprint)}"
        return _with_quotes(memory, same_elsewhere(asked, cells[0], one)[:1])
    names = [bound.text for bound in part.constraints if bound.kind in (ConstraintKind.ENTITY, ConstraintKind.PLACE)]
    new = new_sentences(one, names or [part.question], before)
    return _with_quotes(memory, (new,) if new is not None else ())


def _with_quotes(memory: Memory, quotes: Sequence[Quote]) -> Memory:
    """Return a memory with these quotes in place of its sentences; its cells are kept and come first."""
    cells = [quote for quote in memory.quotes if quote.cell is not None]
    return memory.changed(quotes=(*cells, *quotes)) if quotes else memory


def _in_order(history: Sequence[Memory], document: Load) -> list[str]:
    """Return the documents that the memories quote, ordered by period if each has one, otherwise best first."""
    best = sorted(history, key=lambda memory: -(memory.point or 0))
    names = list(dict.fromkeys(quote.document_id for memory in best for quote in memory.quotes[:1]))
    times = {name: _named_period(document(name)) for name in names}
    if _UNDATED not in times.values():
        names.sort(key=lambda name: (times[name], name))
    return names


def _row(
    label: str,
    part: Part,
    found: Sequence[Memory],
    document: Load,
    *,
    is_read: bool,
    is_of_series: bool = False,
    most: int = _MOST_QUOTES,
) -> TableRow:
    """Return the result for a row: the statements from the reply that meets the most constraints.

    A reply from a series of reports may have any score, because the question also names the periods of other reports.
    """
    claims = [(memory, claim) for memory in _best_first(found) for claim in _claims(memory, part, is_read=is_read)]
    points = {id(claim): memory.point or 0 for memory, claim in claims}
    bar = 0 if is_read or is_of_series else default_calibration().answered_from
    judging = Judging(document, lambda claim, _: points[id(claim)] >= bar, is_read)
    one = judging.best(part, [claim for _, claim in claims])
    if one is None:
        return TableRow(label=label, verdict=RowVerdict.MISSING)
    memory = next(memory for memory, claim in claims if claim is one.said.claim)
    own = [claim for other, claim in claims if other is memory]
    quotes = dict.fromkeys(quote for claim in (one.said.claim, *own) for quote in claim.quotes)
    return TableRow(
        label=label,
        document_id=one.said.quote.document_id,
        verdict=RowVerdict.YES if one.is_met else RowVerdict.UNCLEAR,
        value=one.said.claim.text,
        quotes=tuple(quotes)[: max(most, sum(quote.cell is not None for quote in quotes))],
        missing=tuple(dict.fromkeys(named(match.constraint) for match in one.failing)),
    )


def _best_first(found: Sequence[Memory]) -> list[Memory]:
    return sorted((m for m in found if m.quotes and not m.addressed), key=lambda memory: -(memory.point or 0))


def _claims(memory: Memory, part: Part, *, is_read: bool) -> list[Claim]:
    """Return a model's reply if its quotes prove it, otherwise each quote."""
    if is_read and prove(memory.reply, memory.quotes, given=part.question).is_proven:
        return [Claim(text=one_line(memory.reply), quotes=memory.quotes, memory_ids=(memory.id,))]
    return [_verbatim(quote, memory) for quote in memory.quotes]


def _verbatim(quote: Quote, memory: Memory) -> Claim:
    return Claim(text=one_line(quote.text), quotes=(quote,), memory_ids=(memory.id,))


def _times(card: DocumentCard) -> frozenset[Period]:
    return frozenset(
        one
        for one in periods(f"{card.title} {card.document_id} {card.date or ''} {covered_period(card.imprint)}")
        if one.year
    )


def _when(card: DocumentCard) -> tuple[int, int]:
    return max((one.order for one in _times(card)), default=_UNDATED)


def _named_period(one: Document) -> tuple[int, int]:
    own = _own_period(one)
    return own.order if own is not None else _UNDATED


def _own_period(one: Document) -> Period | None:
    """Return the latest period in a document's name, date or imprint."""
    said = f"{one.title} {one.id} {one.date or ''} {one.imprint.period_end or ''}"
    return max((period for period in periods(said) if period.year), key=lambda period: period.order, default=None)
