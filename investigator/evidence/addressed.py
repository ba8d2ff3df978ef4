"""Quotes that speak to a language model instead of to a reader: they stand in their document, and prove nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from investigator.language.addressed import addresses_model
from investigator.records import Quote


@dataclass(frozen=True)
class AddressedSpan:
    """Where a document speaks to a language model: half open, in characters."""

    document_id: str
    start: int
    end: int


def addressed_spans(document_id: str, text: str, start: int = 0) -> tuple[AddressedSpan, ...]:
    """Where a document speaks to a language model in the `text` that begins at `start` in it."""
    return tuple(AddressedSpan(document_id, start + begin, start + end) for begin, end in addresses_model(text))


def is_addressed(quote: Quote, spans: Iterable[AddressedSpan]) -> bool:
    """Whether any of a quote's words lie in one of the spans."""
    return any(
        quote.document_id == span.document_id and quote.start < span.end and span.start < quote.end for span in spans
    )
