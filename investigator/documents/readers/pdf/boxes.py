"""Boxes on a page of a PDF, and the orientation of its text: a rotated page is laid out like an upright one."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from ctypes import c_int
from enum import IntEnum
from typing import Any, NamedTuple

LINE_HYPHEN = "\ufffe"
"""pdfium's replacement for a hyphen at the end of a line."""
_SAMPLED = 60
"""Number of letters examined on a page."""
_MOST = 0.6
"""Fraction of the examined letters that must have the same orientation."""
_QUARTER = 90
_FINENESS = 1_000_000  # the page's width and height are divided into this many steps


class _Library:
    """The classes and functions of pypdfium2, which is imported at the first use of one of them: the import is slow."""

    def __getattr__(self, name: str) -> Any:
        import pypdfium2

        value = getattr(pypdfium2 if hasattr(pypdfium2, name) else pypdfium2.raw, name)
        setattr(self, name, value)  # later look-ups skip `__getattr__`
        return value


pdfium: Any = _Library()


class Box(NamedTuple):
    """A rectangle on a page, in points from the left and bottom."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def area(self) -> float:
        """Return the area of the rectangle; 0 if it is empty."""
        return max(self.right - self.left, 0.0) * max(self.top - self.bottom, 0.0)

    def common(self, other: Box) -> Box:
        """Return the intersection; it may be empty."""
        return Box(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        )


def bounds(boxes: Sequence[Box]) -> Box:
    """Return the smallest rectangle around others."""
    return Box(
        min(box.left for box in boxes),
        min(box.bottom for box in boxes),
        max(box.right for box in boxes),
        max(box.top for box in boxes),
    )


class Orientation(IntEnum):
    """The direction of the lines on a page, in quarter turns clockwise."""

    UPRIGHT = 0
    DOWNWARDS = 1
    UPSIDE_DOWN = 2
    UPWARDS = 3

    def upright(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Return the position of a rectangle after the page is rotated so that its lines run from left to right.
        Coordinates may be negative.
        """
        for _ in range(self):
            left, bottom, right, top = -top, left, -bottom, right
        return Box(left, bottom, right, top)


def text_in_order(page: Any) -> tuple[Any, Orientation]:
    """Return pdfium's text of a page, with its orientation.

    pdfium returns lines and cells in display order, so the page is rotated until its text is upright, read, and rotated
    back. Close the text page after use.
    """
    textpage, shown = page.get_textpage(), page.get_rotation()
    turned = _orientation(textpage, Orientation(-shown // _QUARTER % 4))
    if shown != (upright := -turned % 4 * _QUARTER):
        textpage.close()
        page.set_rotation(upright)
        textpage = page.get_textpage()
        page.set_rotation(shown)
    return textpage, turned


def _orientation(textpage: Any, otherwise: Orientation) -> Orientation:
    """Return the orientation of most letters on a page; `otherwise` if too few agree."""
    count = textpage.count_chars()
    angles = [
        pdfium.FPDFText_GetCharAngle(textpage, at)
        for at in range(0, count, max(1, count // _SAMPLED))
        if (code := pdfium.FPDFText_GetUnicode(textpage, at)) <= sys.maxunicode and chr(code).isalnum()
    ]
    turns = Counter(round(angle / (math.pi / 2)) % 4 for angle in angles)
    for turn, number in turns.most_common(1):
        if number >= _MOST * len(angles):
            return Orientation(turn)
    return otherwise


def on_display(page: Any, box: Box) -> Box | None:
    """Return the place of a box on the page as rotated and cropped, in fractions of its width from the left and of its
    height from the top (`bottom` is the upper edge); None if it is outside the page.
    """
    x, y = zip(_device(page, box.left, box.bottom), _device(page, box.right, box.top), strict=True)
    left, upper, right, lower = (min(max(edge, 0.0), 1.0) for edge in (min(x), min(y), max(x), max(y)))
    return Box(left, upper, right, lower) if left < right and upper < lower else None


def _device(page: Any, x: float, y: float) -> tuple[float, float]:
    across, down = c_int(), c_int()
    pdfium.FPDF_PageToDevice(page, 0, 0, _FINENESS, _FINENESS, 0, x, y, across, down)
    return across.value / _FINENESS, down.value / _FINENESS
