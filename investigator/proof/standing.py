"""Looks up quotes in the files again, as the last check before a statement is shown. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

from investigator.documents.fresh import FreshDocument
from investigator.proof.quotes import Source, quote_at, verify
from investigator.records import (
    Answer,
    AnswerStatus,
    CheckedQuote,
    Decision,
    Disagreement,
    Document,
    Quote,
    QuoteState,
    Section,
    Statement,
    Support,
    SurveyRow,
)

SOURCE_CHANGED = "source changed or index damaged"
"""Beginning of the reason given if a statement's quote is no longer in its file."""

LESS: Mapping[AnswerStatus, AnswerStatus] = {
    AnswerStatus.ANSWERED: AnswerStatus.ANSWERED_IN_PART,
    AnswerStatus.CONFLICTING: AnswerStatus.ANSWERED_IN_PART,
}
"""The statuses that become another one when some statements lose their quotes."""

Reread = Callable[[Collection[str]], Mapping[str, FreshDocument]]
"""Re-reads the documents with given ids from their files."""
_PIECE = re.compile(r"[^\n.!?]{1,400}[.!?]*|[.!?]+")
_WORD = re.compile(r"\w+")
_LONGEST = 600
_LONGEST_NAMED = 200  # characters of a quote that is named as missing


def standing_answer(answer: Answer, reread: Reread) -> Answer:
    """Return an answer whose quotes are looked up again in the files, and stand at their current places.

    A statement with a quote that is gone is withheld, and its documents are listed in `source_changed`.
    """
    fresh = reread(dict.fromkeys(quote.document_id for quote in answer.citations))
    now = {quote: quote_standing(quote, fresh[quote.document_id]) for quote in answer.citations}
    gone = tuple(dict.fromkeys(quote.document_id for quote, place in now.items() if place is None))
    if not gone and all(quote == place for quote, place in now.items()):
        return answer
    shown = {id(statement): _standing_statement(statement, now, fresh) for statement in answer.statements}
    lead = shown[id(answer.lead)] if answer.lead is not None else None
    details = [shown[id(statement)] for statement in answer.details]
    rows = [_standing_row(row, row.statement and shown[id(row.statement)]) for row in answer.table]
    lost = [statement for statement in shown.values() if not statement.is_shown]
    return answer.changed(
        lead=lead if lead is not None and lead.is_shown else None,
        details=tuple(detail for detail in details if detail.is_shown),
        table=tuple(rows),
        sections=tuple(_standing_section(section, shown, now) for section in answer.sections),
        check=answer.check.changed(withheld=(*answer.check.withheld, *lost)),
        not_stated=tuple(gap.changed(quotes=_still(gap.quotes, now)) for gap in answer.not_stated),
        disagreements=_standing_disagreements(answer, now),
        coverage=answer.coverage.changed(source_changed=gone),
    )


def _standing_statement(
    statement: Statement, now: Mapping[Quote, Quote | None], fresh: Mapping[str, FreshDocument]
) -> Statement:
    lost = next((quote for quote in statement.quotes if now[quote] is None), None)
    if lost is None:
        return statement.changed(quotes=_still(statement.quotes, now))
    return statement.changed(support=Support.UNSUPPORTED, reason=_not_standing(lost, fresh[lost.document_id]))


def _standing_row(row: SurveyRow, statement: Statement | None) -> SurveyRow:
    if statement is None or statement.is_shown:
        return row.changed(statement=statement)
    return row.changed(statement=None, decision=Decision.UNCLEAR)


def _standing_section(section: Section, shown: Mapping[int, Statement], now: Mapping[Quote, Quote | None]) -> Section:
    def kept(statements: Sequence[Statement]) -> tuple[Statement, ...]:
        return tuple(shown[id(each)] for each in statements if shown[id(each)].is_shown)

    quotes = [quote for statement in section.statements for quote in statement.quotes]
    changed = (quote for quote in quotes if (place := now[quote]) is None or place.source_hash != quote.source_hash)
    after = section.changed(
        paragraphs=tuple(filter(None, map(kept, section.paragraphs))),
        rows=kept(section.rows),
        stale=tuple(dict.fromkeys(quote.document_id for quote in changed)),
    )
    if section.status is None or len(after.statements) == len(section.statements):
        return after
    if not after.statements:
        return after.changed(status=AnswerStatus.NOT_FOUND_SO_FAR, reason="What it quoted is no longer in the files.")
    return after.changed(status=LESS.get(section.status, section.status))


def _standing_disagreements(answer: Answer, now: Mapping[Quote, Quote | None]) -> tuple[Disagreement, ...]:
    """Return the disagreements of which at least two values are still in the files. What explains them is a statement,
    so that it needs all its quotes.
    """
    kept = []
    for disagreement in answer.disagreements:
        sides = [(side, side.changed(quotes=_still(side.quotes, now))) for side in disagreement.sides]
        standing = [after for side, after in sides if len(after.quotes) >= (len(side.quotes) if side.explains else 1)]
        if sum(not side.explains for side in standing) > 1:
            kept.append(disagreement.changed(sides=standing))
    return tuple(kept)


def _still(quotes: Sequence[Quote], now: Mapping[Quote, Quote | None]) -> tuple[Quote, ...]:
    """Return the quotes that are still in the files, at their current places."""
    return tuple(place for quote in quotes if (place := now[quote]) is not None)


def standing_quotes(quotes: Sequence[Quote], reread: Reread) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
    """Return the quotes that are still in the files, with their current places, and for every other quote the reason
    why it is missing.
    """
    fresh = reread(dict.fromkeys(quote.document_id for quote in quotes))
    standings = [(quote, quote_standing(quote, fresh[quote.document_id])) for quote in quotes]
    lost = dict.fromkeys(_not_standing(quote, fresh[quote.document_id]) for quote, now in standings if now is None)
    return tuple(now for _, now in standings if now is not None), tuple(lost)


def quote_standing(quote: Quote, fresh: FreshDocument) -> Quote | None:
    """Return a quote with its current wording and place in the document; None if the document no longer contains it."""
    if fresh.document is None:
        return None
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


def _not_standing(quote: Quote, fresh: FreshDocument) -> str:
    """Return the reason why a quote no longer stands."""
    if fresh.document is None:
        why = f"{quote.document_id} cannot be read again ({fresh.problem})"
    elif fresh.document.content_hash != quote.source_hash:
        why = f"{quote.document_id} has changed since it was read, and no longer contains the quote"
    else:
        why = f"the quote is not in {quote.document_id}"
    return f'{SOURCE_CHANGED}: {why}: "{quote.inline[:_LONGEST_NAMED]}"'


def nearest_text(text: str, wanted: str, start: int = 0) -> str:
    """Return the stretch of the text that contains the most wanted words or, in a tie, the one nearest to `start`.

    The stretch has at most 600 characters, and is empty if the text contains no wanted word. Runs in time linear in the
    length of the text.
    """
    words = Counter(_WORD.findall(wanted.lower()[: 2 * _LONGEST]))
    length = max(1, sum(1 for _ in _PIECE.finditer(wanted.strip()[: 2 * _LONGEST])))
    spans = [piece.span() for piece in _PIECE.finditer(text)]
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
