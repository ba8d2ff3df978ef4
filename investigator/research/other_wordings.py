"""Search the folder again, in other wordings, for what was not found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from investigator.records import Part
from investigator.research.follow_ups import alike_wordings, related_to, rewordings
from investigator.research.state import State
from investigator.retrieval.library import DocumentIndex

_MOST_SEARCHES = 6  # wordings searched in one round
_MOST_ASKED = 2  # wordings of one part whose documents are asked


def searched_otherwise(state: State, parts: Sequence[Part], library: DocumentIndex) -> tuple[State, tuple[str, ...]]:
    """Search the folder for some parts in other wordings; return the state and the likeliest wordings.

    No engine is asked. A wording is searched only once. Raises StoreError.
    """
    shares = {t.term: t.document_share for t in library.term_frequencies(" ".join(related_to(parts)))}
    searched, best, promising = list(state.run.wordings), list[str](), list(state.promising)
    for part in parts:
        wordings = [text for text in rewordings(part, shares) if text not in searched]
        likeness = dict(zip(wordings, library.likeness(part.question, wordings), strict=True))
        alike = [text for text in alike_wordings(part, likeness) if text not in searched]
        nearest = alike[: max(1, _MOST_SEARCHES // len(parts))]
        cards = {text: library.cards((text,)) for text in nearest}
        found_by = [text for text in nearest if cards[text]]  # files without text yield nothing
        best += sorted(found_by, key=lambda text: -cards[text][0].match)[:_MOST_ASKED]
        promising += (c.document_id for found in cards.values() for c in found if c.match >= state.bounds.worth_asking)
        searched += nearest
    run = state.run.changed(wordings=tuple(dict.fromkeys(searched)))
    return replace(state, run=run, promising=tuple(dict.fromkeys(promising))), tuple(best)
