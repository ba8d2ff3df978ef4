"""Finds documents that answer the same question with different values, and decides which document takes precedence.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from investigator.documents.pages import heading_at
from investigator.evidence.conflicts import DatedSentence, conflict, conflicts
from investigator.evidence.editions import edition_of, line_of, may_be_replaced, said_in_newer
from investigator.evidence.quoted_mail import is_quoted
from investigator.evidence.quotes import Load, quote_at
from investigator.evidence.replaced import replaced_documents
from investigator.evidence.stated_values import Thing, replaced_values, says_value, thing_asked
from investigator.evidence.titles import EDITIONS, are_apart, are_of_a_series, named_in, title_line
from investigator.evidence.value_conflicts import overlap, value_conflict
from investigator.evidence.versions import version_groups
from investigator.language.addressed import addresses_model
from investigator.language.dates import dates
from investigator.language.normalise import normalise, one_line
from investigator.language.sentences import sentence_spans, statement_spans
from investigator.language.terms import content_words, words
from investigator.questions.kinds import kind_of
from investigator.questions.matching import matches
from investigator.questions.periods import periods
from investigator.questions.spans import Moment, begins_at, in_span, moment_asked, moments
from investigator.questions.surroundings import Surroundings
from investigator.records import (
    Answer,
    AnswerStatus,
    Claim,
    Conflict,
    ConflictSide,
    ConstraintKind,
    Document,
    Investigation,
    MatchState,
    Memory,
    Part,
    Passage,
    QuestionKind,
    Quote,
)
from investigator.research.answer import Precedence, cited_text
from investigator.research.quoted_text import surroundings
from investigator.retrieval.library import DocumentIndex

_REPORTS_ON = re.compile(
    r"\b(?:quarter(?:ly)?|fiscal|annual|years?|months|half)\b[^.\n]{0,30}\b(?:ended|ending)\b", re.I
)
_CHANGED = "changed amended replaced moved instead"
_MOST_STATEMENTS = 2_000  # maximum number of sentences that are compared


def conflicts_among(parts: Sequence[Part], memories: Sequence[Memory], document: Load) -> tuple[Conflict, ...]:
    """Return the conflicts among the quotes of memories that meet a part of the question."""
    quotes = tuple(dict.fromkeys(quote for memory in memories if not memory.addressed for quote in memory.quotes))
    cited = {quote.document_id: document(quote.document_id) for quote in quotes}
    found: list[Conflict] = []
    for part in parts:
        meeting = [(quote, *said) for quote in quotes for said in _meeting(part, quote, cited[quote.document_id])]
        related = _related(dated_sentences([said[:3] for said in meeting], cited), cited)
        statements = (replace(one, says_all=said[-1]) for one, said in zip(related, meeting, strict=True))
        found += conflicts(part.question, tuple(statements))
    return tuple(found)


def disagreed(
    run: Investigation, answer: Answer, history: Sequence[Memory], library: DocumentIndex
) -> tuple[Conflict, ...]:
    """Return the conflicts that involve a value in the answer: among the quotes or, failing that, between other
    passages and the answer. Without an answer, return none: no value is known to belong to the thing in question.
    """
    if answer.status not in (AnswerStatus.ANSWERED, AnswerStatus.ANSWERED_IN_PART):
        return ()
    among = _with_answer(conflicts_among(run.parts, history, library.document), run, answer, library.document)
    if among or not answer.claims or run.kind not in (QuestionKind.FACT, QuestionKind.YES_NO):
        return among
    found = tuple[Conflict, ...]()
    if any(_thing(one.question) for one in run.parts):
        found = value_conflicts_among(run.parts, answer.claims, about_values(run.parts, library), library.document)
        found = _with_answer(found, run, answer, library.document)
    return found or (_among_editions(run.question, answer, library) if run.kind is QuestionKind.YES_NO else ())


def _among_editions(question: str, answer: Answer, library: DocumentIndex) -> tuple[Conflict, ...]:
    """Return the conflicts between the first statement and newer editions of its document, if the question mentions no
    time.
    """
    if periods(question) or moments(question):
        return ()
    found = []
    for quote in answer.claims[0].quotes:
        document = library.document(quote.document_id)
        near = dict.fromkeys(passage.document_id for passage in library.passages((line_of(quote, document),)))
        others = (library.document(name) for name in near if name != quote.document_id)
        if sides := said_in_newer(quote, document, others):
            found.append(conflict(question, sides))
    return tuple(found)


def _with_answer(
    conflicts: Sequence[Conflict], run: Investigation, answer: Answer, document: Load
) -> tuple[Conflict, ...]:
    """Return the conflicts at the time in question in which the answer takes a side, unless that side or its document
    says that it replaces the others.
    """
    found = [
        one
        for one in _of_asked_time(conflicts, run.question)
        if not (_is_of_replaced(one, document) or _is_of_other_edition(one, run.question, document))
    ]
    given = {one: [side for side in one.sides if any(_gives(claim, side) for claim in answer.claims)] for one in found}
    return tuple(one for one in found if given[one] and not any(_replaces_others(side, one) for side in given[one]))


def _is_of_replaced(conflict: Conflict, document: Load) -> bool:
    """Return True if the sides agree once the documents that another side's document replaces are ignored."""
    cited = {side.quote.document_id: document(side.quote.document_id) for side in conflict.sides}
    replaced = replaced_documents(tuple(cited.values()))
    return len({side.value for side in conflict.sides if side.quote.document_id not in replaced}) < 2


