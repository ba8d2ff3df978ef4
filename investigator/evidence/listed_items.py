"""Finds the items of a bulleted or numbered list whose introduction matches a question. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.evidence.quotes import quote_at
from investigator.language.addressed import addresses_model
from investigator.language.terms import content_words, stem
from investigator.questions.cues import cues, empty_words, request_words
from investigator.questions.related import root, roots
from investigator.records import Document, Quote

ASKS_FOR_THINGS = re.compile(r"^\W*(?:what|which|who|list|name|show|find|give)\b", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t]*(?P<mark>[-*•‣◦–]|\(?\d{1,3}[.)])[ \t]+(?=\S)", re.MULTILINE)
_GOES_ON = re.compile(r"\n(?![ \t]*(?:[-*•‣◦–#]|\(?\d{1,3}[.)])[ \t])[ \t]+\S[^\n]*")
_GAP = re.compile(r"\n[ \t]*(?:\n[ \t]*)?")
_LONGEST_INTRODUCTION, _MOST_LISTED = 200, 200


def listed_items(question: str, document: Document) -> tuple[Quote, ...]:
    """Return the items of the lists that a question asks for; () if it asks for no list, or no introduction matches.
    The line above a list ends with a colon or is a heading, and contains every content word of the question.
    """
    if not ASKS_FOR_THINGS.match(question):
        return ()
    asked = frozenset(map(root, asked_words(question)))
    if not asked:
        return ()
    found = (span for over, spans in _lists(document.text) if asked <= roots(over) for span in spans)
    quotes = (quote_at(document, start, end) for start, end in found)
    return tuple(quote for quote in quotes if not addresses_model(quote.text))[:_MOST_LISTED]


def asked_words(question: str) -> tuple[str, ...]:
    """Return the words of a question that the text around a list must contain."""
    others = request_words() | frozenset(cues("lists")["light"].split())
    return tuple(word for word in content_words(question) if word not in others and stem(word) not in empty_words())


def _lists(text: str) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Yield the introduction of each list with the spans of its items, without their marks."""
    over, spans = "", list[tuple[int, int]]()
    for mark in _BULLET.finditer(text):
        if not spans or not _GAP.fullmatch(text, spans[-1][1], mark.start()):
            if spans:
                yield over, spans
            over, spans = _introduction(text, mark), []
        spans.append((mark.end(), _end(text, mark.end())))
    if spans:
        yield over, spans


def _end(text: str, start: int) -> int:
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    while goes_on := _GOES_ON.match(text, end):
        end = goes_on.end()
    return start + len(text[start:end].rstrip())


def _introduction(text: str, mark: re.Match[str]) -> str:
    """Return the line above a list if it introduces the list; a heading introduces items without numbers."""
    line = text[max(0, mark.start() - _LONGEST_INTRODUCTION) : mark.start()].rstrip().rpartition("\n")[2].strip()
    is_heading = line.startswith("#") and not mark["mark"].strip("().").isdigit()
    return line if line.endswith(":") or is_heading else ""
