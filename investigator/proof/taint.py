"""Names the documents that address a language model in their text."""

from __future__ import annotations

from collections.abc import Iterable

from investigator.records import SUMMARY, Memory


def tainted_documents(memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return the documents with text that addresses a language model, in order and without duplicates."""
    speaking = (memory.target_document_id for memory in memories if memory.addressed)
    return tuple(dict.fromkeys(name for name in speaking if name != SUMMARY))
