"""Matches the words of a recognised text to the words that Tesseract lists with their positions on the page. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

_WORD = re.compile(r"\S+")
_PAGE, _WORD_LEVEL = "1", "5"  # values of the `level` column in Tesseract's table
_COLUMNS = 12


class PlacedWord(NamedTuple):
    """A word with its line and its box, in fractions of the page's width and height from the left and the top."""

    text: str
    line: tuple[str, ...]
    left: float
    top: float
    right: float
    bottom: float


def placed_words(table: str) -> list[PlacedWord]:
    """Return the words of a page, in reading order, from the table that Tesseract prints as TSV."""
    words: list[PlacedWord] = []
    width, height = 1, 1
    for row in table.splitlines()[1:]:
        level, *line, _, left, top, across, down, _, text = row.split("\t", _COLUMNS - 1)
        if level == _PAGE:
            width, height = int(across), int(down)
        elif level == _WORD_LEVEL and text.strip():
            x, y = int(left), int(top)
            box = (x / width, y / height, (x + int(across)) / width, (y + int(down)) / height)
            words.append(PlacedWord(text.strip(), tuple(line), *(min(max(edge, 0.0), 1.0) for edge in box)))
    return words


def words_in_text(text: str, words: Sequence[PlacedWord]) -> Mapping[int, PlacedWord]:
    """Return the words that occur in the text in the same order, keyed by their offsets in the text."""
    matches = list(_WORD.finditer(text))
    same = SequenceMatcher(None, [match[0] for match in matches], [word.text for word in words], autojunk=False)
    return {
        matches[block.a + step].start(): words[block.b + step]
        for block in same.get_matching_blocks()
        for step in range(block.size)
    }


def lines_of(words: Sequence[PlacedWord]) -> Iterator[PlacedWord]:
    """Yield each line of consecutive words as one word, with the box around them."""
    for line, group in groupby(words, key=lambda word: word.line):
        of_line = list(group)
        yield PlacedWord(
            " ".join(word.text for word in of_line),
            line,
            min(word.left for word in of_line),
            min(word.top for word in of_line),
            max(word.right for word in of_line),
            max(word.bottom for word in of_line),
        )
