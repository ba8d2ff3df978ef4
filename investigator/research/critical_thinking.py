"""CriticalThinking: what must be known before the question can be answered."""

from __future__ import annotations

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_think
from investigator.language.terms import content_words
from investigator.records import DocumentCard, Need, TermFrequency, ThinkReply, ThinkVariables
from investigator.research.quiet_cards import quieted

_CARDS_SHOWN = 10
_MOST_NEEDS = 12


class CriticalThinking:
    """Works out the terms that must be known, with the reason for each.

    An engine that names none leaves the question's own words.
    """

    def __init__(self, client: EngineClient) -> None:
        self._client = client

    def think(
        self,
        question: str,
        mission: str,
        strategy: str,
        cards: tuple[DocumentCard, ...],
        frequencies: tuple[TermFrequency, ...],
    ) -> tuple[Need, ...]:
        """The needs, each term once. Raises EngineError, and the signal BudgetSpent."""
        variables = ThinkVariables(
            question=question,
            mission=mission,
            strategy=strategy,
            documents=quieted(cards[:_CARDS_SHOWN]),
            document_count=len(cards),
            term_frequencies=frequencies,
        )
        reading = self._client.ask("critical_thinking/think", variables, ThinkReply, smaller=less_to_think)
        named = reading.value.needs if reading.value else ()
        needs = {need.term.strip().casefold(): need for need in named if need.term.strip()}
        return tuple(needs.values())[:_MOST_NEEDS] or own_words(question)


def own_words(question: str) -> tuple[Need, ...]:
    """The content words of a question as needs."""
    return tuple(Need(term=word, reason="a word of the question") for word in content_words(question)[:_MOST_NEEDS])
