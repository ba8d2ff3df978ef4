"""Looks up quotes in the files again, as the last check before a claim is shown as proven. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from investigator.documents.fresh import FreshDocument
from investigator.evidence.cells import cell_standing
from investigator.evidence.claims import prove
from investigator.evidence.quotes import Source, quote_at, verify
from investigator.records import CheckedQuote, Claim, Conflict, Document, NearMiss, Quote, QuoteState, UnprovenClaim

SOURCE_CHANGED = "source changed or index damaged"
"""Beginning of the reason given if a claim's quote is no longer in its file."""

Reread = Callable[[Collection[str]], Mapping[str, FreshDocument]]
"""Re-reads the documents with given ids from their files."""
_PIECE = re.compile(r"[^\n.!?]{1,400}[.!?]*|[.!?]+")
_WORD = re.compile(r"\w+")
_LONGEST = 600


@dataclass(frozen=True)
class Rechecked:
    """Claims whose quotes are still in the files, with their current places, and claims whose quotes are missing.

    `gone` lists the documents that no longer contain one of their quotes.
    """

    claims: tuple[Claim, ...]
    unproven: tuple[UnprovenClaim, ...] = ()
    gone: tuple[str, ...] = ()


def recheck(claims: Sequence[Claim], question: str, reread: Reread | None) -> Rechecked:
    """Look up each quote of the given claims in its document, which `reread` returns; without `reread`, return the
    claims unchanged.

    A claim with a missing quote is not proven.
    """
    if reread is None:
        return Rechecked(tuple(claims))
    fresh = reread(dict.fromkeys(quote.document_id for claim in claims for quote in claim.quotes))
    proven: list[Claim] = []
    unproven: list[UnprovenClaim] = []
    gone: dict[str, None] = {}
    for claim in claims:
        found = {quote: quote_standing(quote, fresh[quote.document_id]) for quote in claim.quotes}
        lost = [quote for quote, now in found.items() if now is None]
        standing = claim.changed(quotes=tuple(now for now in found.values() if now is not None) or claim.quotes)
        if not lost and _still_proven(claim, standing, question):
            proven.append(standing)
            continue
        missed = lost or list(claim.quotes)
        gone |= dict.fromkeys(quote.document_id for quote in missed)
        reason = _not_standing(missed[0], fresh[missed[0].document_id])
        unproven.append(UnprovenClaim(text=claim.text, reason=reason, quotes=claim.quotes))
    return Rechecked(tuple(proven), tuple(unproven), tuple(gone))


def standing_quotes(quotes: Sequence[Quote], reread: Reread) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
    """Return the quotes that are still in the files, with their current places, and for every other quote the reason
    why it is missing.
    """
    fresh = reread(dict.fromkeys(quote.document_id for quote in quotes))
    found = [(quote, quote_standing(quote, fresh[quote.document_id])) for quote in quotes]
    lost = dict.fromkeys(_not_standing(quote, fresh[quote.document_id]) for quote, now in found if now is None)
    return tuple(now for _, now in found if now is not None), tuple(lost)


def standing_near_misses(near_misses: Sequence[NearMiss], reread: Reread) -> tuple[NearMiss, ...]:
    """Return the near misses whose quotes are still in the files, with their current places."""
    fresh = reread(dict.fromkeys(miss.quote.document_id for miss in near_misses))
    found = ((miss, quote_standing(miss.quote, fresh[miss.quote.document_id])) for miss in near_misses)
    return tuple(miss.changed(quote=quote) for miss, quote in found if quote is not None)


def standing_conflicts(conflicts: Sequence[Conflict], reread: Reread) -> tuple[Conflict, ...]:
    """Return the conflicts with at least two sides still in the files, with their current places."""
    fresh = reread(dict.fromkeys(side.quote.document_id for conflict in conflicts for side in conflict.sides))
    kept = []
    for conflict in conflicts:
        found = [(side, quote_standing(side.quote, fresh[side.quote.document_id])) for side in conflict.sides]
        sides = tuple(side.changed(quote=quote) for side, quote in found if quote is not None)
        if len({side.value for side in sides}) > 1:
            kept.append(conflict.changed(sides=sides))
    return tuple(kept)


