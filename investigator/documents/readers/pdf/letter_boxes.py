"""Computes rectangles, line by line, that enclose given letters of a page and no others. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

_SAME_LINE = 0.65
"""Minimum vertical overlap of two letters on the same line, as a fraction of the smaller letter. A letter next to a
two-line cell is half a line off.
"""
_WIDEST_GAP = 3.0
"""Widest gap between two letters in one rectangle, in letter heights."""
_SAME_PLACE = 0.25
"""A letter counts as drawn over another if it covers at least this fraction of it, as in a shadow or a scan's text
layer.
"""
_LEAST_LEFT = 0.5
"""Minimum fraction of its width or height that a rectangle keeps when it is shrunk to avoid other letters."""
_CLEARANCE = 0.02  # distance from other letters, in points


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

    def meets(self, other: Box) -> bool:
        """Return True if two non-empty rectangles overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.bottom < other.top and other.bottom < self.top

    def common(self, other: Box) -> Box:
        """Return the intersection; it may be empty."""
        return Box(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        )


class Direction(Enum):
    """The direction of a line on its page before rotation; lines that run downwards also count as upwards."""

    ACROSS = 0
    UPWARDS = 1
    SLANTED = 2


class Letter(NamedTuple):
    """A letter: the box of its ink (`drawn`), the box that it takes up in its line (`room`), and its direction."""

    drawn: Box
    room: Box
    direction: Direction
    begins_line: bool


def boxes_of_lines(letters: Sequence[Letter], others: Sequence[Box]) -> list[Box]:
    """Return rectangles around letters, in order; each contains as little of other letters as possible."""
    boxes: list[Box] = []
    lines = list(_lines(letters))
    for number, line in enumerate(lines):
        own = bounds([letter.drawn for letter in line])
        beside = (letter.drawn for other_line in (*lines[:number], *lines[number + 1 :]) for letter in other_line)
        near = [box for box in (*others, *beside) if own.meets(box) and not _is_covered(box, line)]
        for part in _parted(line, [other for other in near if _is_within(other, own)]):
            boxes.append(_shrunk(bounds([letter.drawn for letter in part]), near))
    return boxes


def _lines(letters: Sequence[Letter]) -> Iterator[list[Letter]]:
    line: list[Letter] = []
    for letter in letters:
        if line and (letter.begins_line or not _beside(line[-1], letter)):
            yield line
            line = []
        line.append(letter)
    if line:
        yield line


def _beside(before: Letter, after: Letter) -> bool:
    """Return True if two consecutive letters are on one line, without a wide gap between them."""
    if before.direction is not after.direction or after.direction is Direction.SLANTED:
        return False
    first, second = before.room, after.room
    if after.direction is Direction.UPWARDS:
        first, second = _on_its_side(first), _on_its_side(second)
    heights = first.top - first.bottom, second.top - second.bottom
    common = first.common(second)
    is_near = common.left - common.right <= _WIDEST_GAP * max(heights)
    return is_near and common.top - common.bottom >= _SAME_LINE * min(heights)


def _on_its_side(box: Box) -> Box:
    return Box(box.bottom, box.left, box.top, box.right)


def _is_covered(other: Box, line: Sequence[Letter]) -> bool:
    return any(letter.drawn.common(other).area > _SAME_PLACE * other.area for letter in line)


def _is_within(other: Box, box: Box) -> bool:
    """Return True if the centre of a letter is in a rectangle."""
    return box.left < _middle(other)[0] < box.right and box.bottom < _middle(other)[1] < box.top


def _parted(line: Sequence[Letter], others: Sequence[Box]) -> Iterator[Sequence[Letter]]:
    """Yield the letters of a line, split wherever other letters intervene."""
    axis = 1 if line[0].direction is Direction.UPWARDS else 0
    edges = [_middle(other)[axis] for other in others]
    begin = 0
    for at in range(1, len(line)):
        first, second = sorted(_middle(letter.drawn)[axis] for letter in line[at - 1 : at + 1])
        if any(first < edge < second for edge in edges):
            yield line[begin:at]
            begin = at
    yield line[begin:]


def _shrunk(box: Box, others: Sequence[Box]) -> Box:
    """Return a rectangle without the parts that overlap other letters; at least half of it remains."""
    x, y = _middle(box)
    half_width, half_height = _LEAST_LEFT / 2 * (box.right - box.left), _LEAST_LEFT / 2 * (box.top - box.bottom)
    for other in others:
        common = box.common(other)
        if not common.area:
            continue
        across, up = _middle(other)
        if common.top - common.bottom <= common.right - common.left or box.left < across < box.right:
            if up > y:
                box = box._replace(top=max(other.bottom - _CLEARANCE, y + half_height))
            else:
                box = box._replace(bottom=min(other.top + _CLEARANCE, y - half_height))
        elif across > x:
            box = box._replace(right=max(other.left - _CLEARANCE, x + half_width))
        else:
            box = box._replace(left=min(other.right + _CLEARANCE, x - half_width))
    return box


def _middle(box: Box) -> tuple[float, float]:
    return (box.left + box.right) / 2, (box.bottom + box.top) / 2


def bounds(boxes: Sequence[Box]) -> Box:
    """Return the smallest rectangle around others."""
    return Box(
        min(box.left for box in boxes),
        min(box.bottom for box in boxes),
        max(box.right for box in boxes),
        max(box.top for box in boxes),
    )
