"""Builds the text of each page from its lines: rejoins words that were hyphenated at the end of a line, and recognises
headings by their type size and weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from investigator.documents.readers.pdf.blocks import PlacedLine, blocks, body_type, is_heading, running_lines
from investigator.records import Heading

LINE_HYPHEN = "\ufffe"
"""pdfium's replacement for a hyphen at the end of a line."""

_CUT_WORD = re.compile(rf"([^\W_]*){LINE_HYPHEN}[ \t]*([^\W_]*)(\S*)[ \t]?")
_UNCUT_WORD = re.compile(rf"(?<![^\W\d_]|{LINE_HYPHEN})[^\W\d_]++(?:-[^\W\d_]++)*+(?!{LINE_HYPHEN})")
_PREFIXES = frozenset(
    """
    anti auto bi co counter cross de ex extra hyper hypo inter intra mid mini mono multi non over post pre pro quasi
    re self semi sub super trans tri ultra un under
    """.split()  # noqa: SIM905 - a list of strings would take 33 lines
)
"""Prefixes that are written with a hyphen as often as without one."""
_BLOCK_BREAK = "\n\n"


class PageText(NamedTuple):
    """The text of a page, and its headings with their positions in that text."""

    text: str
    headings: tuple[Heading, ...] = ()


def page_texts(pages: Sequence[Sequence[PlacedLine]]) -> list[PageText]:
    """Return each page's text: its lines, with blocks separated by empty lines and split words joined."""
    words = CutWords(map(_joined, pages))
    running = running_lines(pages)
    body = body_type(pages)
    layer: list[PageText] = []
    for lines in pages:
        texts: list[str] = []
        headings: list[Heading] = []
        offset = 0
        for block in blocks(lines, running):
            text = words.joined(_joined(block)).strip()
            if is_heading(block, body):
                headings.append(Heading(text=" ".join(text.split()), start=offset))
            texts.append(text)
            offset += len(text) + len(_BLOCK_BREAK)
        layer.append(PageText(_BLOCK_BREAK.join(texts), tuple(headings)))
    return layer


class CutWords:
    """Joins words split across lines, following the document's spelling elsewhere.

    `pages` are whole pages: both halves of a split word are in the same text, with only `LINE_HYPHEN` between them.
    """

    def __init__(self, pages: Iterable[str]) -> None:
        self._written = {match.group().lower() for page in pages for match in _UNCUT_WORD.finditer(page)}

    def joined(self, text: str) -> str:
        """Return the text with split words joined, and the line break moved after them."""
        return _CUT_WORD.sub(self._whole, text)

    def _whole(self, match: re.Match[str]) -> str:
        left, right, rest = match.groups()
        rest = rest.replace(LINE_HYPHEN, "-")  # a word may be split twice
        return f"{left}{'' if self._is_one_word(left, right) else '-'}{right}{rest}\n"

    def _is_one_word(self, left: str, right: str) -> bool:
        """Return True if the hyphen between two halves is there only because the line ends."""
        if not (left.isalpha() and right.isalpha() and right.islower()) or left.isupper():
            return False
        left, right = left.lower(), right.lower()
        if f"{left}{right}" in self._written:
            return True
        return f"{left}-{right}" not in self._written and right not in self._written and left not in _PREFIXES


def _joined(lines: Iterable[PlacedLine]) -> str:
    """Join lines into one text; there is no line break inside a split word."""
    return "".join(line.text if line.cut else f"{line.text}\n" for line in lines)
