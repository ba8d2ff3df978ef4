"""Statements that give one thing different values, of documents or inside one, side by side. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from investigator.evidence.cells import cell_quote
from investigator.evidence.conflicts import conflicts
from investigator.evidence.quotes import quote_at
from investigator.language.addressed import addresses_model
from investigator.language.negation import negates
from investigator.language.normalise import one_line
from investigator.language.sentences import sentence_spans
from investigator.language.terms import content_words
from investigator.questions.parts import subject_of_contradiction
from investigator.questions.related import root, roots
from investigator.records import (
    SUMMARY,
    AnswerStatus,
    Claim,
    Conflict,
    Document,
    Investigation,
    Memory,
    Part,
    Quote,
)
from investigator.research.disagreement import dated_sentences
from investigator.research.telling import telling_sentences
from investigator.research.verdict import Verdict, number_of
from investigator.tables.document_tables import tables_of
from investigator.tables.lookup import best_cells, figure_of

_MOST_SENTENCES = 20_000  # of all documents together
_FEWEST_WORDS, _LONGEST = 2, 400  # words, characters
_MOST_SHOWN, _MOST_OF_ONE = 8, 4
_MOST_ALIKE = 24
"""Sentences of the same words, values aside: what is said more often is a form that is filled in."""
_MOST_OF = 0.6  # of the words of a subject that a sentence must say, those that name its document aside
_VALUE = re.compile(r"\d")


def compared(
    usual: Verdict,
    run: Investigation,
    history: Sequence[Memory],
    names: Sequence[str],
    document: Callable[[str], Document],
) -> tuple[Verdict, tuple[Conflict, ...]]:
    """Return what statements do not agree on, each side a statement, with the verdict on it.

    Of a question with a subject, the documents that were asked are compared, else all of them, `names`. Statements on
    the subject whose values differ, and that may be of different things, are shown, and nothing is established; so is
    what was found as for any question (`usual`), if there are none.
    """
    asked = dict.fromkeys(one.target_document_id for one in history if one.quotes and not one.addressed)
    what = subject_of_contradiction(run.question)[1]
    subject = frozenset(map(root, content_words(what))) if what else frozenset[str]()
    read = [document(name) for name in (asked if subject else names) if name != SUMMARY]
    found = [conflict for part in run.parts for conflict in _conflicts(part, read, subject)]
    if found:
        claims = tuple(dict.fromkeys(_claim(side.quote) for conflict in found for side in conflict.sides))
        reason = f"{number_of(len(found), 'thing')} given different values, in {_where(claims)}; {_read(read)}."
        return Verdict(AnswerStatus.ANSWERED, claims, reason=reason), tuple(found)
    differing = (
        [quote for part in run.parts for quote in _differing(part, subject, history, document)]
        if subject
        else [quote for same in _alike(read, subject) for quote in _of_several(same)][:_MOST_SHOWN]
    )
    claims = tuple(_claim(quote) for quote in differing)
    if len(claims) > 1:
        what = "give values for it" if subject else "differ in a value alone"
        reason = f"These statements {what}; nothing establishes that they are of the same thing."
        return Verdict(AnswerStatus.PASSAGES_FOUND, claims, reason=reason), ()
    reason = f"No contradiction was recognised; {_read(read)}." if read else "No document speaks of it."
    status = AnswerStatus.PASSAGES_FOUND if usual.claims else AnswerStatus.NOT_FOUND
    return replace(usual, status=status, reason=reason), ()


def _where(claims: Sequence[Claim]) -> str:
    return number_of(len({quote.document_id for claim in claims for quote in claim.quotes}), "document")


def _read(documents: Sequence[Document]) -> str:
    return f"all statements of {number_of(len(documents), 'document')} compared"


def _conflicts(part: Part, documents: Sequence[Document], subject: frozenset[str]) -> Iterator[Conflict]:
    """Yield the conflicts among the sentences that say the subject, or among all that say the same words."""
    known = {one.id: one for one in documents}
    for same in _alike(documents, subject):
        own = {quote.document_id: known[quote.document_id] for quote in same}
        together = [(quote, quote.text, quote.start) for quote in same]
        yield from conflicts(part.question, dated_sentences(together, own), over_sections=True)


def _alike(documents: Sequence[Document], subject: frozenset[str]) -> Iterator[list[Quote]]:
    """Yield the sentences that say the same words, values aside, if any has a value or denies something."""
    said = sorted(_sentences(documents, subject), key=lambda one: one[0])
    for _, group in groupby(said, key=lambda one: one[0]):
        same = [quote for _, quote in group]
        if 1 < len(same) <= _MOST_ALIKE and any(_VALUE.search(quote.text) or negates(quote.text) for quote in same):
            yield same


def _of_several(same: Sequence[Quote]) -> list[Quote]:
    """Return one quote for each text, if several documents say the same words with different values."""
    texts = dict[str, Quote]()
    for quote in same:
        if _VALUE.search(quote.text):
            texts.setdefault(one_line(quote.text), quote)
    return list(texts.values()) if len({quote.document_id for quote in texts.values()}) > 1 else []


def _sentences(documents: Sequence[Document], subject: frozenset[str]) -> Iterator[tuple[str, Quote]]:
    """Yield the sentences that say a subject, each with the words that are no value of it."""
    left = _MOST_SENTENCES
    for one in documents:
        about = roots(f"{one.title} {one.id.replace('_', ' ')}")
        tables = [(table.start, table.end) for table in one.tables]
        for start, end in sentence_spans(one.text):
            text = one.text[start:end]
            left -= 1
            if left < 0:
                return
            if end - start > _LONGEST or any(first <= start < last for first, last in tables):
                continue
            words = [root(word) for word in content_words(text) if not _VALUE.search(word)]
            if len(words) >= _FEWEST_WORDS and _says(words, subject - about) and not addresses_model(text):
                yield " ".join(sorted(set(words))), quote_at(one, start, end)


def _says(words: Iterable[str], subject: frozenset[str]) -> bool:
    return _MOST_OF * len(subject) <= len(subject.intersection(words))


def _differing(
    part: Part, subject: frozenset[str], history: Sequence[Memory], document: Callable[[str], Document]
) -> list[Quote]:
    """Return what the best document says of a subject with values: cells that meet it, and sentences."""
    found: list[Quote] = []
    best = sorted((one for one in history if one.quotes and not one.addressed), key=lambda one: -(one.point or 0))
    for name in list(dict.fromkeys(one.target_document_id for one in best if one.target_document_id != SUMMARY))[:2]:
        one, near = document(name), [quote for memory in best for quote in memory.quotes if quote.document_id == name]
        cells = [quote for quote in near if quote.cell is not None]
        left = subject - roots(f"{one.title} {one.id.replace('_', ' ')}")
        told = [
            quote
            for quote in telling_sentences(one, part.question, near)
            if _VALUE.search(quote.text) and _says(roots(quote.text), left)
        ]
        found += (*cells, *_cells(part, one), *told)[:_MOST_OF_ONE]
    return list(dict.fromkeys(found))[:_MOST_SHOWN]


def _cells(part: Part, document: Document) -> Iterator[Quote]:
    """Yield the cells that meet all that is asked and give different figures."""
    seen = set[str]()
    for one in best_cells(part.question, tables_of(document), most=_MOST_SHOWN) if document.tables else ():
        figure = figure_of(one.view.words(one.cell))
        if one.is_met and figure not in seen:
            seen.add(figure)
            yield cell_quote(document, one.view, one.cell)


def _claim(quote: Quote) -> Claim:
    return Claim(text=quote.said if quote.cell is not None else one_line(quote.text), quotes=(quote,))
