"""Answers a question about a single document (for example, for a matrix cell) using the sentences that meet every
constraint. Pure. Every sentence is examined, because a single document cannot be ranked against others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from investigator.evidence.quotes import quote_at
from investigator.language.addressed import addresses_model
from investigator.language.sentences import sentence_spans
from investigator.questions.answer_types import AnswerType, expected_type, holds_type, spans
from investigator.questions.constraints import constraints
from investigator.questions.matching import matches
from investigator.questions.related import roots
from investigator.records import Constraint, ConstraintKind, Document, Finding, MatchState, Quote
from investigator.research.quoted_text import surroundings
from investigator.research.telling import cites_others
from investigator.scoring.calibration import default_calibration

_MOST_SENTENCES, _LONGEST = 4_000, 600
_MOST_QUOTES, _AGREE = 3, 2
_FEWEST = 2  # minimum number of constraints of the kinds below that a question must have
_OF_THE_TEXT = frozenset({ConstraintKind.ATTRIBUTE, ConstraintKind.QUANTITY, ConstraintKind.CONDITION})


def with_met_sentences(finding: Finding, question: str, document: Document) -> Finding:
    """Return a finding with the sentences that meet every constraint of a question about a figure.

    These sentences are worth showing; they count as an answer if two of them give the same figure.
    """
    if finding.addressed or any(quote.cell is not None for quote in finding.quotes):
        return finding
    met = list(met_sentences(question, document))
    if not met:
        return finding
    figures = [frozenset(spans(AnswerType.NUMBER, quote.text, question)) for quote in met]
    agreeing = [quote for quote, own in zip(met, figures, strict=True) if _count(own, figures) >= _AGREE]
    bar = default_calibration().answered_from if agreeing else default_calibration().threshold
    quotes = (agreeing or met)[:_MOST_QUOTES]
    said = " ".join(" ".join(quote.text.split()) for quote in quotes)
    return finding.changed(quotes=tuple(quotes), reply=said, point=max(bar, finding.point or 0))


def met_sentences(question: str, document: Document) -> Iterator[Quote]:
    """Yield the sentences of a document that meet all constraints of a question about a figure, in order."""
    bound = constraints(question)
    if expected_type(question) is not AnswerType.NUMBER or sum(one.kind in _OF_THE_TEXT for one in bound) < _FEWEST:
        return
    asked = roots(" ".join(one.text for one in bound if one.kind is ConstraintKind.ATTRIBUTE)) or roots(question)
    for place, (start, end) in enumerate(sentence_spans(document.text)):
        text = document.text[start:end]
        if place >= _MOST_SENTENCES:
            return
        if end - start > _LONGEST or asked.isdisjoint(roots(text)) or not holds_type(AnswerType.NUMBER, text, question):
            continue
        quote = quote_at(document, start, end)
        if not (addresses_model(text) or cites_others(text)) and _meets_all(bound, question, quote, document):
            yield quote


def _meets_all(bound: Sequence[Constraint], question: str, quote: Quote, document: Document) -> bool:
    found = matches(bound, question, surroundings(quote, quote.text, document))
    return all(match.state is MatchState.MET for match in found)


def _count(own: frozenset[str], every: Sequence[frozenset[str]]) -> int:
    """Return the number of sentences that share a figure with a given sentence."""
    return sum(not own.isdisjoint(other) for other in every)
