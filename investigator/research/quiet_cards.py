"""Cards of documents without what speaks to a language model: it may not choose for the planner. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.records import DocumentCard
from investigator.text.addressed import addresses_model, without_addressed


def quieted(cards: Sequence[DocumentCard]) -> tuple[DocumentCard, ...]:
    """The cards with such sentences left out of title and snippet, and such headings left out whole."""
    return tuple(
        card.model_copy(
            update={
                "title": without_addressed(card.title),
                "snippet": without_addressed(card.snippet),
                "headings": tuple(heading for heading in card.headings if not addresses_model(heading)),
            }
        )
        for card in cards
    )
