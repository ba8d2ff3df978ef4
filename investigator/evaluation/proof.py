"""Whether a quote stands where it says: looked up anew, with nothing of the code that made the quote. Pure."""

from __future__ import annotations

from investigator.records import Document, Quote


def stands(quote: Quote, document: Document) -> bool:
    """Whether the quote is, character for character, what the document holds at its place, page and line."""
    begun = [span for span in document.pages if span.start <= quote.start]
    page = max(begun, key=lambda span: span.start).page if begun else None
    return (
        quote.document_id == document.id
        and quote.source_hash == document.content_hash
        and bool(quote.text)
        and document.text[quote.start : quote.end] == quote.text
        and quote.page == page
        and quote.line == len(document.text[: quote.start].split("\n"))
    )
