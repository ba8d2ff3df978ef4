"""Finds newer editions of a document with the same line but a different number, such as a new price list. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from investigator.evidence.quotes import quote_at
from investigator.evidence.titles import are_of_a_series, title_line
from investigator.language.normalise import one_line
from investigator.language.terms import words
from investigator.questions.cues import cue_words
from investigator.questions.periods import Period, periods
from investigator.records import ConflictSide, Document, Quote

_NUMBER = re.compile(r"\d++(?:[.,]\d++)*+")  # possessive quantifiers, so that no number is matched as two
_SPACE = re.compile(r"\s+")
_NAMED = re.compile(r"[^\W\d_]{3}")  # a line without a word of three letters names nothing
_LONGEST = 400  # maximum number of characters in a line


def edition_of(document: Document) -> Period | None:
    """Return the newest period mentioned in the names or first line of a document; None if they mention no year."""
    first = document.text.strip().partition("\n")[0]
    dated = [one for one in periods(f"{document.names} {first}") if one.year]
    return max(dated, key=lambda one: one.order, default=None)


def said_in_newer(quote: Quote, document: Document, others: Iterable[Document]) -> tuple[ConflictSide, ...]:
    """Return the number in a quoted line, followed by its counterpart in each newer edition that has the same line with
    only this number changed, newest last; () if there is no such edition. For a cell, the line is its row.
    """
    own, line = edition_of(document), line_of(quote, document)
    if own is None or not _NAMED.search(line) or len(line) > _LONGEST:
        return ()
    dated = ((edition_of(other), other) for other in others)
    newer = [(one.order, other) for one, other in dated if one is not None and one.order > own.order]
    sides: list[ConflictSide] = []
    for (year, _), other in sorted(newer, key=lambda both: both[0]):
        if _are_editions(document, other) and (found := _other_number(line, other.text)):
            old, new, start, end = found
            sides = sides or [ConflictSide(value=old, quote=quote, date=str(own.year))]
            sides.append(ConflictSide(value=new, quote=quote_at(other, start, end), date=str(year)))
    return tuple(sides)


def newer_edition(quote: Quote, document: Document, others: Iterable[Document]) -> Document | None:
    """Return the newest edition of a document that takes its place and lacks a quoted sentence or row; None if there is
    no newer edition, or if it still contains the quote. Minutes and reports take no other document's place.
    """
    own, kinds = edition_of(document), _kinds(document)
    if own is None or not kinds:
        return None
    same = (other for other in others if _are_editions(document, other) and kinds & _kinds(other))
    dated = ((edition_of(other), other) for other in same)
    newer = [(one.order, other) for one, other in dated if one is not None and one.order > own.order]
    newest = max(newer, key=lambda both: both[0], default=(None, None))[1]
    return newest if newest and one_line(line_of(quote, document)) not in one_line(newest.text) else None


def may_be_replaced(document: Document) -> bool:
    """Return True if a document gives its year and is of a kind whose newer editions take the place of older ones."""
    return bool(_kinds(document)) and edition_of(document) is not None


def _kinds(document: Document) -> frozenset[str]:
    return cue_words("titles", "replaced").intersection(words(document.names))


def _are_editions(one: Document, other: Document) -> bool:
    """Return True if the paths, or the first lines, of two documents differ only in names and numbers."""
    same_path = _NUMBER.sub("", one.id) == _NUMBER.sub("", other.id)
    return same_path or are_of_a_series(title_line(one.text), title_line(other.text))


def line_of(quote: Quote, document: Document) -> str:
    """Return the text of a quote; for a cell, the line of its row."""
    if quote.cell is None:
        return quote.text.strip()
    start = document.text.rfind("\n", 0, quote.start) + 1
    return document.text[start:].partition("\n")[0].strip()


def _other_number(line: str, text: str) -> tuple[str, str, int, int] | None:
    """Find a line in the text that differs from the given line in only one number. Return the old number, the new
    number and the span of the line; None if the text contains the line unchanged, or only lines that differ in several
    numbers.
    """
    between = (r"\s+".join(map(re.escape, _SPACE.split(piece))) for piece in _NUMBER.split(one_line(line)))
    pattern = re.compile(f"({_NUMBER.pattern})".join(between), re.IGNORECASE)
    numbers = _NUMBER.findall(line)
    best: tuple[int, tuple[str, str, int, int]] | None = None
    for match in pattern.finditer(text):
        apart = [(old, new) for old, new in zip(numbers, match.groups(), strict=True) if old != new]
        if not apart:
            return None
        if best is None or len(apart) < best[0]:
            best = len(apart), (*apart[0], *match.span())
    return best[1] if best and best[0] == 1 else None