def _is_of_other_edition(conflict: Conflict, question: str, document: Load) -> bool:
    """Return True if a question names a year, and the sides agree without price lists, policies and the like of other
    years.
    """
    years = {one.year for one in periods(question) if one.year}
    values = set()
    for side in conflict.sides:
        own = document(side.quote.document_id)
        edition = edition_of(own) if may_be_replaced(own) else None
        if edition is None or edition.year in years:
            values.add(side.value)
    return bool(years) and len(values) == 1


def _gives(claim: Claim, side: ConflictSide) -> bool:
    """Return True if a statement of the answer contains the value of a side."""
    told, value = one_line(claim.text), one_line(side.value)
    return (value in told or told in value) and any(overlap(quote, side.quote) for quote in claim.quotes)


def _replaces_others(side: ConflictSide, conflict: Conflict) -> bool:
    """Return True if a statement says that its value replaces each of the other values."""
    olds = [old for old, new, _ in replaced_values(side.quote.text) if says_value(side.value, new)]
    return all(one.value == side.value or any(says_value(one.value, old) for old in olds) for one in conflict.sides)


def _of_asked_time(conflicts: Sequence[Conflict], question: str) -> tuple[Conflict, ...]:
    """Return the conflicts between values that are valid at the time in question."""
    asked = moment_asked(question)
    if asked is None or kind_of(question) is QuestionKind.YES_NO:  # because the day may be what the question asks about
        return tuple(conflicts)
    return tuple(one for one in conflicts if len({side.value for side in _in_force(one.sides, asked)}) > 1)


def _in_force(sides: Sequence[ConflictSide], asked: Moment) -> list[ConflictSide]:
    held = [
        (begins_at(side.quote.text, asked, side.date), side)
        for side in sides
        if in_span(asked, side.quote.text) is not False
    ]
    newest = max((begin for begin, _ in held), default=None)
    return [side for begin, side in held if begin == newest]


def about_values(parts: Sequence[Part], library: DocumentIndex) -> tuple[Passage, ...]:
    """Return the passages that may give a value for a part of a question, or say that the value has changed."""
    changes = [f"{' '.join(content_words(part.question))} {_CHANGED}" for part in parts]
    queries = (*(part.question for part in parts), *changes)
    return tuple(passage for query in queries for passage in library.passages((query,)))


