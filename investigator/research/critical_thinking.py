"""Work out what must be known before the question can be answered."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_think
from investigator.language.addressed import addresses_model, without_addressed
from investigator.language.terms import content_words
from investigator.records import DocumentCard, Need, ThinkReply, ThinkVariables

_CARDS_SHOWN = 10
_MOST_NEEDS = 12


def think(client: EngineClient, request: ThinkVariables) -> tuple[Need, ...]:
    """Return the terms that must be known, each once, with the reason for each.

    `request` holds all documents as cards, of which the nearest are shown. An engine that names no term leaves the
    question's own words. Raises EngineError, and the signal BudgetSpent.
    """
    shown = request.changed(documents=without_instructions(request.documents[:_CARDS_SHOWN]))
    reading = client.ask("critical_thinking/think", shown, ThinkReply, smaller=less_to_think)
    named = reading.value.needs if reading.value else ()
    needs = {need.term.strip().casefold(): need for need in named if need.term.strip()}
    return tuple(needs.values())[:_MOST_NEEDS] or own_words(request.question)


def own_words(question: str) -> tuple[Need, ...]:
    """Return the content words of a question as needs."""
    return tuple(Need(term=word, reason="a word of the question") for word in content_words(question)[:_MOST_NEEDS])


def without_instructions(cards: Sequence[DocumentCard]) -> tuple[DocumentCard, ...]:
    """Return the cards without what speaks to a language model: a document may not choose for the planner.

    Such sentences are left out of title and snippet, such headings are left out whole.
    """
    return tuple(
        card.changed(
            title=without_addressed(card.title),
            snippet=without_addressed(card.snippet),
            headings=tuple(heading for heading in card.headings if not addresses_model(heading)),
        )
        for card in cards
    )
