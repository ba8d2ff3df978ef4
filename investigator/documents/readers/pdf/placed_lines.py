"""Finds the lines of a PDF page, with their positions, letter sizes and weights."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.pdf.blocks import PlacedLine
from investigator.documents.readers.pdf.hyphens import LINE_HYPHEN
from investigator.documents.readers.pdf.orientation import Orientation

_SAMPLED = 5
"""Approximate number of letters sampled from a line to determine its letter size and weight."""


def placed_lines(textpage: Any, text: str, turned: Orientation) -> list[PlacedLine]:
    """Return the non-empty lines of a page, in pdfium's order; a hyphen that splits a word ends its line.

    `text` is the whole text of the page from pdfium.
    """
    placed: list[PlacedLine] = []
    for start, end in _line_spans(text):
        line = cleaned(text[start:end].replace(LINE_HYPHEN, "")).strip()
        letters = [at for at in range(start, end) if not text[at].isspace() and text[at] != LINE_HYPHEN]
        if line and letters:
            placed.append(_placed(textpage, line, letters, turned, cut=text[end - 1] == LINE_HYPHEN))
    return placed


def _line_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for at, character in enumerate(text):
        if character == "\n":
            yield start, at
            start = at + 1
        elif character == LINE_HYPHEN:
            yield start, at + 1
            start = at + 1
    if start < len(text):
        yield start, len(text)


def _placed(textpage: Any, line: str, letters: list[int], turned: Orientation, *, cut: bool) -> PlacedLine:
    import pypdfium2.raw as pdfium

    sampled = letters[:: max(1, len(letters) // _SAMPLED)]
    places = {letters[0], letters[-1], *sampled}
    boxes = {at: turned.upright(*textpage.get_charbox(at, loose=True)) for at in places}
    weights = {pdfium.FPDFText_GetFontWeight(textpage, at) for at in sampled}
    return PlacedLine(
        text=line + (LINE_HYPHEN if cut else ""),
        left=boxes[letters[0]].left,
        right=boxes[letters[-1]].right,
        bottom=median(boxes[at].bottom for at in sampled),
        size=median(boxes[at][3] - boxes[at].bottom for at in sampled),
        weight=weights.pop() if len(weights) == 1 else None,
        cut=cut,
    )
