"""Finds lines with a label and its value, such as "Owner: Human Resources", which are like tables with one row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from investigator.language.late_patterns import late
from investigator.language.terms import BRACKETS

_LONGEST, _MOST_WORDS = 60, 6
_FULL = 60  # minimum length in characters of a line that was probably broken at the page width
_LINE = late(
    r"[ \t>*_#•–-]*(?P<label>[^\W\d_a-z](?:[^\n:.!?;()]|\([^\n()]*\)|\.(?=\w))*?)[*_]*[ \t]*:(?!\S*//)[*_]*(?=\s|$)"
)
_CLAUSE = late(r"\b(?:is|are|was|were|has|have|had|will|would|shall|must|may|can|did|does|that|which|who)\b")
_ITEM = late(r"[ \t]*(?:[-*•‣◦–]|\(?\d{1,3}[.)])[ \t]")
_INCOMPLETE = late(r"(?:,|\b(?:the|an?|of|and|or|to|in|for|by|with|from))[ \t]*$")
_CONTINUES = late(r"[ \t]+\S|[^\W\dA-Z_]")


class LabelLine(NamedTuple):
    """The label of a line and its value, which may continue on further lines."""

    label: str
    value: str


@lru_cache(maxsize=4096)
def label_line(text: str) -> LabelLine | None:
    """Return the label and value of the text; None if it does not begin with a short label, or has no value."""
    label = _label(text)
    value = " ".join(text[text.index(":", len(label)) + 1 :].strip("*_ ").split()) if label else ""
    return LabelLine(label, value) if value else None


def record_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the lines in the text, each including the lines that continue it.

    A line is continued if it is full, if it ends with a comma, a preposition or the colon of a label, or if the next
    line is indented or begins in lower case. A list is not the value of a label, but a line after a blank line may be.
    """
    start = end = 0
    before = ""
    for line in text.split("\n"):
        if line.strip() and not _continues(before, line):
            yield from _filled(text, start, end)
            start = end
        end += len(line) + 1
        before = line if line.strip() or not awaits_value(before) else before
    yield from _filled(text, start, len(text))


def awaits_value(line: str) -> bool:
    """Return True if the line is a label with its value below it: "Signed for the tenant:"."""
    return line.rstrip(" *_\n").endswith(":") and bool(_label(line))


def is_value(line: str) -> bool:
    """Return True if the line may be the value of the label above it: it is short, and not a list item."""
    return len(line) <= _LONGEST and not (_ITEM.match(line) or _label(line) or line.rstrip().endswith("."))


def _filled(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    line = text[start:end]
    if line.strip():
        yield start + len(line) - len(line.lstrip()), start + len(line.rstrip())


def _continues(before: str, line: str) -> bool:
    if not before.strip() or _ITEM.match(line):
        return False
    if awaits_value(before):
        return is_value(line)
    is_full = len(before) >= _FULL and before.rstrip()[-1:] not in (".", "!", "?", ":")
    is_full &= not (_label(line) and ": " in before)  # two label lines; the first is merely long
    return is_full or _INCOMPLETE.search(before) is not None or _CONTINUES.match(line) is not None


def _label(line: str) -> str:
    """Return the label at the beginning of a line; "" if no short label is found."""
    match = _LINE.match(line)
    label = match["label"].strip() if match else ""
    is_short = len(label) <= _LONGEST and len(BRACKETS.sub(" ", label).split()) <= _MOST_WORDS
    return label if is_short and not _CLAUSE.search(label) else ""
