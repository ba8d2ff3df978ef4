"""Marks statements that contain an address or an instruction to the reader: they are shown only as quotes, and their
addresses are never links. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from investigator.evidence.quotes import find_quote
from investigator.language.addresses import defanged, holds_address, instructs_reader
from investigator.language.normalise import one_line
from investigator.records import Caution, Claim, Document, Quote

_ELLIPSIS = re.compile(r"\.\s?\.\s?\.|\u2026")
_MARKS: Mapping[Caution, str] = {
    Caution.ADDRESS: "contains an address from the documents",
    Caution.INSTRUCTION: "contains an instruction from the documents",
    Caution.QUOTED: "quoted from an older message",
}


def cautions_of(text: str) -> tuple[Caution, ...]:
    """Return the cautions for a statement that contains an address or instructs the reader."""
    found = {Caution.ADDRESS: holds_address(text), Caution.INSTRUCTION: instructs_reader(text)}
    return tuple(caution for caution, holds in found.items() if holds)


def unquoted(text: str, quotes: Sequence[Quote]) -> str:
    """Return the reason to withhold a statement: it contains an address or an instruction, but is not a quote. Return
    "" for any other statement.
    """
    cautions = cautions_of(text)
    if not cautions or any(_stands_in(text, quote) for quote in quotes):
        return ""
    what = " and ".join("an address" if c is Caution.ADDRESS else "an instruction to the reader" for c in cautions)
    return f"it contains {what}, and no quote contains it in these words"


def shown(claim: Claim) -> str:
    """Return a claim as one line. Addresses are marked, but are not links; a claim that is only supported is marked
    with the name of the verifier.
    """
    marks = [f"supported by {one_line(claim.supported_by)}, not proven"] if claim.supported_by else []
    marks += [_MARKS[caution] for caution in claim.cautions]
    return one_line(defanged(claim.text)) + (f" ({', '.join(marks)})" if marks else "")


def _stands_in(text: str, quote: Quote) -> bool:
    if _ELLIPSIS.search(text):  # the omitted part may contain anything
        return False
    source = Document(id="quote", title="", media_type="text/plain", content_hash="", text=quote.text)
    return find_quote(text, source) is not None
