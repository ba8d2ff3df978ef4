"""Compares quotes with the expected evidence, and with the text at the quoted places. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from investigator.evaluation.answer_text import tokens
from investigator.language.normalise import normalise
from investigator.records import Document, Quote

_SHARED = 0.8
_FEWEST = 5


def plain(text: str) -> str:
    """Return the text with typography, line breaks and case normalised."""
    return normalise(text).text.strip().lower()


def holds(text: str, evidence: str) -> bool:
    """Return True if the text contains all of the evidence."""
    wanted = plain(evidence)
    return bool(wanted) and wanted in plain(text)


def overlaps(quote: str, evidence: str) -> bool:
    """Return True if one text contains the other, or 80 % of the shorter one's tokens if there are at least 5."""
    said, wanted = plain(quote), plain(evidence)
    if not said or not wanted:
        return False
    if wanted in said or said in wanted:
        return True
    shorter, longer = sorted((tokens(said), tokens(wanted)), key=len)
    shared = (Counter(shorter) & Counter(longer)).total()
    return len(shorter) >= _FEWEST and shared >= _SHARED * len(shorter)


def share_found(quotes: Sequence[str], evidence: Sequence[str]) -> float:
    """Return the fraction (0..1) of the pieces of evidence that overlap a quote."""
    return sum(any(overlaps(quote, piece) for quote in quotes) for piece in evidence) / len(evidence)


def stands(quote: Quote, document: Document) -> bool:
    """Return True if the document contains the quote, character for character, at its offsets, page and line."""
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
