"""Cards of documents without what speaks to a language model: it may not choose for the planner. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.language.addressed import addresses_model, without_addressed
from investigator.records import DocumentCard


def quieted(cards: Sequence[DocumentCard]) -> tuple[DocumentCard, ...]:
    """The cards with such sentences left out of title and snippet, and such headings left out whole."""
    return tuple(
        card.changed(
            title=without_addressed(card.title),
            snippet=without_addressed(card.snippet),
            headings=tuple(heading for heading in card.headings if not addresses_model(heading)),
        )
        for card in cards
    )
