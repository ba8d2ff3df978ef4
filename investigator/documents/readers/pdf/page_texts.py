"""Builds the text of each page from its lines, and recognises headings by their type size and weight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from investigator.documents.readers.pdf.blocks import PlacedLine, blocks, body_type, is_heading, running_lines
from investigator.documents.readers.pdf.hyphens import CutWords
from investigator.records import Heading

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
    found: list[PageText] = []
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
        found.append(PageText(_BLOCK_BREAK.join(texts), tuple(headings)))
    return found


def _joined(lines: Iterable[PlacedLine]) -> str:
    """Join lines into one text; there is no line break inside a split word."""
    return "".join(line.text if line.cut else f"{line.text}\n" for line in lines)