def value_conflicts_among(
    parts: Sequence[Part], claims: Sequence[Claim], passages: Sequence[Passage], document: Load
) -> tuple[Conflict, ...]:
    """Return the values that passages give for the thing in a part, if they differ from the value in the answer. A
    passage may also say that it replaces a value in the answer.
    """
    cited = [(quote.document_id, quote.start, quote.end) for one in claims for quote in one.quotes if not quote.cell]
    said = sentences_in(cited, document, sentence_spans)
    every = as_statements((*said, *sentences_in(spans_of(passages), document)), document)
    things = [(part, _thing(part.question)) for part in parts if not part.side]
    found = (value_conflict(part.question, thing, every[: len(said)], every) for part, thing in things if thing)
    return tuple(one for one in found if one is not None)


def _thing(question: str) -> Thing | None:
    """Return the thing whose value a question asks for. If a yes-or-no question names a single day, that day is the
    value.
    """
    days = [one.text for one in moments(question) if one.day]
    if len(days) == 1 and kind_of(question) is QuestionKind.YES_NO:
        return thing_asked(f"When {question.replace(days[0], ' ')}")
    return thing_asked(question)


def spans_of(passages: Sequence[Passage]) -> list[tuple[str, int, int]]:
    """Return the document id, start and end of each passage."""
    return [(one.document_id, one.start, one.end) for one in passages]


def sentences_in(
    spans: Sequence[tuple[str, int, int]],
    document: Load,
    split: Callable[[str], Iterator[tuple[int, int]]] = statement_spans,
    *,
    in_tables: bool = False,
) -> tuple[Quote, ...]:
    """Return each sentence of the given spans once; tables are skipped unless `in_tables` is True."""
    found: dict[tuple[str, int], Quote] = {}
    for name, low, high in spans:
        one = document(name)
        tables = [(table.start, table.end) for table in one.tables if not in_tables]
        for start, end in split(one.text[low:high]):
            place = low + start
            in_table = any(first <= place < last for first, last in tables)
            if in_table or is_quoted(one, place) or addresses_model(one.text[place : low + end]):
                continue
            found.setdefault((name, place), quote_at(one, place, low + end))
    return tuple(found.values())[:_MOST_STATEMENTS]


def as_statements(said: Sequence[Quote], document: Load) -> tuple[DatedSentence, ...]:
    """Convert quotes to dated statements; each lists the documents about other things, and the documents in the same
    series.
    """
    cited = {quote.document_id: document(quote.document_id) for quote in said}
    return _related(dated_sentences([(quote, quote.text, quote.start) for quote in said], cited), cited)


def _related(statements: Sequence[DatedSentence], documents: Mapping[str, Document]) -> tuple[DatedSentence, ...]:
    """Record with each statement which other documents are about other things, and which belong to the same series;
    both are recognised by their first lines.
    """

    @cache
    def said(name: str) -> frozenset[str]:
        return frozenset(words(documents[name].text))

    titles = {name: title_line(one.text) for name, one in documents.items()}

    def others(name: str, are: Callable[[str, str], bool]) -> frozenset[str]:
        return frozenset(other for other in documents if other != name and are(name, other))

    apart = {name: others(name, lambda a, b: are_apart(titles[a], titles[b], said(a), said(b))) for name in documents}
    series = {name: others(name, lambda a, b: are_of_a_series(titles[a], titles[b])) for name in documents}
    about = {name: f"{one.title} {titles[name]}" for name, one in documents.items()}
    known = ((one, one.document_id) for one in statements)
    return tuple(replace(one, about=about[n], apart_from=apart[n], alongside=series[n]) for one, n in known)


def dated_sentences(
    said: Sequence[tuple[Quote, str, int]],
    documents: Mapping[str, Document],
    versions: Mapping[str, int] | None = None,
) -> tuple[DatedSentence, ...]:
    """Return the sentences of quotes with their positions, and with the date, period and version of their documents.

    Documents with the same number in `versions` are versions of one text; by default, versions are detected, which is
    slow.
    """
    if versions is None:
        versions = {name: number for number, group in enumerate(_versions(documents)) for name in group}
    about = {name: (date_of(one), _covered(_about(one)), versions.get(name)) for name, one in documents.items()}
    return tuple(
        DatedSentence(
            quote,
            sentence,
            *about[quote.document_id],
            section=heading_at(documents[quote.document_id].headings, at),
        )
        for quote, sentence, at in said
    )


