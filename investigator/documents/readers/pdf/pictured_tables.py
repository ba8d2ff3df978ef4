"""Finds tables of a PDF that are pictures: a caption such as "Table 3" is next to a picture instead of cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from investigator.documents.readers.pdf.blocks import PlacedLine
from investigator.documents.readers.pdf.letter_boxes import Box
from investigator.documents.readers.pdf.orientation import Orientation
from investigator.documents.readers.table_pictures import named_table

_REACH = 60
"""Maximum distance, in points, between a caption and the picture below or above it."""
_LEAST_WIDTH, _LEAST_HEIGHT = 120, 40  # in points; anything smaller is an icon
_MOST_INSIDE = 2
"""Maximum number of text lines inside a picture; with more, it is the background of a readable table."""


def pictured_tables(page: Any, lines: Sequence[PlacedLine], turned: Orientation) -> Iterator[str]:
    """Yield the names of the tables that are pictures on a page, as given in their captions."""
    captions = [(name, line) for line in lines if (name := named_table(line.text))]
    if not captions:
        return
    pictures = list(_pictures(page, turned))
    for name, line in captions:
        if any(_belongs(line, picture) and not _holds_text(picture, lines) for picture in pictures):
            yield name


def _pictures(page: Any, turned: Orientation) -> Iterator[Box]:
    import pypdfium2.raw as pdfium

    for thing in page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,)):
        picture = turned.upright(*thing.get_bounds())
        if picture.right - picture.left >= _LEAST_WIDTH and picture.top - picture.bottom >= _LEAST_HEIGHT:
            yield picture


def _belongs(line: PlacedLine, picture: Box) -> bool:
    left, bottom, right, top = picture
    beside = line.right < left or line.left > right
    under, over = line.bottom - top, bottom - (line.bottom + line.size)
    return not beside and (-line.size <= under <= _REACH or -line.size <= over <= _REACH)


def _holds_text(picture: Box, lines: Sequence[PlacedLine]) -> bool:
    left, bottom, right, top = picture
    inside = sum(left <= line.left <= right and bottom <= line.bottom <= top for line in lines)
    return inside > _MOST_INSIDE
