"""Decides for every document of a folder whether it contains what a question asks for, with supporting quotes. Pure.

The verdict is yes if the document's words show it; unclear if some words are missing or far apart, or if a piece is
only similar in meaning; otherwise no. Unclear documents are left to an engine that reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from investigator.evidence.listed_items import enumerated, listed_items
from investigator.evidence.quotes import Load, quote_at
from investigator.evidence.widening import whole_sentences
from investigator.language.addressed import addresses_model
from investigator.language.late_patterns import late
from investigator.language.normalise import one_line
from investigator.language.relevance import rarity
from investigator.language.sentences import sentence_spans
from investigator.language.terms import words
from investigator.questions.answer_types import AnswerType, expected_type, holds_type
from investigator.questions.asked_amounts import asked_amounts
from investigator.questions.cues import patterns
from investigator.questions.imprints import dated_line
from investigator.questions.kinds import asked_documents, asked_media_types, cue
from investigator.questions.periods import periods
from investigator.questions.related import root, roots
from investigator.questions.topics import Term, Topic, spelled_roots, topics_of
from investigator.records import Document, Quote, RowVerdict, TableRow
from investigator.research.rows import has_rows
from investigator.research.table_cells import has_things, rows_listed
from investigator.research.telling import cites_others
from investigator.retrieval.library import DocumentIndex
from investigator.retrieval.surveying import FoundSpan, Survey
from investigator.tables.things import asked_things, lists_things

_OF_YEAR = late(
    r"\b(?:(?:are|were|is|was) )?(?:(?:(?:dated|written|issued|published) )?(?:in|from)|dated|dat(?:e|es|ing) from|of)"
    r"(?: the year)? (?P<year>(?:19|20)\d\d)(?=\W*$)",
    re.IGNORECASE,
)
_MOST_QUOTES = 3
# quality of a quote: weight of the words that it contains, weight of its readability, and maximum gap to the best quote
_OWN_WORDS, _WELL_READ, _FAR_BEHIND = 0.5, 0.1, 0.2
_LONGEST_SENTENCE = 700  # in characters; in longer pieces such as tables and lists, only the matching lines are quoted
_ABOUT = 600  # number of characters at the beginning of a document that describe it
_TITLE = 5  # a sentence that starts before this position includes the title
_HERE, _BY_ANOTHER_WORD, _AROUND, _ABOUT_IT = 1.0, 0.9, 0.7, 0.6
_YES, _MAYBE = 0.65, 0.5
_THING = 0.4  # weight factor for a term that names the requested kind of thing
_NOT_ITS_PLACE = 0.6  # maximum strength of a sentence that may give the place of other people's work
_IN_NO_DOCUMENT = rarity(0.0)
_NEAR_IN_MEANING = 0.6
_FAR_IN_MEANING, _MOST_OF_MEANING = 0.3, 0.3  # cosine above which a similar piece gets a bonus, and the maximum bonus
_SURELY_A_SENTENCE = 6  # minimum number of words


@dataclass(frozen=True)
class Sighting:
    """The span of a sentence that contains some of the terms; `strength` is the confidence (0..1).

    `said` is the share of the terms that the sentence contains literally, and `reads` is its suitability as a quote.
    """

    start: int
    end: int
    strength: float
    said: float
    reads: float
    missing: tuple[str, ...]

    @property
    def worth(self) -> float:
        """Return how suitable the sentence is as a quote."""
        return self.strength + _OWN_WORDS * self.said + _WELL_READ * self.reads


def surveyed(question: str, library: DocumentIndex) -> tuple[TableRow, ...]:
    """Return a row for each document, ordered by name. If things are listed or counted, return a row for each thing.

    Raises StoreError.
    """
    topics, survey = _topics_and_survey(question, library)
    of_year = _OF_YEAR.search(question)
    if (media_types := asked_media_types(_OF_YEAR.sub(" ", question))) is not None:
        rows = (_of_format(library.document(name), media_types) for name in sorted(survey.spans))
        if of_year is None:
            return tuple(rows)
        return tuple(_of_year(row, library.document(row.document_id), int(of_year["year"])) for row in rows)
    return _things(survey, question, library.document) or _decided(survey, topics, question, library.document)


def counted(question: str, library: DocumentIndex, *, bound: bool | None = None) -> tuple[TableRow, ...]:
    """Return the table rows that a question asks to count, one for each thing.

    `bound` limits this to questions that name more than the kind of thing (True), or only the kind (False). Raises
    StoreError.
    """
    things = asked_things(question)
    if things is None or not things.is_count or bound not in (None, things.is_bound):
        return ()
    if asked_media_types(_OF_YEAR.sub(" ", question)) is not None:
        return ()
    return _things(_topics_and_survey(question, library)[1], question, library.document)


def _topics_and_survey(question: str, library: DocumentIndex) -> tuple[tuple[Topic, ...], Survey]:
    topics = topics_of(question)
    searched = tuple(term for topic in topics for term in topic.searched)
    return topics, library.survey(searched, " ".join(topic.text for topic in topics))


def _decided(survey: Survey, topics: Sequence[Topic], question: str, document: Load) -> tuple[TableRow, ...]:
    weights, kind = _weights(topics, survey.weights), expected_type(question)
    rows = []
    for document_id, spans in sorted(survey.spans.items()):
        is_near = any(span.held or span.similarity >= _NEAR_IN_MEANING for span in spans)
        each = [
            _row(document(document_id), spans, topic, own, kind) if is_near else _not_in(document_id)
            for topic, own in zip(topics, weights, strict=True)
        ]
        row = _together(document_id, topics, each)
        is_told = any(topic.is_mention for topic in topics)
        if row.verdict is RowVerdict.YES and not is_told and has_things(question, document(document_id)):
            row = row.changed(verdict=RowVerdict.UNCLEAR)  # the question asks for table rows, not for documents
        if row.verdict is RowVerdict.YES and not is_told:  # amounts are not compared here
            row = row.changed(missing=(*row.missing, *(one.text for one in asked_amounts(question))))
        rows.append(row)
    return tuple(_without_other_kinds(rows, question, document))


def _without_other_kinds(rows: Sequence[TableRow], question: str, document: Load) -> Iterator[TableRow]:
    """Yield the rows, changing yes to no for a document that qualifies only because it lacks something but is not of
    the requested kind: a price list is not one of the "minutes that do not mention rain". If no document is of that
    kind, the rows are unchanged.
    """
    lacking = {row.document_id for row in rows if row.verdict is RowVerdict.YES and not row.quotes}
    asked = asked_documents().search(question)
    noun = root(words(asked.group())[-1]) if asked and lacking else ""
    called = {row.document_id for row in rows if noun and noun in _called(document(row.document_id))}
    for row in rows:
        is_other = bool(called) and row.document_id in lacking - called
        yield _not_in(row.document_id) if is_other else row


def _called(document: Document) -> frozenset[str]:
    return roots(f"{document.names} {document.imprint.kind}")


def _together(document_id: str, topics: Sequence[Topic], each: Sequence[TableRow]) -> TableRow:
    """Merge a document's rows, one for each topic. The verdict is yes if the document has all topics except the
    excluded ones.
    """
    refused = (RowVerdict.YES if topic.is_excluded else RowVerdict.NO for topic in topics)
    if any(row.verdict is verdict for row, verdict in zip(each, refused, strict=True)):
        return _not_in(document_id)
    verdict = RowVerdict.UNCLEAR if any(row.verdict is RowVerdict.UNCLEAR for row in each) else RowVerdict.YES
    quotes = tuple(dict.fromkeys(quote for row in each for quote in row.quotes))
    return TableRow(
        label=document_id,
        document_id=document_id,
        verdict=verdict,
        value=next((row.value for row in each if row.value), ""),
        quotes=quotes,
        missing=tuple(word for row in each for word in row.missing),
    )


def _not_in(document_id: str) -> TableRow:
    return TableRow(label=document_id, document_id=document_id, verdict=RowVerdict.NO)


def _of_format(document: Document, media_types: re.Pattern[str]) -> TableRow:
    """Return the row for a document that is requested only by its format; its beginning serves as the quote."""
    if not media_types.fullmatch(document.media_type):
        return _not_in(document.id)
    start, end = next(sentence_spans(document.text[:_ABOUT]), (0, 0))
    quotes = (quote_at(document, start, end),) if end and not addresses_model(document.text[start:end]) else ()
    title = "" if addresses_model(document.title) else document.title
    return TableRow(label=document.id, document_id=document.id, verdict=RowVerdict.YES, value=title, quotes=quotes)


def _of_year(row: TableRow, document: Document, year: int) -> TableRow:
    """Decide a document's row from the document's own date; without a date, the row is unclear."""
    if row.verdict is RowVerdict.NO:
        return row
    dated, first = dated_line(document.text), document.text.strip().partition("\n")[0]
    if dated is not None and not has_rows(document, *dated[:2]):
        years = {dated[2].year}
        row = row.changed(quotes=(quote_at(document, *dated[:2]),))
    else:
        names = (document.id, *(text[:_ABOUT] for text in (document.title, first) if not text.endswith(".")))
        named = periods(" | ".join(names))
        years = {document.imprint.fiscal_year, *(one.year for one in named)} - {None}
    if len(years) != 1:
        return row.changed(verdict=RowVerdict.UNCLEAR, missing=("a date of its own",))
    return row if year in years else _not_in(document.id)


def _things(survey: Survey, question: str, document: Load) -> tuple[TableRow, ...]:
    """Return a row for each thing that a table or a list names, if the question asks to list or count things.

    Things that may be documents, such as articles, are looked up in tables, unless the question asks what they mention.
    """
    may_be_documents = cue("documents").search(question) is not None
    if may_be_documents and patterns("lists")["told"].search(question):
        return ()
    holding = sorted(name for name, spans in survey.spans.items() if spans)
    rows = [row for name in holding for row in rows_listed(question, document(name))]
    rows = [row for row in rows if row.verdict is RowVerdict.YES] or rows
    if rows or may_be_documents or not lists_things(question):
        return tuple(rows)
    items = (quote for name in holding for quote in listed_items(question, document(name)))
    rows = [_of_thing(one_line(quote.text), quote) for quote in items]
    return tuple(rows or (row for name in holding for row in _enumerated(survey.spans[name], question, document(name))))


def _of_thing(label: str, quote: Quote) -> TableRow:
    return TableRow(
        label=label, document_id=quote.document_id, verdict=RowVerdict.YES, value=quote.said, quotes=(quote,)
    )


def _enumerated(spans: Sequence[FoundSpan], question: str, document: Document) -> Iterator[TableRow]:
    """Yield a row for each item in a list inside a sentence; the row quotes the sentence."""
    for span in spans:
        text, before = document.text[span.start : span.end], ""
        for start, end in sentence_spans(text):
            items = enumerated(question, text[start:end], before)
            before = text[start:end]
            place = span.start + start, span.start + end
            if items and not addresses_model(before) and not has_rows(document, *place):
                yield from (_of_thing(item, quote_at(document, *place)) for item in items)


def _weights(topics: Sequence[Topic], searched: Sequence[float]) -> tuple[tuple[float, ...], ...]:
    """Return the weight of each term of each topic: the weight of its rarest word, or 0 if no document contains the
    term.
    """
    left = iter(searched)
    each = [tuple(max([next(left) for _ in term.searched], default=1.0) for term in topic.terms) for topic in topics]
    return tuple(_weighed(topic, found) for topic, found in zip(topics, each, strict=True))


def _weighed(topic: Topic, found: Sequence[float]) -> tuple[float, ...]:
    weights = [_THING * one if term.is_thing else one for term, one in zip(topic.terms, found, strict=True)]
    absent = [one >= _IN_NO_DOCUMENT and not term.is_name for term, one in zip(topic.terms, found, strict=True)]
    if topic.is_mention or all(absent):
        return tuple(weights)
    return tuple(0.0 if is_absent else weight for weight, is_absent in zip(weights, absent, strict=True))


def _row(
    document: Document, spans: Sequence[FoundSpan], topic: Topic, weights: Sequence[float], kind: AnswerType
) -> TableRow:
    found = sorted(_sightings(document, spans, topic, weights, kind), key=lambda one: (-one.worth, one.start))
    best = max((one.strength for one in found), default=0.0)
    nearest = max(spans, key=lambda span: span.similarity)
    yes = 1.0 if topic.is_mention else _YES
    verdict = RowVerdict.YES if best >= yes else RowVerdict.UNCLEAR if best >= _MAYBE else RowVerdict.NO
    if verdict is RowVerdict.NO and nearest.similarity >= _NEAR_IN_MEANING and not topic.is_excluded:
        verdict = RowVerdict.UNCLEAR
    if verdict is RowVerdict.NO:
        return _not_in(document.id)
    chosen = [one for one in found if one.worth >= found[0].worth - _FAR_BEHIND] if best >= _MAYBE else []
    quotes = tuple(dict.fromkeys(_quote(document, one) for one in _apart(chosen)[:_MOST_QUOTES]))
    if not quotes:
        start, end = next(sentence_spans(document.text[nearest.start : nearest.end]), (0, 0))
        quotes = (quote_at(document, nearest.start + start, nearest.start + end),) if end else ()
    if not quotes:
        return _not_in(document.id)
    return TableRow(
        label=document.id,
        document_id=document.id,
        verdict=verdict,
        value=quotes[0].said,
        quotes=quotes,
        missing=chosen[0].missing if chosen else (),
    )


def _apart(found: Sequence[Sighting]) -> list[Sighting]:
    """Return the sightings without overlaps; if two overlap, the better one is kept."""
    kept: list[Sighting] = []
    for one in found:
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return kept


def _quote(document: Document, one: Sighting) -> Quote:
    start, end = one.start, one.end
    if end - start <= _LONGEST_SENTENCE:
        wide = whole_sentences(document.text, start, end)
        start, end = wide if wide[1] - wide[0] <= _LONGEST_SENTENCE else (start, end)
    return quote_at(document, start, end)


def _sightings(
    document: Document, spans: Sequence[FoundSpan], topic: Topic, weights: Sequence[float], kind: AnswerType
) -> Iterator[Sighting]:
    about = spelled_roots(f"{document.title} {document.id} {document.text[:_ABOUT]}")
    total = sum(weights) or 1.0
    for span in spans:
        if not span.held:
            continue
        text = document.text[span.start : span.end]
        around = frozenset(spelled_roots(text))
        for start, end in _pieces(text):
            piece = text[start:end]
            if addresses_model(piece):
                continue
            roots = spelled_roots(piece)
            held = [
                _strength(term, piece, roots, around, about, document, is_mention=topic.is_mention)
                for term in topic.terms
            ]
            if not any(one >= _BY_ANOTHER_WORD for one in held):
                continue
            strength = sum(weight * one for weight, one in zip(weights, held, strict=True)) / total
            if not topic.is_mention:
                strength = min(1.0, strength + min(_MOST_OF_MEANING, max(0.0, span.similarity - _FAR_IN_MEANING)))
            missing = tuple(term.text for term, one in zip(topic.terms, held, strict=True) if one < _BY_ANOTHER_WORD)
            said = sum(one for one, full in zip(weights, held, strict=True) if full >= _BY_ANOTHER_WORD) / total
            if topic.is_setting and not _is_its_place(piece, span.start + start):
                strength, said = min(strength, _NOT_ITS_PLACE), min(said, _NOT_ITS_PLACE)
            yield Sighting(span.start + start, span.start + end, strength, said, _reads(piece, roots, kind), missing)


def _is_its_place(sentence: str, start: int) -> bool:
    """Return True if a sentence gives the place of the work that its document reports on, not of other work."""
    if start < _TITLE or cue("own_setting").search(sentence):
        return True
    return cue("setting").search(sentence) is not None and not cites_others(sentence)


def _strength(
    term: Term,
    piece: str,
    roots: Sequence[str],
    around: frozenset[str],
    about: Sequence[str],
    document: Document,
    *,
    is_mention: bool,
) -> float:
    """Return the confidence (0..1) that a term occurs: in the sentence, as a synonym, nearby, or in the title."""
    if term.stands_in(roots) or term.stands_short(piece, document.text):
        return _HERE
    if term.of_whom and term.stands_in(about):
        return _HERE
    if not is_mention and not term.other_roots.isdisjoint(roots):
        return _BY_ANOTHER_WORD
    if any(set(own) <= around for own in term.roots):
        return _AROUND
    return _ABOUT_IT if term.stands_in(about) else 0.0


def _reads(piece: str, roots: Sequence[str], kind: AnswerType) -> float:
    """Return how suitable a piece is as a quote. Whole sentences score higher, and so do pieces that contain the
    requested kind of thing.
    """
    ends = piece.rstrip("\"'”’) ").endswith((".", "!", "?"))
    whole = piece[:1].isupper() and ends and len(roots) >= _SURELY_A_SENTENCE
    return float(whole) + holds_type(kind, piece, "")


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences in the text; overlong sentences are split into lines."""
    for start, end in sentence_spans(text):
        if end - start <= _LONGEST_SENTENCE:
            yield start, end
            continue
        at = start
        for line in text[start:end].splitlines(keepends=True):
            if line.strip():
                yield at, at + len(line.rstrip())
            at += len(line)