def with_conflicts(answer: Answer, found: tuple[Conflict, ...], precedence: Precedence) -> Answer:
    """Add the conflicts between documents to the answer; its status is conflicting unless the newest document takes
    precedence.

    In that case, statements with quotes from the newest sides come first. If any side has no date, no side takes
    precedence.
    """
    if not found or not answer.claims:
        return answer
    answer = answer.changed(conflicts=found)
    dated = all(side.date for conflict in found for side in conflict.sides)
    if precedence is Precedence.NEWER and dated:
        newest = {conflict.sides[-1].quote for conflict in found}
        claims = tuple(sorted(answer.claims, key=lambda claim: newest.isdisjoint(claim.quotes)))
        reason = f"{answer.reason} If the documents disagree, the newest one takes precedence."
        return answer.changed(claims=claims, text=cited_text(claims), reason=reason)
    if answer.status is not AnswerStatus.ANSWERED:
        return answer
    status = AnswerStatus.CONFLICTING
    outcome = status if answer.outcome == answer.status else answer.outcome
    return answer.changed(
        status=status, outcome=outcome, decision=None, reason=f"{answer.reason} The documents disagree."
    )


def _versions(documents: Mapping[str, Document]) -> Iterator[frozenset[str]]:
    """Yield groups of documents that are versions of one text about one subject.

    Data sheets of two products may share most words. A document is therefore excluded from its group if its first line
    names something that no other document of the group mentions.
    """
    for group in version_groups({name: one.text for name, one in documents.items()}):
        mentioned = {name: frozenset(words(documents[name].text)) for name in group}
        others = {
            name: frozenset().union(*(said for other, said in mentioned.items() if other != name)) for name in group
        }
        yield frozenset(name for name in group if named_in(title_line(documents[name].text)) <= others[name] | EDITIONS)


def _meeting(part: Part, quote: Quote, document: Document) -> Iterator[tuple[str, int, bool]]:
    """Yield the sentences of a quote that meet at least half of a part's constraints and contradict none, with their
    positions.

    Each sentence must itself contain some words of the question, but its neighbours may name the subject. The third
    value is True if the sentence meets every constraint.
    """
    for start, end in sentence_spans(quote.text):
        sentence = quote.text[start:end]
        if is_quoted(document, quote.start + start):
            continue
        read_with = surroundings(quote, sentence, document)
        states = [match.state for match in matches(part.constraints, part.question, read_with)]
        half = 2 * states.count(MatchState.MET) >= max(1, len(states))
        if half and MatchState.CONTRADICTED not in states and _says_what_is_asked(part, read_with):
            yield sentence, quote.start + start, bool(states) and set(states) == {MatchState.MET}


def _says_what_is_asked(part: Part, read_with: Surroundings) -> bool:
    asked = [one for one in part.constraints if one.kind in (ConstraintKind.ATTRIBUTE, ConstraintKind.PHASE)]
    alone = matches(asked, part.question, replace(read_with, near="", about=""))
    is_of_phase = all(one.state is MatchState.MET for one in alone if one.constraint.kind is ConstraintKind.PHASE)
    return not asked or (is_of_phase and any(match.state is MatchState.MET for match in alone))


def _about(document: Document) -> str:
    return f"{document.title}\n{document.text[:1_500]}"


def date_of(document: Document) -> str | None:
    """Return the date of a document in ISO 8601: from its properties, otherwise the first full date at its
    beginning.
    """
    return document.date or _first_day(_about(document))


@lru_cache(maxsize=1_024)
def _first_day(about: str) -> str | None:
    days = (day for date in dates(normalise(about).text) for day in date.readings)
    return next((f"{d.year:04}-{d.month:02}-{d.day:02}" for d in days if d.year and d.day), None)


@lru_cache(maxsize=1_024)
def _covered(about: str) -> str:
    """Return the periods named at the beginning of a report; "" for other documents."""
    return " ".join(sorted(map(repr, periods(about)))) if _REPORTS_ON.search(about) else ""
