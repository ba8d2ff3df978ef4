"""Finds where sentences begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from investigator.language.labels import awaits_value, is_value, label_line, record_spans

_BLANK_LINE = re.compile(r"\n\s*\n")
_BRACKETED_NUMBER = re.compile(r"\([\d.,]+[%)]")
"""Matches a loss in a table row or a count in a list, which the segmenter mistakes for the number of a new item."""
_NO_ABBREVIATION = re.compile(r"\bMay\.\s+(?=[A-Z])")
"""Matches "May", the only full name of a month that the segmenter mistakes for an abbreviation."""
_SENTENCE_END = re.compile(r"[^\w\s,)\]%][\"'\u201d\u2019)\]]*\s*$")
_RUNS_ON = re.compile(r"[^\W\dA-Z_]|[,;:.)]")
_ROW = re.compile(r"[^:;]{1,60}: [^;]*; [^:;]{1,60}: ")
"""Matches a table row in which every cell follows its header: "room: kitchen; item: chairs"."""
_INCOMPLETE = re.compile(r"(?:\b(?:the|an?|of|and|or|to|in|for|by|with|from|that|our|its|their)|,)$")
_LETTER_END = re.compile(
    r"[^\n]{0,20}\b(?i:regards|wishes|sincerely|faithfully|truly|greetings|yours)[ ,.!]*\n\s*"
    r"[^\W\d_a-z][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,3}"
)
"""Matches the closing of a letter, and the name below it."""
_ALONE = "Yours\n"  # stands in for the missing closing of a block
_ROLE = re.compile(r"[^\W\d_a-z][^\d@:/]{2,70}")
_FEWEST_LINES, _LONGEST_RECORD, _TITLE_SHARE = 2, 80, 0.7
_ITEM_TITLE = re.compile(
    r"(?:[-*•‣◦–]|\(?\d{1,3}(?:\.\d+)*[.)]|§ ?\d+)(?:\s+(?!(?:It|He|She|We|They|This|That|There|No|Not)\b)"
    r"[^\W\d_a-z][\w'’-]*(?: (?!(?:is|are|was|were|has|have|had)\b)[\w'’&-]+){0,3}(?<!ed)[.:])?"
)
"""Matches the mark of a list item, and its title: "- Spring fair.", "3. Rent."."""
_ON_SAME_LINE = re.compile(r" +\S")
_WINDOW = 4_000  # number of characters segmented at once, because the segmenter takes quadratic time for some texts


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return the half-open spans of the sentences in the text, without surrounding whitespace, in order. Together they
    cover every character that is not whitespace. A sentence never crosses a blank line, and a sentence of more than
    4,000 characters is split, at a line end or a space if possible.
    """
    return iter(_known_spans(text)) if len(text) <= _WINDOW else _spans(text)  # a caller may stop early in a long text


@lru_cache(maxsize=4_096)  # several steps of a run, and the next runs, split the same chunks and passages
def _known_spans(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_spans(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for gap in _BLANK_LINE.finditer(text):
        yield from _block(text, start, gap.start())
        start = gap.end()
    yield from _block(text, start, len(text))


def statement_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return the spans of sentences, or of individual lines if each line is a record: a bill, a log, a letterhead.

    Lines are records if none of them seems to continue another one, and only the last one may be long. A label line and
    the lines that continue its value are one record.
    """
    for start, end in _with_values(text):
        records = _signed(text, [(start + first, start + last) for first, last in record_spans(text[start:end])])
        if any(label_line(text[first:last]) for first, last in records):
            yield from records
            continue
        lines = list(_lines(text, start, end))
        yield from _signed(text, lines) if _are_records([text[begin:stop] for begin, stop in lines]) else [(start, end)]


def _with_values(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences; a label is joined with its value in the next block."""
    label: tuple[int, int] | None = None
    for start, end in _with_titles(text):
        if label is not None:
            if is_value(text[start:end]):
                yield label[0], end
                label = None
                continue
            yield label
        label = (start, end) if awaits_value(text[start:end]) else None
        if label is None:
            yield start, end
    if label is not None:
        yield label


def _with_titles(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences; the title of a list item is joined with the next sentence: "3. Rent. It is due on 1
    May."
    """
    title: int | None = None
    for start, end in sentence_spans(text):
        start, title = start if title is None else title, None
        if _ITEM_TITLE.fullmatch(text, start, end) and _ON_SAME_LINE.match(text, end):
            title = start
        else:
            yield start, end
    if title is not None:
        yield title, len(text.rstrip())


def is_row(sentence: str) -> bool:
    """Return True if the sentence is a table row in which every cell follows its header: "Name: Ann; Role: chair"."""
    return _ROW.match(sentence) is not None


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        yield from _stripped(text, start, end if stop < 0 else stop)
        start = end if stop < 0 else stop + 1


def _signed(text: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join the name at the end of a letter with the role on the line below it: "Ann Cole, head of sales". If there are
    no other lines, these two lines need no closing above them.
    """
    for at, ((start, named), (role, end)) in enumerate(pairwise(lines)):
        closing = text[lines[at - 1][0] : start] if at else "" if len(lines) > 2 else _ALONE
        if _LETTER_END.fullmatch(closing + text[start:named]) and _ROLE.fullmatch(text, role, end):
            return [*lines[:at], (start, end), *lines[at + 2 :]]
    return lines


def _are_records(lines: Sequence[str]) -> bool:
    """Return True if the lines are records, not prose that was wrapped to fit a width. A wrapped line begins in lower
    case, or follows a full line. If there are only two lines, the first must also be much shorter than the second.
    """
    if len(lines) < _FEWEST_LINES:
        return False
    if all(map(is_row, lines[1:])):
        return True
    if any(_RUNS_ON.match(line) for line in lines) or any(_INCOMPLETE.search(line) for line in lines[:-1]):
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
    return sorted({*stops, *(found.end() for found in _NO_ABBREVIATION.finditer(text, start, end))})


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
