"""Finds documents that give different values for the same question, and decides which one counts. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from investigator.documents.pages import heading_at
from investigator.evidence.conflicts import DatedSentence, conflicts
from investigator.evidence.versions import version_groups
from investigator.language.dates import dates, without_dates
from investigator.language.normalise import normalise
from investigator.language.sentences import sentence_spans
from investigator.language.terms import tokens, words
from investigator.questions.matching import Surroundings, matches
from investigator.questions.periods import periods
from investigator.records import (
    Answer,
    AnswerStatus,
    Conflict,
    ConstraintKind,
    Document,
    MatchState,
    Memory,
    Part,
    Quote,
)
from investigator.research.answer import Precedence, cited_text
from investigator.research.judging import surroundings

_REPORTS_ON = re.compile(
    r"\b(?:quarter(?:ly)?|fiscal|annual|years?|months|half)\b[^.\n]{0,30}\b(?:ended|ending)\b", re.I
)

_FIRST_LINE = 120  # characters
_EDITIONS = frozenset({"draft", "final", "version", "revised", "revision", "rev", "edition", "copy", "amended", "new"})
_GREETING = re.compile(r"\W*(?:dear|hello|hi)\b", re.IGNORECASE)
"""The salutation of a letter; the person it names is not its subject."""


def conflicts_among(
    parts: Sequence[Part], memories: Sequence[Memory], document: Callable[[str], Document]
) -> tuple[Conflict, ...]:
    """Return the conflicts among the quotes of memories that meet a part of the question."""
    quotes = tuple(dict.fromkeys(quote for memory in memories if not memory.addressed for quote in memory.quotes))
    cited = {quote.document_id: document(quote.document_id) for quote in quotes}
    found: list[Conflict] = []
    for part in parts:
        meeting = [(quote, *said) for quote in quotes for said in _meeting(part, quote, cited[quote.document_id])]
        dated = dated_sentences([(quote, sentence, at) for quote, sentence, at, _ in meeting], cited)
        apart = _apart(cited)
        found += conflicts(
            part.question,
            tuple(
                replace(one, says_all=said[-1], apart_from=apart[one.quote.document_id])
                for one, said in zip(dated, meeting, strict=True)
            ),
        )
    return tuple(found)


def _apart(documents: Mapping[str, Document]) -> dict[str, frozenset[str]]:
    """Return for each document the documents that do not mention what its first line names."""
    mentioned = {name: frozenset(words(one.text)) for name, one in documents.items()}
    named = {name: _named_first(one) - _EDITIONS for name, one in documents.items()}
    return {name: frozenset(other for other in documents if not named[name] <= mentioned[other]) for name in documents}


def dated_sentences(
    said: Sequence[tuple[Quote, str, int]], documents: Mapping[str, Document]
) -> tuple[DatedSentence, ...]:
    """Return the sentences of quotes with their places and what their documents say about themselves."""
    versions = {name: number for number, group in enumerate(_versions(documents)) for name in group}
    about = {name: (_date(one), _subject(one), versions.get(name)) for name, one in documents.items()}
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
    """Add the conflicts between documents to the answer; its status is conflicting unless the newest document counts.

    In that case statements with quotes from the newest sides come first. Sides without a date have no precedence.
    """
    if not found or not answer.claims:
        return answer
    answer = answer.changed(conflicts=found)
    dated = all(side.date for conflict in found for side in conflict.sides)
    if precedence is Precedence.NEWER and dated:
        newest = {conflict.sides[-1].quote for conflict in found}
        claims = tuple(sorted(answer.claims, key=lambda claim: newest.isdisjoint(claim.quotes)))
        reason = f"{answer.reason} Where the documents disagree, the newest one counts."
        return answer.changed(claims=claims, text=cited_text(claims), reason=reason)
    if answer.status is not AnswerStatus.ANSWERED:
        return answer
    status = AnswerStatus.CONFLICTING
    outcome = status if answer.outcome == answer.status else answer.outcome
    return answer.changed(status=status, outcome=outcome, reason=f"{answer.reason} They do not agree.")


def _versions(documents: Mapping[str, Document]) -> Iterator[frozenset[str]]:
    """Yield groups of documents that are versions of one text about one subject.

    Data sheets of two products may share most words: if a document's first line names something that no other document
    of the group mentions, its subject is different.
    """
    for group in version_groups({name: one.text for name, one in documents.items()}):
        mentioned = {name: frozenset(words(documents[name].text)) for name in group}
        others = {
            name: frozenset().union(*(said for other, said in mentioned.items() if other != name)) for name in group
        }
        yield frozenset(name for name in group if _named_first(documents[name]) <= others[name] | _EDITIONS)


def _named_first(document: Document) -> frozenset[str]:
    """Return the names in the first line of a document, folded, without dates."""
    line = normalise(document.text.strip().split("\n", 1)[0][:_FIRST_LINE]).text
    if _GREETING.match(line):
        return frozenset()
    return frozenset(
        part
        for token in tokens(without_dates(line, dates(line)))
        if any(char.isupper() for char in token)
        for part in words(token)
        if not part.isdigit()
    )


def _meeting(part: Part, quote: Quote, document: Document) -> Iterator[tuple[str, int, bool]]:
    """Yield the sentences of a quote that meet at least half of a part without contradicting it, with their places.

    Each must itself say part of what is asked; neighbouring sentences may give the subject. The flag is True if it
    meets every constraint.
    """
    for start, end in sentence_spans(quote.text):
        sentence = quote.text[start:end]
        read_with = surroundings(quote, sentence, document)
        states = [match.state for match in matches(part.constraints, part.question, read_with)]
        half = 2 * states.count(MatchState.MET) >= max(1, len(states))
        if half and MatchState.CONTRADICTED not in states and _says_what_is_asked(part, read_with):
            yield sentence, quote.start + start, bool(states) and set(states) == {MatchState.MET}


def _says_what_is_asked(part: Part, read_with: Surroundings) -> bool:
    asked = [one for one in part.constraints if one.kind is ConstraintKind.ATTRIBUTE]
    alone = matches(asked, part.question, replace(read_with, near="", about=""))
    return not asked or any(match.state is MatchState.MET for match in alone)


def _about(document: Document) -> str:
    return f"{document.title}\n{document.text[:1_500]}"


def _date(document: Document) -> str | None:
    """Return the date of a document in ISO 8601: from its properties, else the first full date on its first page."""
    if document.date:
        return document.date
    days = (day for date in dates(normalise(_about(document)).text) for day in date.readings)
    return next((f"{d.year:04}-{d.month:02}-{d.day:02}" for d in days if d.year and d.day), None)


def _subject(document: Document) -> str:
    """Return the periods that a report covers according to itself; "" for other documents."""
    about = _about(document)
    return " ".join(sorted(map(repr, periods(about)))) if _REPORTS_ON.search(about) else ""