def quote_standing(quote: Quote, fresh: FreshDocument) -> Quote | None:
    """Return a quote with its current wording and place in the document; None if the document no longer contains it."""
    if fresh.document is None:
        return None
    if quote.cell is not None:
        return cell_standing(quote, fresh.document)
    if verify(quote, fresh.document):
        return quote_at(fresh.document, quote.start, quote.end)
    near = ((quote.start, quote.end),) if 0 <= quote.start < quote.end <= len(fresh.document.text) else ()
    return _source(fresh.document).find(quote.text, near)


@lru_cache(maxsize=8)
def _source(document: Document) -> Source:
    """Return a cached source, because many quotes may be looked up in one document."""
    return Source(document)


def checked_quote(quote: Quote, fresh: FreshDocument) -> CheckedQuote:
    """Return the state of a quote in its document's file."""
    if fresh.document is None:
        state = QuoteState.MISSING if fresh.missing else QuoteState.UNREADABLE
        return CheckedQuote(quote=quote, state=state, reason=fresh.problem)
    now = quote_standing(quote, fresh)
    if now is None:
        nearest = nearest_text(fresh.document.text, quote.text, quote.start)
        same_file = fresh.document.content_hash == quote.source_hash
        state = QuoteState.NOT_IN_FILE if same_file else QuoteState.CHANGED
        return CheckedQuote(quote=quote, state=state, nearest=nearest)
    if now == quote:
        return CheckedQuote(quote=quote, state=QuoteState.STANDS, now=now)
    same_place = (now.page, now.line, now.text) == (quote.page, quote.line, quote.text)
    same_file = now.source_hash == quote.source_hash
    state = QuoteState.FILE_CHANGED if same_place and not same_file else QuoteState.MOVED
    return CheckedQuote(quote=quote, state=state, now=now)


def _still_proven(claim: Claim, standing: Claim, question: str) -> bool:
    """Return True if a claim's quotes are unchanged, or still prove it in their current wording."""
    if [quote.text for quote in claim.quotes] == [quote.text for quote in standing.quotes]:
        return True
    return prove(claim.text, standing.quotes, given=question).is_proven


def _not_standing(quote: Quote, fresh: FreshDocument) -> str:
    """Return the reason why a quote is no longer proven."""
    if fresh.document is None:
        why = f"{quote.document_id} cannot be read again ({fresh.problem})"
    elif fresh.document.content_hash != quote.source_hash:
        why = f"{quote.document_id} has changed since it was read, and no longer contains the quote"
    else:
        why = f"the quote is not in {quote.document_id}"
    return f"{SOURCE_CHANGED}: {why}"


def nearest_text(text: str, wanted: str, start: int = 0) -> str:
    """Return the stretch of the text that contains the most wanted words or, in a tie, the one nearest to `start`.

    The stretch has at most 600 characters, and is empty if the text contains no wanted word. Runs in time linear in the
    length of the text.
    """
    words = Counter(_WORD.findall(wanted.lower()[: 2 * _LONGEST]))
    length = max(1, sum(1 for _ in _PIECE.finditer(wanted.strip()[: 2 * _LONGEST])))
    spans = [found.span() for found in _PIECE.finditer(text)]
    shared = [_shared(words, text[begin:end]) for begin, end in spans]
    totals = [0.0, *accumulate(shared)]
    best, place = 0.0, (0, 0)
    for index, (begin, _) in enumerate(spans):
        together = round(totals[min(index + length, len(spans))] - totals[index], 6)
        away = abs(begin - start)
        if together > best or (together == best and together and away < abs(place[0] - start)):
            best, place = together, (begin, spans[min(index + length, len(spans)) - 1][1])
    return text[place[0] : min(place[1], place[0] + _LONGEST)].strip()


def _shared(words: Counter[str], piece: str) -> float:
    """Return the number of wanted words in a piece, with a small deduction for every other word."""
    own = Counter(_WORD.findall(piece.lower()))
    common = (words & own).total()
    return common - 0.1 * (own.total() - common) if common else 0.0
