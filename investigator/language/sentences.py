"""Finds where sentences begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

_BLANK_LINE = re.compile(r"\n\s*\n")
_BRACKETED_NUMBER = re.compile(r"\([\d.,]+[%)]")
"""Matches a loss in a table row or a count in a list, which the segmenter mistakes for the number of a new item."""
_NO_ABBREVIATION = re.compile(r"\bMay\.\s+(?=[A-Z])")
"""Matches "May", the only full name of a month that the segmenter mistakes for an abbreviation."""
_SENTENCE_END = re.compile(r"[^\w\s,)\]%][\"'\u201d\u2019)\]]*\s*$")
_RUNS_ON = re.compile(r"[^\W\dA-Z_]|[,;:.)]")
_ROW = re.compile(r"[^:;]{1,60}: [^;]*; [^:;]{1,60}: ")
"""Matches a table row in which every cell follows its header: "room: kitchen; item: chairs"."""
_FEWEST_LINES, _LONGEST_RECORD, _TITLE_SHARE = 2, 80, 0.7
_WINDOW = 4_000  # number of characters segmented at once, because the segmenter takes quadratic time for some texts


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return the half-open spans of the sentences in the text, without surrounding whitespace, in order. Together they
    cover every character that is not whitespace. A sentence never crosses a blank line, and a sentence of more than
    4,000 characters is split, at a line end or a space if possible.
    """
    return iter(_known_spans(text)) if len(text) <= _WINDOW else _spans(text)  # a caller may stop early in a long text


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for gap in _BLANK_LINE.finditer(text):
        yield from _block(text, start, gap.start())
        start = gap.end()
    yield from _block(text, start, len(text))


_known_spans = lru_cache(maxsize=4_096)(lambda text: tuple(_spans(text)))  # steps of a run split the same passages


def statement_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return the spans of sentences, or of individual lines if each line is a record: a bill, a log, a letterhead.

    Lines are records if none of them seems to continue another one, and only the last one may be long.
    """
    for start, end in sentence_spans(text):
        lines = list(_lines(text, start, end))
        yield from lines if _are_records([text[begin:stop] for begin, stop in lines]) else [(start, end)]


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        yield from _stripped(text, start, end if stop < 0 else stop)
        start = end if stop < 0 else stop + 1


def _are_records(lines: Sequence[str]) -> bool:
    """Return True if the lines are records: all but the first are rows of a table, or none runs on, only the last is
    long, and the first of two is clearly shorter than the other.
    """
    if len(lines) < _FEWEST_LINES:
        return False
    if all(_ROW.match(line) for line in lines[1:]):
        return True
    if any(_RUNS_ON.match(line) for line in lines):
        return False
    own = lines[:-1]
    return max(map(len, own)) <= _LONGEST_RECORD and (len(own) > 1 or len(own[0]) < _TITLE_SHARE * len(lines[1]))


def _block(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a block, found window by window; the last sentence of a window starts the next window."""
    while start < end:
        window_end = min(end, start + _WINDOW)
        stops = _stops(text, start, window_end)
        if window_end < end:
            stops = stops[:-1] or [_cut(text, start, window_end)]
        for stop in stops:
            yield from _stripped(text, start, stop)
            start = stop


def _stops(text: str, start: int, end: int) -> list[int]:
    """Return the ends of the sentences in a stretch of text; the last sentence ends where the stretch ends."""
    from sentencex import segment  # a compiled library, which is loaded when the first text is split

    stops: list[int] = []
    position = start
    for sentence in segment("en", text[start:end]):
        position += len(sentence)
        if not (_BRACKETED_NUMBER.match(text, position, end) and not _SENTENCE_END.search(sentence)):
            stops.append(position)
    if not stops or position != end:  # the segmenter changed the text, so its lengths cannot be used
        return [end]
    return sorted({*stops, *(month.end() for month in _NO_ABBREVIATION.finditer(text, start, end))})


def _cut(text: str, start: int, end: int) -> int:
    """Return where to cut a stretch without a sentence end: after its last line end or space, or else at its end."""
    for mark in ("\n", " "):
        at = text.rfind(mark, start + (end - start) // 2, end)
        if at >= 0:
            return at + 1
    return end


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the span without surrounding whitespace, unless it contains only whitespace."""
    sentence = text[start:end]
    begin = start + len(sentence) - len(sentence.lstrip())
    finish = end - len(sentence) + len(sentence.rstrip())
    if begin < finish:
        yield begin, finish
