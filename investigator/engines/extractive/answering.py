"""Answers with the strongest quotes, verbatim and without repetition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from investigator.engines.base import Embedder
from investigator.engines.extractive.candidates import nearness
from investigator.language.normalise import one_line
from investigator.language.terms import content_words, stem, words
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    CheckReply,
    CheckVariables,
    EvidenceDocument,
    EvidenceSpan,
    PartReply,
    PartStatus,
    ProposedStatement,
    StatementCheck,
    Support,
)
from investigator.scoring.calibration import default_calibration

_MOST_STATEMENTS = 6
_MOST_OF_ONE_DOCUMENT = 3
_SUPPORTING = "E"
_SAME = 0.7


def answer(variables: AnswerVariables, embedder: Embedder) -> AnswerReply:
    """Return the strongest quotes as verbatim statements, without repeating content.

    The best quote from every document comes before any second quote, in the order of the documents; within a document,
    the quotes nearest to the question come first.
    """
    ranked = [_nearest_first(document, variables.question, embedder) for document in variables.documents]
    chosen: list[EvidenceSpan] = []
    for quote in (quote for turn in zip_longest(*ranked) for quote in turn if quote is not None):
        if len(chosen) < _MOST_STATEMENTS and not _repeats(quote.text, (other.text for other in chosen)):
            chosen.append(quote)
    status = PartStatus.ANSWERED if chosen else PartStatus.NOT_STATED
    return AnswerReply(
        details=tuple(ProposedStatement(text=one_line(quote.text), evidence=(quote.id,)) for quote in chosen),
        parts=tuple(PartReply(part=number, status=status) for number in range(1, len(variables.parts) + 1)),
    )


def check(variables: CheckVariables) -> CheckReply:
    """Return which statements are their quotes, word for word; nothing else is judged."""
    return CheckReply(
        statements=tuple(
            StatementCheck(number=one.number, support=Support.VERBATIM if one.verbatim else Support.UNCHECKED)
            for one in variables.statements
        )
    )


def _nearest_first(document: EvidenceDocument, question: str, embedder: Embedder) -> Sequence[EvidenceSpan]:
    """Return the best quotes of a document that may support an answer, nearest to the question first."""
    quotes = [span for passage in document.passages for span in passage.spans if span.id.startswith(_SUPPORTING)]
    model = default_calibration().nearness
    near = [model.chance(features) for features in nearness(question, [quote.text for quote in quotes], embedder)]
    order = sorted(range(len(quotes)), key=lambda place: -near[place])
    return [quotes[place] for place in order[:_MOST_OF_ONE_DOCUMENT]]


def _repeats(text: str, others: Iterable[str]) -> bool:
    return any(_overlap(text, other) >= _SAME and not _figures_differ(text, other) for other in others)


def _figures_differ(first: str, second: str) -> bool:
    """Return True if each text has a figure that the other lacks, because they then contradict each other or differ in
    subject.
    """
    a, b = ({word for word in words(text) if any(char.isdigit() for char in word)} for text in (first, second))
    return bool(a - b and b - a)


def _overlap(first: str, second: str) -> float:
    """Return the share of the shorter text's words that also occur in the other text."""
    a, b = ({stem(word) for word in content_words(text)} for text in (first, second))
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
