"""Finds the lines of a PDF page, with their positions, letter sizes and weights, and groups them: headings, captions,
footnotes and columns are separate blocks.

pdfium returns the lines of a page in sequence, regardless of their role. A sentence ends where its block ends, so that
no quote begins with a preceding address line, heading or column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.pdf.annotations import EMPTY, TICKED, Field
from investigator.documents.readers.pdf.boxes import LINE_HYPHEN, Box, Orientation, pdfium

_LINE = re.compile(rf"[^\n{LINE_HYPHEN}]+{LINE_HYPHEN}?|{LINE_HYPHEN}")
_MOST_LINES = 2.5  # a field that is higher than this many lines is not on one
_SLACK = 2.0  # points
_SAMPLED = 5
"""Approximate number of letters sampled from a line to determine its letter size and weight."""
_SAME_SIZE = 0.07
"""Maximum relative difference in letter size between two lines of a block."""
_SAME_WEIGHT = 80
"""The heavier of two typefaces counts as bold if their weights differ by more than this."""
_WIDE_GAP = 1.4
"""Two lines belong to different blocks if they are further apart than this multiple of the usual distance."""
_USUAL_PITCH = 1.2
"""Assumed distance between two lines, in letter heights, if it cannot be measured on the page."""
_APART = 2
"""Two pieces of a line are separate if the gap between them is wider than this, in letter heights."""
_COLUMN_JUMP = 4
"""Minimum distance, in letter heights, from the last line of a column up to the next column; table cells are closer."""
_SHORT_LINE = 0.75
"""A line shorter than this fraction of its block's widest line ends in a deliberate line break."""
_HEADING_LINES = 2
_LONGEST_HEADING = 120
_EDGE_LINES = 2
"""Number of lines at the top, and at the bottom, of a page that may be its running header or footer."""
_FEWEST_REPEATS = 3
_SENTENCE_END = re.compile(r"[.!?:;\u3002\uff01\uff1f][\"'\u201d\u2019)\]]*$")
_ADDRESS = re.compile(r"\S@\S+\.\w|\bhttps?://|\bdoi\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_MOST_NUMBERS = 0.4


class PlacedLine(NamedTuple):
    """A line of a page, with its text, its edges in points from the left and the bottom, and the size and weight of its
    letters.

    `weight` is None if the line has several weights. `cut` is True if the line's last word continues on the next line.
    """

    text: str
    left: float
    right: float
    bottom: float
    size: float
    weight: int | None
    cut: bool = False


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
        edge = (place.left + place.right) / 2 if field.shown in (TICKED, EMPTY) else place.left + 1
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
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(handle, at, box):
        raise pdfium.PdfiumError("a letter has no box")
    return turned.upright(box.left, box.bottom, box.right, box.top)


def running_lines(pages: Sequence[Sequence[PlacedLine]]) -> frozenset[str]:
    """Return the running headers and footers: text at the edge of several pages, ignoring numbers."""
    seen = Counter(key for lines in pages for key in {_key(line) for line in _edges(lines)})
    return frozenset(key for key, count in seen.items() if count >= _FEWEST_REPEATS)


def blocks(lines: Sequence[PlacedLine], running: frozenset[str]) -> list[list[PlacedLine]]:
    """Return the lines of a page, block by block, in order; `running` is the result of `running_lines`."""
    pitches = _pitches(lines)
    edges = {id(line) for line in _edges(lines) if _key(line) in running}
    page_blocks: list[list[PlacedLine]] = []
    for line in lines:
        before = page_blocks[-1][-1] if page_blocks else None
        if before is None or (not before.cut and _are_separate(before, line, page_blocks[-1], edges, pitches)):
            page_blocks.append([line])
        else:
            page_blocks[-1].append(line)
    return page_blocks


def _are_separate(
    before: PlacedLine, after: PlacedLine, block: Sequence[PlacedLine], edges: set[int], pitches: dict[int, float]
) -> bool:
    if id(before) in edges or id(after) in edges:
        return True
    if abs(before.size - after.size) > _SAME_SIZE * max(before.size, after.size):
        return True
    if before.weight is not None and after.weight is not None and abs(before.weight - after.weight) >= _SAME_WEIGHT:
        return True
    down = before.bottom - after.bottom
    if abs(down) <= before.size / 2:  # the same line: pdfium splits it at a raised or lowered mark
        return not -before.size < after.left - before.right < _APART * before.size
    beside = after.left > max(line.right for line in block) or after.right < min(line.left for line in block)
    if down < 0 or beside:  # this line starts the next column or is next to the block
        fills_column = -down > _COLUMN_JUMP * before.size and _fills_column(block)
        return not (_continues(before, after) or fills_column)
    if down > _WIDE_GAP * pitches.get(round(before.size), before.size * _USUAL_PITCH):
        return True
    return _breaks_deliberately(before, after, block)


class Type(NamedTuple):
    """The size and weight of letters."""

    size: float
    weight: int | None


def body_type(pages: Sequence[Sequence[PlacedLine]]) -> Type:
    """Return the most common size and weight of letters in a document."""
    letters: Counter[Type] = Counter()
    for line in (line for lines in pages for line in lines):
        letters[Type(round(line.size, 1), line.weight)] += len(line.text)
    return letters.most_common(1)[0][0] if letters else Type(0.0, None)


def is_heading(block: Sequence[PlacedLine], body: Type) -> bool:
    """Return True if a block has one or two lines larger or bolder than the body, and is neither a sentence nor a
    number.
    """
    words = " ".join(line.text for line in block)
    if len(block) > _HEADING_LINES or len(words) > _LONGEST_HEADING or _is_row(words):
        return False
    if (not words[:1].isupper() and not words[:1].isdigit()) or words.endswith((".", ",", ":", ";")):
        return False
    larger = all(line.size > body.size * (1 + _SAME_SIZE) for line in block)
    bolder = all(
        line.weight is not None
        and body.weight is not None
        and line.weight - body.weight >= _SAME_WEIGHT
        and line.size > body.size * (1 - _SAME_SIZE)
        for line in block
    )
    return larger or bolder


def _breaks_deliberately(before: PlacedLine, after: PlacedLine, block: Sequence[PlacedLine]) -> bool:
    """Return True if the writer ended a line deliberately, before the edge of its column."""
    if _continues(before, after) or _is_row(before.text) or _is_row(after.text):
        return False
    if _ADDRESS.search(before.text):
        return True
    left = min(line.left for line in (*block, after))
    width = max(line.right for line in (*block, after)) - left
    return before.right - left < _SHORT_LINE * width


def _continues(before: PlacedLine, after: PlacedLine) -> bool:
    """Return True if a sentence continues from one line to the next."""
    return not _SENTENCE_END.search(before.text) and after.text[:1].islower()


def _fills_column(block: Sequence[PlacedLine]) -> bool:
    """Return True if a column ends in the middle of a sentence, that is, with a full line but no full stop."""
    if len(block) < _FEWEST_REPEATS or _SENTENCE_END.search(block[-1].text):
        return False
    left = min(line.left for line in block)
    return block[-1].right - left >= _SHORT_LINE * (max(line.right for line in block) - left)


def _is_row(text: str) -> bool:
    words = text.split()
    return sum(any(map(str.isdigit, word)) for word in words) > _MOST_NUMBERS * len(words)


def _pitches(lines: Sequence[PlacedLine]) -> dict[int, float]:
    """Return the usual distance between lines for each letter size, rounded to whole points."""
    distances: dict[int, list[float]] = {}
    for before, after in pairwise(lines):
        down = before.bottom - after.bottom
        if round(before.size) == round(after.size) and 0 < down < 3 * before.size:
            distances.setdefault(round(before.size), []).append(down)
    return {size: median(downs) for size, downs in distances.items() if len(downs) >= _FEWEST_REPEATS}


def _edges(lines: Sequence[PlacedLine]) -> list[PlacedLine]:
    by_height = sorted(lines, key=lambda line: line.bottom)
    return [*by_height[:_EDGE_LINES], *by_height[_EDGE_LINES:][-_EDGE_LINES:]]


def _key(line: PlacedLine) -> str:
    return _NUMBER.sub("0", line.text).strip()
