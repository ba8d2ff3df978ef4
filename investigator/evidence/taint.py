"""Documents whose text addresses a language model: their quotes may prove, what a model said of them goes no further.

A model that was taken in by a document passes its words on: to the planner, to the reflection, to the writer. Quotes
are the document's own words and are looked up in it; a reply is anybody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from investigator.language.normalise import one_line
from investigator.records import SUMMARY, Memory


def tainted_documents(memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return the documents whose text, or a reply to them, addresses a language model; each once, in order."""
    speaking = (memory.target_document_id for memory in memories if memory.addressed)
    return tuple(dict.fromkeys(name for name in speaking if name != SUMMARY))


def without_untrusted_replies(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Return the memories; of those in doubt, and of all of a tainted document, only the quotes speak."""
    tainted = frozenset(tainted_documents(memories))
    return tuple(
        memory.changed(reply=one_line(" ".join(quote.text for quote in memory.quotes)))
        if memory.is_doubtful or memory.target_document_id in tainted
        else memory
        for memory in memories
    )
