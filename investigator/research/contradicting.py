"""Finds statements that give different values for the same thing, in different documents or in one. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import NamedTuple

from investigator.evidence.cells import cell_quote
from investigator.evidence.conflicts import DatedSentence, conflicts
from investigator.evidence.quotes import quote_at
from investigator.evidence.stated_values import StatedValue, thing_asked
from investigator.evidence.value_conflicts import value_conflict, values_stated
from investigator.language.addressed import addresses_model
from investigator.language.negation import negates
from investigator.language.normalise import one_line
from investigator.language.sentences import sentence_spans
from investigator.language.terms import content_words, main_words
from investigator.questions.kinds import cue
from investigator.questions.parts import subject_of_contradiction
from investigator.questions.related import root, roots
from investigator.records import (
    SUMMARY,
    AnswerStatus,
    Claim,
    Conflict,
    ConstraintKind,
    Document,
    Investigation,
    Memory,
    Part,
    Quote,
)
from investigator.research.comparing import names_issuer
from investigator.research.disagreement import about_values, as_statements, dated_sentences, sentences_in, spans_of
from investigator.research.telling import telling_sentences
from investigator.research.verdict import Verdict, number_of
from investigator.retrieval.library import DocumentIndex
from investigator.tables.asked import table_question
from investigator.tables.document_tables import tables_of
from investigator.tables.lookup import best_cells, figure_of

_MOST_SENTENCES = 20_000  # maximum total number of sentences compared
_FEWEST_WORDS, _LONGEST = 2, 400  # limits for a sentence: minimum number of words, maximum number of characters
_MOST_SHOWN, _MOST_OF_ONE = 8, 4
_MOST_ALIKE = 24
"""Maximum number of sentences that differ only in their values; if there are more, they come from a form."""
_MOST_OF = 0.6  # minimum share of a subject's words that a sentence must contain, excluding document names
_LOOKED_AT, _MOST_REPORTS = 24, 100  # maximum numbers of cells and of documents examined
_BEHIND_BEST = 20  # documents whose score is lower than the best score by more than this are ignored
_VALUE = re.compile(r"\d")
_NO_VALUE = re.compile(r"(?<![\d.,])(?:1\d|20)\d\d(?![\d%]|[.,]\d)|\b\d+(?:st|nd|rd|th)\b")
"""Matches years and ordinals, which distinguish things but are not values of a thing."""


def compared(
    usual: Verdict,
    run: Investigation,
    history: Sequence[Memory],
    library: DocumentIndex,
) -> tuple[Verdict, tuple[Conflict, ...]]:
    """Return the disagreements among statements, and the verdict.

    If the question has a subject, the documents that were asked, and the passages that give the subject a value, are
    compared; otherwise, all documents are. If statements give the subject different values but may refer to different
    things, they are shown as passages, not as an answer. If there are no disagreements, the compared statements are
    shown or, failing that, the result of an ordinary search (`usual`).
    """
    names, document = library.document_ids(), library.document
    asked = dict.fromkeys(one.target_document_id for one in history if one.quotes and not one.addressed)
    what = subject_of_contradiction(run.question)[1]
    subject = frozenset(map(root, content_words(what))) if what else frozenset[str]()
    read = [document(name) for name in (asked if subject else names) if name != SUMMARY]
    thing = thing_asked(what) if subject else None
    alike = list(_alike(read, subject))
    found = [conflict for part in run.parts for conflict in _conflicts(part, alike, read)]
    said = as_statements(sentences_in(spans_of(about_values(run.parts, library)), document), document) if thing else ()
    if found:
        return _different(found, _read(read)), tuple(found)
    differing = (
        [quote for part in run.parts for quote in _differing(part, what, history, library)]
        if subject
        else [quote for same in alike for quote in _of_several(same)][:_MOST_SHOWN]
    )
    claims = tuple(_claim(quote) for quote in differing)
    if len(claims) > 1:
        shown = "give values for it" if subject else "differ only in a value"
        reason = f"These statements {shown}; it is not established that they are about the same thing."
        return Verdict(AnswerStatus.PASSAGES_FOUND, claims, reason=reason), ()
    if thing and (other := value_conflict(run.question, thing, said, said)):
        return _different([other], "each statement is shown with the date of its document"), (other,)
    stated = values_stated(thing, said) if thing else ()
    if stated:
        claims = tuple(dict.fromkeys(_claim(one.quote) for one, _ in stated))[:_MOST_SHOWN]
        return Verdict(AnswerStatus.PASSAGES_FOUND, claims, reason=_compared_values(stated)), ()
    status = AnswerStatus.PASSAGES_FOUND if usual.claims else AnswerStatus.NOT_FOUND
    return replace(usual, status=status, reason=_nothing_compared(read, on_subject=bool(subject))), ()


def _different(found: Sequence[Conflict], how: str) -> Verdict:
    """Return the verdict for statements that give different values, with a claim for each side."""
    claims = tuple(dict.fromkeys(_claim(side.quote) for conflict in found for side in conflict.sides))
    reason = f"Different values are given for {number_of(len(found), 'thing')}, in {_where(claims)}; {how}."
    return Verdict(AnswerStatus.ANSWERED, claims, reason=reason)


def _compared_values(stated: Sequence[tuple[DatedSentence, StatedValue]]) -> str:
    """List the compared statements with their values, and say that no contradiction was recognised."""
    listed = [f"{value.text} ({one.quote.place})" for one, value in stated]
    named = "; ".join(list(dict.fromkeys(listed))[:_MOST_SHOWN])
    if len({one.document_id for one, _ in stated}) == 1:
        return f"Only {stated[0][0].document_id} gives it a value: {named}. There is nothing to compare."
    return f"Compared: {named}. No contradiction was recognised among these; other wordings may exist."


def _nothing_compared(documents: Sequence[Document], *, on_subject: bool) -> str:
    if on_subject or not documents:
        return "No statement that gives it a value was found, so there was nothing to compare."
    return (
        f"Only sentences with the same wording were compared, in {number_of(len(documents), 'document')}; no two of "
        "them give different values. Statements with a different wording were not compared."
    )


def _where(claims: Sequence[Claim]) -> str:
    return number_of(len({quote.document_id for claim in claims for quote in claim.quotes}), "document")


def _read(documents: Sequence[Document]) -> str:
    return f"all statements of {number_of(len(documents), 'document')} were compared"


def _conflicts(part: Part, alike: Sequence[Sequence[Quote]], documents: Sequence[Document]) -> Iterator[Conflict]:
    """Yield the conflicts among sentences with the same words.

    Comparing versions is slow, so it is done only for documents that would conflict if they were versions of one text.
    """
    known = {one.id: one for one in documents}
    for same in alike:
        own = {quote.document_id: known[quote.document_id] for quote in same}
        together = [(quote, quote.text, quote.start) for quote in same]
        as_versions = dated_sentences(together, own, dict.fromkeys(own, 0))
        if conflicts(part.question, as_versions, over_sections=True):
            yield from conflicts(part.question, dated_sentences(together, own), over_sections=True)


def _alike(documents: Sequence[Document], subject: frozenset[str]) -> Iterator[list[Quote]]:
    """Yield groups of sentences that have the same words and differ in a value or a negation; with a subject, yield
    only sentences about it.

    Most sentences resemble no other, so the costly comparisons are made only among those that share their main words.
    """
    found: dict[frozenset[str], list[_Sentence]] = defaultdict(list)
    for one in _sentences(documents, subject):
        found[one.main].append(one)
    same: dict[str, list[_Sentence]] = defaultdict(list)
    for one in chain.from_iterable(group for group in found.values() if _may_differ(group)):
        words = [root(word) for word in content_words(one.text) if not _VALUE.search(word)]
        if len(words) >= _FEWEST_WORDS and _says(words, one.wanted):
            same[" ".join(sorted(set(words)))].append(one)
    for _, group in sorted(same.items()):
        if len(group) <= _MOST_ALIKE and _may_differ(group):
            kept = [quote_at(one.document, one.start, one.end) for one in group if not addresses_model(one.text)]
            if len(kept) > 1:
                yield kept


def _may_differ(group: Sequence[_Sentence]) -> bool:
    """Return True if sentences with the same words may give different values for the same thing."""
    if len(group) < 2 or len({one_line(one.text) for one in group}) < 2:
        return False
    return any(_VALUE.search(one.text) for one in group) or any(negates(one.text) for one in group)


def _of_several(same: Sequence[Quote]) -> list[Quote]:
    """Return one quote for each distinct text, if several documents use the same words with different values."""
    texts = dict[str, Quote]()
    for quote in same:
        if _VALUE.search(quote.text):
            texts.setdefault(one_line(quote.text), quote)
    return list(texts.values()) if len({quote.document_id for quote in texts.values()}) > 1 else []


class _Sentence(NamedTuple):
    """A sentence: its position, its content words, and the words of the subject that it must contain."""

    document: Document
    start: int
    end: int
    text: str
    main: frozenset[str]
    wanted: frozenset[str]


def _sentences(documents: Sequence[Document], subject: frozenset[str]) -> Iterator[_Sentence]:
    """Yield the sentences outside tables that may be about a subject."""
    left = _MOST_SENTENCES
    for one in documents:
        wanted = subject - roots(f"{one.title} {one.id}")
        begins = [table.start for table in one.tables]
        ends = [0, *accumulate((table.end for table in one.tables), max)]
        for start, end in sentence_spans(one.text):
            left -= 1
            if left < 0:
                return
            if end - start > _LONGEST or start < ends[bisect_right(begins, start)]:
                continue
            text = one.text[start:end]
            if not wanted or _says(roots(text), wanted):
                main = frozenset(root(word) for word in main_words(text) if not _VALUE.search(word))
                yield _Sentence(one, start, end, text, main, wanted)


def _says(words: Iterable[str], subject: frozenset[str]) -> bool:
    return _MOST_OF * len(subject) <= len(subject.intersection(words))


def _differing(part: Part, what: str, history: Sequence[Memory], library: DocumentIndex) -> list[Quote]:
    """Return the values that the best documents give for a subject, in matching cells and in sentences.

    The best reports are from the firm that the question names, or have a matching cell.
    """
    asked = _without_documents(what or part.question, part)
    best = sorted((one for one in history if one.quotes and not one.addressed), key=lambda one: -(one.point or 0))
    near = {one.target_document_id: one.quotes for one in reversed(best) if one.target_document_id != SUMMARY}
    likely = [one.target_document_id for one in best if (one.point or 0) >= (best[0].point or 0) - _BEHIND_BEST]
    cards, document = library.cards((part.question,))[:_MOST_REPORTS], library.document
    own = sorted(card.document_id for card in cards if names_issuer(part.question, card.imprint.issuer))
    names = list(dict.fromkeys(name for name in own or likely[:2] if name != SUMMARY))
    cells = {name: _cells(asked, document(name)) for name in names}
    holding = [name for name in names if cells[name]]
    if own:
        names = holding or [name for name in names if name in near]
    found: list[Quote] = []
    for name in names[:_MOST_OF_ONE]:
        told = [
            quote
            for quote in telling_sentences(document(name), asked, near.get(name, ()), most=2 * _MOST_OF_ONE)
            if _VALUE.search(_NO_VALUE.sub(" ", quote.text)) and _tells(quote.text, asked, document(name))
        ]
        found += (*cells[name][: _MOST_OF_ONE // 2], *told)[:_MOST_OF_ONE]
    return list(dict.fromkeys(found))[:_MOST_SHOWN]


def _without_documents(what: str, part: Part) -> str:
    """Return a subject without document names, because the period in a name such as "Q3 2023 10-Q" is not the period of
    a figure.
    """
    for one in part.constraints:
        if one.kind in (ConstraintKind.ENTITY, ConstraintKind.PLACE) and cue("documents").search(one.text):
            what = what.replace(one.text, " ")
    return " ".join(what.split())


def _tells(sentence: str, what: str, document: Document) -> bool:
    """Return True if a sentence contains most words of a subject, excluding those that name its document."""
    about = roots(document.names)
    terms = [term for term in table_question(what).terms if term.roots.isdisjoint(about)]
    said = roots(sentence)
    return _MOST_OF * len(terms) <= sum(not term.roots.isdisjoint(said) for term in terms)


def _cells(what: str, document: Document) -> list[Quote]:
    """Return the cells that meet every constraint, one for each row and each figure."""
    found: dict[str, Quote] = {}
    for one in best_cells(what, tables_of(document), most=_LOOKED_AT) if document.tables else ():
        if one.is_met:
            quote = cell_quote(document, one.view, one.cell)
            if all(other.start != quote.start for other in found.values()):
                found.setdefault(figure_of(one.view.words(one.cell)), quote)
    return list(found.values())


def _claim(quote: Quote) -> Claim:
    return Claim(text=quote.said, quotes=(quote,))
