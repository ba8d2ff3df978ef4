"""Claims: whether the quotes of a statement prove its numbers, its dates and what it denies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from investigator.evidence.quotes import find_quote
from investigator.language.amounts import Amount, amounts, identifiers, prepared, squeezed
from investigator.language.dates import Date, dates, without_dates
from investigator.language.negation import allows_negation, contradicts, negates
from investigator.language.normalise import normalise
from investigator.language.units import magnitude_of
from investigator.records import ClaimStatus, Document, Quote, Slot

_CITATION = re.compile(r"[\[(]\s*E?\d{1,4}(?:\s*[,;]\s*E?\d{1,4})*\s*\]|\(\s*E\d{1,4}(?:\s*[,;]\s*E\d{1,4})*\s*\)")
_FALL = re.compile(
    r"\b(?:loss(?:es)?|lost|los(?:e|ing)|negative|minus|below|declin\w+|decreas\w+|fell|fall\w*|drop\w*|down|shr[aiu]nk\w*"
    r"|reduc\w+|deficit|outflow\w*|verlust\w*|rückgang\w*|gesunken|minus)\b",
    re.IGNORECASE,
)
_ALL_TIMES = re.compile(
    r"\b(?:in|\$|€|£)[ ']?(?:us\$|\$|€|£)?\s?(?P<factor>thousand|million|billion)s\b", re.IGNORECASE
)
_ELLIPSIS = re.compile(r"\.\s?\.\s?\.|\u2026")


@dataclass(frozen=True)
class ClaimCheck:
    """What came of checking a claim: its status, and unless it is proven the reason, the slot and the nearest quote."""

    status: ClaimStatus
    reason: str = ""
    slot: Slot | None = None
    quote: Quote | None = None

    @property
    def is_proven(self) -> bool:
        """Return True if the claim says no more than its quotes."""
        return self.status is ClaimStatus.PROVEN


@dataclass(frozen=True)
class _Facts:
    """What can be checked in a text: amounts, dates, the years of the dates, and the text itself."""

    text: str
    amounts: tuple[Amount, ...]
    dates: tuple[Date, ...]
    identifiers: tuple[str, ...]

    @property
    def years(self) -> frozenset[int]:
        return frozenset(year for date in self.dates for year in date.years)


def prove(claim_text: str, quotes: Sequence[Quote], given: str = "") -> ClaimCheck:
    """Check a claim against its quotes; `given` is the question."""
    reason = _problem(claim_text, quotes, given)
    if reason is None:
        return ClaimCheck(ClaimStatus.PROVEN)
    return ClaimCheck(ClaimStatus.WITHHELD, reason, quote=quotes[0] if quotes else None)


def _problem(claim_text: str, quotes: Sequence[Quote], given: str = "") -> str | None:
    """None when its quotes prove a claim, else the reason why they do not.

    Each number (by value, and by unit where both name one), date and negation of the claim must be in its quotes; a
    claim that its quotes deny in the same words is refused. A claim that stands word for word in one of its quotes
    is proven. Numbers and dates of `given`, the question, need no proof.
    """
    claim = _CITATION.sub(" ", claim_text).strip()
    if not any(char.isalnum() for char in claim):
        return "it says nothing"
    if not quotes:
        return "no quote supports it"
    texts = [quote.text for quote in quotes]
    if contradicts(claim, texts):
        return "its quotes deny it"
    if any(_stands_in(claim, text) for text in texts):
        return None
    return _missing(_facts(claim), _facts("\n".join(texts)), _facts(given)) or _unsaid_negation(claim, texts)


def unsaid(text: str, said: str) -> str | None:
    """What a reply says that was never said: its first number, date or name with digits that is not there, else None.

    For replies that rest on a conversation and not on documents.
    """
    return _missing(_facts(text), _facts(said), _facts(""))


def _stands_in(claim: str, quote: str) -> bool:
    document = Document(id="quote", title="", media_type="text/plain", content_hash="", text=quote)
    return not _ELLIPSIS.search(claim) and find_quote(claim, document) is not None


def _facts(text: str) -> _Facts:
    normal = prepared("\n".join(normalise(line).text for line in text.splitlines()))
    found = dates(normal)
    rest = without_dates(normal, found)
    return _Facts(normal, tuple(amounts(rest)), tuple(found), tuple(identifiers(rest)))


def _missing(claim: _Facts, quotes: _Facts, given: _Facts) -> str | None:
    """The first date, name with digits, or number of a claim that is neither in its quotes nor given."""
    for date in claim.dates:
        if not _date_is_said(date, quotes, given):
            return f"the date {date.text.strip()} is not in its quotes"
    known = (squeezed(quotes.text), squeezed(given.text))
    for name in claim.identifiers:
        if not any(re.search(rf"{re.escape(squeezed(name))}(?!\d)", text) for text in known):
            return f"{name} is not in its quotes"
    said = [*_flat(quotes), *_flat(given), *(_year(year) for year in quotes.years | given.years)]
    said += [
        amount.times(magnitude_of(table["factor"])) for table in _ALL_TIMES.finditer(quotes.text) for amount in said
    ]
    if _FALL.search(claim.text):
        said += [amount.unsigned for amount in said]
    for amount in claim.amounts:
        if not _amount_is_said(amount, said):
            return f"the number {amount.text} is not in its quotes"
    return None


def _date_is_said(date: Date, quotes: _Facts, given: _Facts) -> bool:
    if any(date.is_said_by(other) for other in (*quotes.dates, *given.dates)):
        return True
    years = given.years | {int(value) for amount in given.amounts for value, unit in amount.readings if not unit}
    yearless = date.without_year()
    return bool(date.years & years) and any(yearless.is_said_by(other) and not other.years for other in quotes.dates)


def _amount_is_said(amount: Amount, said: Sequence[Amount]) -> bool:
    if any(amount.is_said_by(other) for other in said):
        return True
    return bool(amount.parts) and all(_amount_is_said(part, said) for part in amount.parts)


def _flat(facts: _Facts) -> list[Amount]:
    return [part for amount in facts.amounts for part in (amount, *amount.parts)]


def _year(year: int) -> Amount:
    return Amount(str(year), frozenset({(Fraction(year), "")}))


def _unsaid_negation(claim: str, quotes: Sequence[str]) -> str | None:
    if negates(claim) and not any(allows_negation(quote, claim) for quote in quotes):
        return "it denies something that its quotes do not deny"
    return None
