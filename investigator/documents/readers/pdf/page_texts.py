"""Builds the text of each page from its lines: rejoins words that were hyphenated at the end of a line, and recognises
headings by their type size and weight. Maps the letters of this text to those of pdfium's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.pdf.boxes import LINE_HYPHEN
from investigator.documents.readers.pdf.placed_lines import PlacedLine, blocks, body_type, is_heading, running_lines
from investigator.records import Heading

_WORD_OR_SPACE = re.compile(r"\S+|\s+")
_CUT_WORD = re.compile(rf"([^\W_]*){LINE_HYPHEN}[ \t]*([^\W_]*)(\S*)[ \t]?")
_UNCUT_WORD = re.compile(rf"(?<![^\W\d_]|{LINE_HYPHEN})[^\W\d_]++(?:-[^\W\d_]++)*+(?!{LINE_HYPHEN})")
_COMPOUNDS = 4  # different compounds at line ends, without a split word: in this document, words are not split
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
    """Joins words split across lines, following the document's spelling elsewhere, and its habit: where only compounds
    are at line ends, other hyphens belong to compounds as well.

    `pages` are whole pages: both halves of a split word are in the same text, with only `LINE_HYPHEN` between them.
    """

    def __init__(self, pages: Iterable[str]) -> None:
        pages = list(pages)
        self._written = {match.group().lower() for page in pages for match in _UNCUT_WORD.finditer(page)}
        halves = {(cut[1].lower(), cut[2].lower()) for page in pages for cut in _CUT_WORD.finditer(page)}
        compounds = sum(f"{left}-{right}" in self._written for left, right in halves)
        is_splitting = any(f"{left}{right}" in self._written for left, right in halves)
        self._never_splits = compounds >= _COMPOUNDS and not is_splitting

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
        return not (self._never_splits or f"{left}-{right}" in self._written or right in self._written)


def _joined(lines: Iterable[PlacedLine]) -> str:
    """Join lines into one text; there is no line break inside a split word."""
    return "".join(line.text if line.cut else f"{line.text}\n" for line in lines)


def letters_in_order(raw: str, text: str) -> list[int | None] | None:
    """Return, for each character in a page's text, its position in `raw` (pdfium's text of the page), or None for
    whitespace. Return None instead of a list unless the two texts have the same letters in the same order: they may
    differ in whitespace, hyphens of split words and forbidden characters.
    """
    places: list[int | None] = []
    at = 0
    for part in _WORD_OR_SPACE.findall(text):
        if part.isspace():
            places += [None] * len(part)
            continue
        while raw[at : at + 1].isspace():
            at += 1
        own = range(at, at + len(part)) if raw.startswith(part, at) else _in_order(raw, at, part)
        if own is None:
            return None
        places += own
        at = own[-1] + 1
    return places


def _in_order(raw: str, at: int, word: str) -> list[int] | None:
    """Return the places of the letters of a word, with others that are left out between them, from a place on."""
    places = []
    for character in word:
        while at < len(raw) and not _same(raw[at], character):
            if raw[at] != LINE_HYPHEN and not raw[at].isspace() and cleaned(raw[at]):
                return None
            at += 1
        if at == len(raw):
            return None
        places.append(at)
        at += 1
    return places


def _same(raw: str, character: str) -> bool:
    if raw == character or (raw == LINE_HYPHEN and character == "-"):
        return True
    return is_raised(character) and unicodedata.normalize("NFKC", character) == raw


def is_raised(character: str) -> bool:
    """Return True if a character is a raised one, such as an exponent."""
    return unicodedata.decomposition(character).startswith("<super>")
