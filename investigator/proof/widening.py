"""Widens a quote to its whole sentence, because words can change their meaning out of context."""

from __future__ import annotations

import re

from investigator.language.sentences import sentence_spans

_WINDOW = 1_500
"""Number of characters to search, before and after a quote, for the ends of its sentence."""
_MOST_ADDED = 600
"""Maximum number of characters added; a longer addition would be a table or list instead of a sentence."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_CELL = re.compile(r"\t| {3,}|\s\|\s")
_SHORT = 0.6
"""A line without a full stop was broken deliberately if it is shorter than this fraction of its paragraph's longest
line.
"""
_NUMBERS_OF_A_ROW = 0.4
_NEW_ITEM = re.compile(r"\s*(?:[-*\u2022\u2023\u25e6|#]|\(?\d{1,2}[.)]\s)")


def whole_rows(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the rows of a table, a line each, that contain the quote at `[start, end)`."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last
    line = text[first:last]
    return first + len(line) - len(line.lstrip()), last - (len(line) - len(line.rstrip()))


def whole_sentences(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the sentences that contain the quote at `[start, end)`.

    The span stays inside the quote's paragraph or, in a list, heading or table, inside its lines. A quote that would
    grow by more than 600 characters stays unchanged.
    """
    low, high = _paragraph(text, start, end)
    begin, finish = start, end
    for first, last in sentence_spans(text[low:high]):
        if low + first <= start < low + last:
            begin = low + first
        if low + first < end <= low + last:
            finish = low + last
    begin, finish = _own_lines(text, (low, high), (begin, finish), (start, end))
    return (begin, finish) if (finish - begin) - (end - start) <= _MOST_ADDED else (start, end)


def _paragraph(text: str, start: int, end: int) -> tuple[int, int]:
    low = max(0, start - _WINDOW)
    for gap in _BLANK_LINE.finditer(text, low, start):
        low = gap.end()
    gap_after = _BLANK_LINE.search(text, end, min(len(text), end + _WINDOW))
    return low, gap_after.start() if gap_after else min(len(text), end + _WINDOW)


def _own_lines(
    text: str, paragraph: tuple[int, int], sentence: tuple[int, int], quote: tuple[int, int]
) -> tuple[int, int]:
    """Limit a quote's sentence to its own lines, excluding headings, items and table rows before and after it."""
    longest = max(len(line) for line in text[slice(*paragraph)].split("\n"))
    begin, finish = sentence
    for at in reversed([k for k in range(begin, quote[0]) if text[k] == "\n"]):
        if _ends_something(text, at, longest):
            begin = at + 1 + len(text[at + 1 : quote[0]]) - len(text[at + 1 : quote[0]].lstrip())
            break
    for at in (k for k in range(quote[1], finish) if text[k] == "\n"):
        if _ends_something(text, at, longest):
            finish = at - (len(text[quote[1] : at]) - len(text[quote[1] : at].rstrip()))
            break
    return begin, finish


def _ends_something(text: str, at: int, longest: int) -> bool:
    """Return True if the writer ended the line at `at` deliberately, not because the line was full."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    line_end = text.find("\n", at + 1)
    after = text[at + 1 : line_end if line_end >= 0 else len(text)]
    if _NEW_ITEM.match(after) or any(_CELL.search(line) or _is_row(line) for line in (before, after)):
        return True
    return len(before.rstrip()) < _SHORT * longest and not after[:1].islower()


def _is_row(line: str) -> bool:
    """Return True if a line contains so many numbers that it is probably a table row."""
    words = line.split()
    return sum(any(char.isdigit() for char in word) for word in words) > _NUMBERS_OF_A_ROW * len(words)
