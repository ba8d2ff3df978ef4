"""Handles documents that address a language model: their quotes count as proof, but model replies about them are
dropped.

If a document deceived a model, the model's reply would pass the document's words on to the planner, the reflection and
the writer. Quotes are verified in the document, but a reply may contain anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from investigator.language.normalise import one_line
from investigator.records import SUMMARY, Memory


def tainted_documents(memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return the documents that address a language model in their text or through a reply, in order and without
    duplicates.
    """
    speaking = (memory.target_document_id for memory in memories if memory.addressed)
    return tuple(dict.fromkeys(name for name in speaking if name != SUMMARY))


def without_untrusted_replies(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Return the memories, with quotes instead of untrusted replies, that is, doubtful replies and all replies about
    tainted documents.
    """
    tainted = frozenset(tainted_documents(memories))
    return tuple(
        memory.changed(reply=one_line(" ".join(quote.text for quote in memory.quotes)))
        if memory.is_doubtful or memory.target_document_id in tainted
        else memory
        for memory in memories
    )
