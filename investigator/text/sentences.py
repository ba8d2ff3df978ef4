"""Where sentences begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLANK_LINE = re.compile(r"\n\s*\n")


def sentence_spans(text: str, language: str = "en") -> Iterator[tuple[int, int]]:
    """Half-open spans of the sentences of a text, without surrounding white space, in order.

    A sentence never crosses a blank line. Empty text has none.
    """
    start = 0
    for gap in _BLANK_LINE.finditer(text):
        yield from _block(text, start, gap.start(), language)
        start = gap.end()
    yield from _block(text, start, len(text), language)


def _block(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int]]:
    from sentencex import segment  # a compiled library; loaded when the first text is split

    position = start
    for sentence in segment(language, text[start:end]):
        core = sentence.strip()
        if not core:
            continue
        found = text.find(core, position, end)
        if found < 0:  # the segmenter changed the text: take the rest as it stands
            yield from _stripped(text, position, end)
            return
        yield found, found + len(core)
        position = found + len(core)


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    core = text[start:end].strip()
    if core:
        begin = text.index(core, start)
        yield begin, begin + len(core)
