"""Decides how many documents to ask, and when enough is known. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from investigator.language.late_patterns import late
from investigator.language.relevance import stems
from investigator.language.terms import content_words, is_english, words
from investigator.records import SUMMARY, DocumentCard, Knowledge, KnownInfo, Memory, Need, PlanStep, QuestionKind
from investigator.scoring.calibration import default_calibration

_FIRST_WAVE = 2
LIKELY = 0.5
"""Minimum probability of containing the answer for a document to count as likely."""

_SURE = 80  # minimum score of a reply that can cover the question
# minimum weight of a need that must be covered: in general, and if the search agrees with the model
_TELLING, _DECISIVE = 0.5, 0.9
_SEVERAL = late(
    r"\b(?:all|any other|both|compar\w+|differ|differences?|each|every|how many|list|most of|several|top|versus|vs"
    r"|name the \w+s|(?:what|which)(?: other)? (?!is|was|has|does)(?:\w+ )?\w+s"
    r"|(?:what|which) (?:two|three|four|five|other|are|were)"
    r"|(?:who|what|when|where|which|how|why)\b.*\band (?:who|what|when|where|which|how|why))\b",
    re.IGNORECASE,
)
"""Matches a question about several things; one document may answer only a part of it."""
_BY_SEVERAL = (QuestionKind.SUMMARY, QuestionKind.WHY)
_OF_ALL = late(r"\b(?:all|each|every)\b", re.IGNORECASE)


@dataclass(frozen=True)
class AskAll:
    """Asks every planned document, and lets an engine decide when to stop. It is for engines whose calls are free."""

    def without_hopeless(self, steps: Sequence[PlanStep], cards: Sequence[DocumentCard]) -> tuple[PlanStep, ...]:
        """Return all steps."""
        return tuple(steps)

    def first_wave(self, question: str, steps: Sequence[PlanStep], cards: Sequence[DocumentCard]) -> int:
        """Return the number of steps, because all documents are asked at once."""
        return len(steps)

    def suffices(
        self, question: str, needs: Sequence[Need], history: Sequence[Memory], titles: Mapping[str, str]
    ) -> bool:
        """Return False, because an engine decides what is unknown."""
        return False


@dataclass(frozen=True)
class FewCalls:
    """Asks the most promising documents first, skips unpromising ones, and stops once proven quotes cover the question.

    It is for language models, whose replies cost time or money. `workers` documents can be asked at once; `bar` is the
    lowest probability (0..1) that makes a document worth a call.
    """

    workers: int
    bar: float

    def without_hopeless(self, steps: Sequence[PlanStep], cards: Sequence[DocumentCard]) -> tuple[PlanStep, ...]:
        """Return the steps whose documents may contain something relevant, according to the search.

        The most promising steps are kept if no document is worth asking. Steps for documents without a card, and the
        step that asks all documents together, are always kept.
        """
        match = {card.document_id: card.match for card in cards}
        worth = tuple(s for s in steps if s.document_id == SUMMARY or match.get(s.document_id, 1.0) >= self.bar)
        return worth or tuple(sorted(steps, key=lambda s: -match.get(s.document_id, 0.0))[:_FIRST_WAVE])

    def first_wave(self, question: str, steps: Sequence[PlanStep], cards: Sequence[DocumentCard]) -> int:
        """Return 2 if one of the first two steps is likely to answer the question, otherwise the number of steps.

        A question about each of several things goes to all documents. If the steps would fill two or more batches of
        `workers`, return the size of one batch instead of 2, because a batch takes no longer than two documents.
        """
        match = {card.document_id: card.match for card in cards}
        is_likely = any(match.get(step.document_id, 0.0) >= LIKELY for step in steps[:_FIRST_WAVE])
        if not is_likely or _OF_ALL.search(question):
            return len(steps)
        is_broad = len(steps) >= 2 * self.workers > 2 * _FIRST_WAVE
        return self.workers if is_broad else min(len(steps), _FIRST_WAVE)

    def suffices(
        self, question: str, needs: Sequence[Need], history: Sequence[Memory], titles: Mapping[str, str]
    ) -> bool:
        """Return True if proven quotes cover the question.

        This requires a reply with a high score and a quote. The quotes, or the titles of their documents, must contain
        every important need, or only the decisive needs if the search also finds the answer there. A question is never
        treated as answered if it is about several things, or in a language in which that cannot be recognised.
        """
        history = [memory for memory in history if not memory.addressed]  # untrusted documents are ignored
        sure = [memory for memory in history if (memory.point or 0) >= _SURE and memory.quotes]
        if not sure or _SEVERAL.search(question) or not is_english(question):
            return False
        bar = _DECISIVE if any(_both_find_it(memory) for memory in sure) else _TELLING
        telling = [need.term for need in needs if need.weight >= bar]
        quotes = [quote for memory in history for quote in memory.quotes]
        text = " ".join([*(quote.text for quote in quotes), *(titles.get(quote.document_id, "") for quote in quotes)])
        present = stems(words(text))
        return all(_mostly(term, present) for term in telling)


AskingPolicy = AskAll | FewCalls
"""Decides how many of the planned documents to ask, and when enough has been found."""


def read_by_small_model(
    kind: QuestionKind, step: PlanStep, steps: Sequence[PlanStep], cards: Sequence[DocumentCard]
) -> bool:
    """Return True if a small model should read the document of a step.

    The model reads the best match of the first round; if a summary or a cause is requested, it also reads a second
    likely document. Questions that the rules answer with a table, or by comparing sentences, need no reading.
    """
    if kind.is_side_by_side or kind is QuestionKind.CONTRADICTION or step.round != 1:
        return False
    match = {card.document_id: card.match for card in cards}
    first = sorted({one.document_id: None for one in steps if one.round == 1}, key=lambda name: -match.get(name, 0.0))
    likely = [name for name in first[1:_FIRST_WAVE] if match.get(name, 0.0) >= LIKELY]
    return step.document_id in (first[0], *(likely if kind in _BY_SEVERAL else ()))


def known_from(needs: Sequence[Need], history: Sequence[Memory]) -> tuple[Knowledge, ...]:
    """Return the memories about each need: those whose quotes contain it, or all memories if none do. Nothing is
    reported as unknown.
    """
    return tuple(_knowledge(need.term, history) for need in needs)


def _knowledge(term: str, history: Sequence[Memory]) -> Knowledge:
    holding = [m for m in history if any(_mostly(term, stems(words(quote.text))) for quote in m.quotes)]
    infos = tuple(
        KnownInfo(
            info=memory.reply,
            point=memory.point or 0,
            document_ids=(memory.target_document_id,),
            memory_ids=(memory.id,),
        )
        for memory in holding or history
    )
    return Knowledge(term=term, known_infos=infos)


def _both_find_it(memory: Memory) -> bool:
    """Return True if model and search agree that a document answers the question, and the model chose the quotes."""
    found = min(memory.model_point or 0, memory.search_point or 0)
    return found >= default_calibration().threshold and not memory.quoted_by_search


def _mostly(term: str, present: frozenset[str]) -> bool:
    """Return True if more than half of the words of a term are present."""
    wanted = stems(content_words(term)) or stems(words(term))
    return len(wanted & present) * 2 > len(wanted) if wanted else True
