"""Finds statements that a document makes about itself: on a labelled line, in its first lines, or at its end. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from investigator.evidence.quotes import Source, quote_at
from investigator.language.addressed import addresses_model
from investigator.language.dates import dates
from investigator.language.normalise import normalise
from investigator.questions.imprints import dated_line, imprint_pattern
from investigator.questions.own_properties import OwnProperty
from investigator.records import Document, Quote

_HEAD, _TAIL = 5_000, 2_000  # number of characters to search at the beginning and at the end
_LONGEST = 200  # maximum number of characters in a value
_LETTERS = re.compile(r"[^\W\d_]{2}")
_VERSION = re.compile(
    r"\b(?:version|revision|rev\.?|edition|v\.?)\s?\d+(?:\.\d+)*\b|\b(?:\w+(?:st|nd|rd|th)) (?:edition|revision)\b",
    re.I,
)
_PAGES = re.compile(r"\bpage\s+(\d+)\s+(?:of|/)\s+(\d+)\b", re.IGNORECASE)
_CAPITAL = r"(?-i:[^\W\d_a-z])"
_BYLINE = re.compile(rf"^[ \t]*by[ \t]+{_CAPITAL}[^\n]{{2,80}}(?<![.:;,])$", re.IGNORECASE | re.MULTILINE)
_GREETING = re.compile(r"^[ \t]*dear[ \t]+[^\n]{2,80}$", re.IGNORECASE | re.MULTILINE)

_Span = tuple[int, int]


def own_statement(wanted: OwnProperty, document: Document) -> Quote | None:
    """Return the passage in which a document states one of its own properties, such as its date or author; None if
    there is none.
    """
    for start, end in _places(wanted, document):
        if not addresses_model(document.text[start:end]):
            return quote_at(document, start, end)
    return None


def own_value(wanted: OwnProperty, statement: str) -> str:
    """Return the value in a document's statement about itself: the text after its label, or the closing words of a
    letter; "" if neither is found.
    """
    for form in (_label(wanted), _label(OwnProperty.SENDER), _closing()):
        if found := form.match(statement):
            return next(filter(None, (found["beside"], found["below"])), "")
    return ""


def _places(wanted: OwnProperty, document: Document) -> Iterator[_Span]:
    """Yield the spans that state a property, beginning with the most certain."""
    text = document.text
    yield from _labelled(wanted, text, 0, _HEAD)
    match wanted:
        case OwnProperty.DATE:
            if line := dated_line(text):
                yield line[:2]
            yield from _labelled(wanted, text, max(0, len(text) - _TAIL), len(text))
        case OwnProperty.AUTHOR:
            yield from (found.span() for found in _BYLINE.finditer(text, 0, _HEAD))
            yield from _naming(document, document.authors)
            yield from _labelled(OwnProperty.SENDER, text, 0, _HEAD)
            yield from _signature(text)
        case OwnProperty.SENDER:
            yield from _signature(text)
        case OwnProperty.RECIPIENT:
            yield from (found.span() for found in _GREETING.finditer(text, 0, _HEAD))
        case OwnProperty.ISSUER:
            yield from _naming(document, (document.imprint.issuer,))
        case OwnProperty.TITLE:
            yield from _naming(document, (document.title,))
        case OwnProperty.VERSION:
            yield from (found.span() for found in _VERSION.finditer(text, 0, _HEAD))
        case OwnProperty.PAGES:
            yield from (found.span() for found in _PAGES.finditer(text))


def _labelled(wanted: OwnProperty, text: str, low: int, high: int) -> Iterator[_Span]:
    """Yield the spans of a property's label and its value, which follows a colon or is in the next cell or on the next
    line.
    """
    for found in _label(wanted).finditer(text, low, high):
        value = found["beside"] or found["below"]
        if len(value) <= _LONGEST and _is_value(wanted, value, is_below=found["below"] is not None):
            yield found.start("label"), found.end()


def _is_value(wanted: OwnProperty, value: str, *, is_below: bool) -> bool:
    match wanted:
        case OwnProperty.DATE:
            return any(date.years for date in dates(normalise(value).text))
        case OwnProperty.VERSION | OwnProperty.PAGES:
            return any(map(str.isdigit, value)) or len(value) == 1
        case _:
            return not is_below and _LETTERS.search(value) is not None


def _naming(document: Document, names: tuple[str, ...]) -> Iterator[_Span]:
    """Yield the lines near the beginning that contain a name from the file's properties."""
    head = Source(document.changed(text=document.text[:_HEAD]))
    for name in filter(None, names):
        if quote := head.find(name):
            yield document.text.rfind("\n", 0, quote.start) + 1, _line_end(document.text, quote.end)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _signature(text: str) -> Iterator[_Span]:
    """Yield the end of a letter: its closing words and the name below."""
    for found in _closing().finditer(text, max(0, len(text) - _TAIL)):
        yield found.start("closing"), found.end()


@cache
def _label(wanted: OwnProperty) -> re.Pattern[str]:
    label, gap = imprint_pattern(f"{wanted}_label").pattern, r"[ \t]*(?:[:：|\t]|[ \t]{2,})[ \t|]*"
    below = r"[ \t]*[:：]?[ \t]*\n[ \t\n]*"
    ways = rf"(?:{gap}(?P<beside>[^\s|][^\n]*?)|{below}(?P<below>[^\s|][^\n]*?))[ \t|]*$"
    return re.compile(rf"^[ \t|*#>-]*(?P<label>{label}){ways}", re.IGNORECASE | re.MULTILINE)


@cache
def _closing() -> re.Pattern[str]:
    closing = rf"(?P<closing>{imprint_pattern('closing').pattern})[ \t]*(?P<beside>)\n[ \t\n]*"
    return re.compile(rf"^[ \t]*{closing}(?P<below>{_CAPITAL}[^\n]{{2,60}})$", re.IGNORECASE | re.MULTILINE)
