"""Finds the lines of a PDF page, with their positions, letter sizes and weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import Any

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.pdf.annotations import Field
from investigator.documents.readers.pdf.blocks import PlacedLine
from investigator.documents.readers.pdf.letter_boxes import Box
from investigator.documents.readers.pdf.orientation import Orientation
from investigator.documents.readers.pdf.page_texts import LINE_HYPHEN

_LINE = re.compile(rf"[^\n{LINE_HYPHEN}]+{LINE_HYPHEN}?|{LINE_HYPHEN}")
_MOST_LINES = 2.5  # a field that is higher than this many lines is not on one
_SLACK = 2.0  # points
_SAMPLED = 5
"""Approximate number of letters sampled from a line to determine its letter size and weight."""


def placed_lines(textpage: Any, text: str, turned: Orientation, fields: Sequence[Field] = ()) -> list[PlacedLine]:
    """Return the non-empty lines of a page, in pdfium's order; a hyphen that splits a word ends its line.

    `text` is the whole text of the page from pdfium. What form fields show is written into the line on which they are,
    or as a line of its own.
    """
    placed: list[PlacedLine] = []
    left = [(field, turned.upright(*field.place)) for field in fields]
    for start, end in (match.span() for match in _LINE.finditer(text)):
        letters = [at for at, c in enumerate(text[start:end], start) if c != LINE_HYPHEN and not c.isspace()]
        own, left = _on_line(textpage, letters, turned, left) if left and letters else ([], left)
        line = text[start:end].replace(LINE_HYPHEN, "")
        for at, shown in own:
            at = max(at - start, 0)
            line = f"{line[:at]} {shown} {line[at:]}"
        line = cleaned(line).strip()
        line = " ".join(line.split()) if own or "  " in line else line
        if line and letters:
            placed.append(_placed(textpage, line, letters, turned, cut=text[end - 1] == LINE_HYPHEN))
    return _with_own_lines(placed, left)


def _on_line(
    textpage: Any, letters: Sequence[int], turned: Orientation, fields: Sequence[tuple[Field, Box]]
) -> tuple[list[tuple[int, str]], list[tuple[Field, Box]]]:
    """Split fields into those on a line, each with the place in the text behind which it stands, the last place first,
    and the others.
    """
    boxes = [_room(textpage.raw, at, turned) for at in letters]
    bottom, top = median(box.bottom for box in boxes), median(box.top for box in boxes)
    middle = (bottom + top) / 2
    own, others = list[tuple[float, int, str]](), list[tuple[Field, Box]]()
    for field, place in fields:
        is_low = place.top - place.bottom < _MOST_LINES * (top - bottom)
        if not (is_low and place.bottom <= middle <= place.top):
            others.append((field, place))
            continue
        edge = (place.left + place.right) / 2 if field.is_box else place.left + 1
        before = [at for at, box in zip(letters, boxes, strict=True) if (box.left + box.right) / 2 <= edge]
        own.append((edge, before[-1] + 1 if before else letters[0], field.shown))
    return [(at, shown) for _, at, shown in sorted(own, reverse=True)], others


def _with_own_lines(lines: Sequence[PlacedLine], fields: Sequence[tuple[Field, Box]]) -> list[PlacedLine]:
    """Return the lines with those of the other fields, each behind the last line above it."""
    result = list(lines)
    for field, place in sorted(fields, key=lambda entry: (-entry[1].top, entry[1].left)):
        at = max((n for n, line in enumerate(result, start=1) if line.bottom >= place.top - _SLACK), default=0)
        size = lines[0].size if lines else place.top - place.bottom
        bottom = max(place.top - size, place.bottom)
        result.insert(at, PlacedLine(field.shown, place.left, place.right, bottom, size, None, cut=False))
    return result


def _placed(textpage: Any, line: str, letters: list[int], turned: Orientation, *, cut: bool) -> PlacedLine:
    import pypdfium2.raw as pdfium

    handle = textpage.raw
    sampled = letters[:: max(1, len(letters) // _SAMPLED)]
    places = {letters[0], letters[-1], *sampled}
    boxes = {at: _room(handle, at, turned) for at in places}
    weights = {pdfium.FPDFText_GetFontWeight(handle, at) for at in sampled}
    return PlacedLine(
        text=line + (LINE_HYPHEN if cut else ""),
        left=boxes[letters[0]].left,
        right=boxes[letters[-1]].right,
        bottom=median(boxes[at].bottom for at in sampled),
        size=median(boxes[at][3] - boxes[at].bottom for at in sampled),
        weight=weights.pop() if len(weights) == 1 else None,
        cut=cut,
    )


def _room(handle: Any, at: int, turned: Orientation) -> Box:
    """Return the box of a letter, as high as its line. Raises pypdfium2.PdfiumError if there is no such letter."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    box = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(handle, at, box):
        raise pypdfium2.PdfiumError("a letter has no box")
    return turned.upright(box.left, box.bottom, box.right, box.top)
