"""Finds where sentences begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import dropwhile

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
_LONGEST_ENTRY = 200  # a longer line is a paragraph
_WINDOW = 4_000  # number of characters segmented at once, because the segmenter takes quadratic time for some texts


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return the half-open spans of the sentences in the text, without surrounding whitespace, in order. Together they
    cover every character that is not whitespace. A sentence never crosses a blank line, and a sentence of more than
    4,000 characters is split, at a line end or a space if possible.
    """
    return iter(_known_spans(text)) if len(text) <= _WINDOW else _spans(text)  # a caller may stop early in a long text


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for start, end in _blocks(text):
        yield from _block(text, start, end)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans between blank lines."""
    start = 0
    for gap in _BLANK_LINE.finditer(text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


_known_spans = lru_cache(maxsize=4_096)(lambda text: tuple(_spans(text)))  # steps of a run split the same passages


def statement_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return the spans of sentences, or of individual lines if each line is a record: a row, a diary's entry, a bill.

    The lines of a block are records if they are rows of a table below their headings, or short and each ends as a
    sentence does; those of a sentence, if none of them seems to continue another one, and only the last one may be
    long.
    """
    for first, last in _blocks(text):
        if _are_records(block := list(_lines(text, first, last)), text):
            yield from block
            continue
        for start, end in sentence_spans(text[first:last]):
            lines = list(_lines(text, first + start, first + end))
            yield from (
                lines if _is_listed([text[begin:stop] for begin, stop in lines]) else [(first + start, first + end)]
            )


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        yield from _stripped(text, start, end if stop < 0 else stop)
        start = end if stop < 0 else stop + 1


def _are_records(spans: Sequence[tuple[int, int]], text: str) -> bool:
    """Return True if at least half of the lines from a block's first table row on are rows; in a block without rows, if
    all lines are short, none runs on, and at least two, which are all but a title before them, end a sentence.
    """
    lines = [text[start:end] for start, end in spans]
    if len(lines) < _FEWEST_LINES:
        return False
    rows = list(dropwhile(lambda is_row: not is_row, [bool(_ROW.match(line)) for line in lines]))
    if rows:
        return 2 * sum(rows) >= len(rows)
    if max(map(len, lines)) > _LONGEST_ENTRY or any(_RUNS_ON.match(line) for line in lines):
        return False
    ends = [bool(_SENTENCE_END.search(line)) for line in lines]
    return all(ends[1:]) and sum(ends) >= _FEWEST_LINES


def _is_listed(lines: Sequence[str]) -> bool:
    """Return True if none of the lines runs on, only the last is long, and the first of two is clearly shorter than
    the other.
    """
    if len(lines) < _FEWEST_LINES or any(_RUNS_ON.match(line) for line in lines):
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
