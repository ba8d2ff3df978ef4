"""Quotes of whole documents, for tests in which nothing but their text counts."""

from __future__ import annotations

from investigator.records import Quote


def whole_quote(text: str, document_id: str = "a.txt") -> Quote:
    """Return a quote of a document that has one line."""
    return Quote(document_id=document_id, page=None, line=1, start=0, end=len(text), text=text, source_hash="h")
