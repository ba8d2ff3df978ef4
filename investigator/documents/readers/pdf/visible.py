"""Takes text off a PDF page that nobody sees: invisible or unpainted letters, letters in the colour of their ground,
painted over, on a layer that is off, or outside the page. The text layer over a scan is kept.

Cheap signs name the candidates; a candidate is hidden only if the page looks the same without it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from ctypes import PYFUNCTYPE, byref, c_int, c_ulong, c_ushort, c_void_p, cast
from dataclasses import dataclass
from functools import cache
from itertools import compress, repeat
from typing import Any

import numpy as np

from investigator.documents.readers.pdf.annotations import text_of
from investigator.documents.readers.pdf.boxes import Box, Orientation, on_display, pdfium, text_in_order

_INVISIBLE_MODES = (3, 7)  # neither filled nor stroked: invisible, or only a clip path
_LIGHT, _FAINT = 230, 60  # of 255: a colour like that of paper, an opacity that may hide
_NEAR = 24  # difference of a colour channel up to which text may not stand out from its ground
_UNKNOWN = -1000  # a colour that no text is near
_OVER_PICTURE = 0.5  # share of a text that lies over a picture in the text layer of a scan
_THIN, _SLACK = 4.0, 0.5  # points
_DEEPEST = 8
_LEAST_SHOWN = 0.05
_MOST_OBJECTS = 20_000
_SCALE = 1.5
_MOST_PIXELS = 4_000_000
_SIMPLE_PATH = 6  # segments of a rectangle


@dataclass(frozen=True)
class PageObjects:
    """The objects of a page in the order of painting: `handles` of pdfium as arguments of its functions, `modes` of
    painting letters, -1 if an object is not a text, and the `kinds` of those that are not, by their places.
    """

    handles: list[Any]
    modes: Any
    kinds: dict[int, int]

    def of_kind(self, kind: int) -> list[int]:
        """Return the places of the objects of a kind, such as pictures."""
        return [place for place, own in self.kinds.items() if own == kind]


@dataclass(frozen=True)
class _Grounds:
    """The painted areas of a page: their places in the order of painting, their boxes, one row each, and their
    colours, `_UNKNOWN` if one is not plain and opaque.
    """

    numbers: list[int]
    boxes: Any
    colours: Any


_Letters = tuple[Any, Box | None]
"""A text object of a page, and its box; None inside another object."""


def page_objects(page: Any) -> PageObjects:
    """Return the objects of a page; those inside another object are not among them."""
    count = pdfium.FPDFPage_CountObjects(page)
    of_page = repeat(c_void_p.from_param(cast(page.raw, c_void_p).value))
    handles = list(
        map(c_void_p.from_param, map(_function("FPDFPage_GetObject", result=c_void_p), of_page, range(count)))
    )
    modes = _modes(handles)
    kind_of = _function("FPDFPageObj_GetType")
    kinds = {place: kind_of(handles[place]) for place in np.flatnonzero(modes < 0).tolist()}
    return PageObjects(handles, modes, kinds)


def shown_text(page: Any, objects: PageObjects) -> tuple[Any, Orientation, str]:
    """Return pdfium's text of a page without what is not seen, its orientation, and the hidden words.

    Hidden text objects are deactivated in the copy in memory. Close the text page after use.
    """
    textpage, turned = text_in_order(page)
    hidden = _take_invisible_off(page, _candidates(page, objects))
    if not hidden:
        return textpage, turned, ""
    words = " ".join(text_of(pdfium.FPDFTextObj_GetText, handle, textpage) for handle, _ in hidden)
    textpage.close()
    return *text_in_order(page), " ".join(words.split())


def _take_invisible_off(page: Any, candidates: Sequence[_Letters]) -> Sequence[_Letters]:
    """Deactivate the candidates that are not seen, and return them."""
    if not candidates or min(page.get_size()) < 1:  # a page without an area cannot be drawn
        return ()
    before = _picture(page)
    for handle, _ in candidates:
        pdfium.FPDFPageObj_SetIsActive(handle, False)
    if not (differs := _picture(page) != before).any():
        return candidates
    hidden = [(handle, box) for handle, box in candidates if box is not None and not _seen_at(page, box, differs)]
    for handle, box in candidates:
        if (handle, box) not in hidden:
            pdfium.FPDFPageObj_SetIsActive(handle, True)
    return hidden


def _candidates(page: Any, objects: PageObjects) -> list[_Letters]:
    """Return the text objects of a page that may not be seen, except a text layer over pictures."""
    if len(objects.handles) > _MOST_OBJECTS:
        return []
    numbers = np.flatnonzero(objects.modes >= 0)
    inner = [text for place in objects.of_kind(pdfium.FPDF_PAGEOBJ_FORM) for text in _inner(objects.handles[place])]
    handles = list(compress(objects.handles, (objects.modes >= 0).tolist()))
    grounds = _grounds(objects)
    fills, modes = _fills(handles + inner), np.concatenate([objects.modes[numbers], _modes(inner)])
    if not modes.size:
        return []
    colours, may_hide = fills[:, :3], np.isin(modes, _INVISIBLE_MODES) | (fills[:, 3] < _FAINT)
    may_hide[_layered(handles + inner)] = True
    outer, boxes, area = len(handles), _text_boxes(handles), _shown_area(page)
    left, bottom, right, top = boxes.T
    is_within = (left < area.right) & (right > area.left) & (bottom < area.top) & (top > area.bottom)
    is_outside = (right > left) & (top > bottom) & ~is_within
    may_hide[outer:] |= colours[outer:].min(axis=1) > _LIGHT
    may_hide[:outer] |= is_outside | _on_own_colour(boxes, numbers, colours[:outer], grounds)
    shapes = zip(grounds.numbers, grounds.boxes.tolist(), strict=True)
    pictures = [Box(*box) for number, box in shapes if objects.kinds[number] == pdfium.FPDF_PAGEOBJ_IMAGE]
    candidates = (
        (_pointer(handles[at]), Box(*boxes[at].tolist())) if at < outer else (_pointer(inner[at - outer]), None)
        for at in np.flatnonzero(may_hide).tolist()
    )
    return [(handle, box) for handle, box in candidates if not _lies_over(box, pictures)]


@cache
def _function(name: str, result: Any = c_int) -> Any:
    """Return a function of pdfium that takes arguments as they are, and does not release the lock of the interpreter: a
    page may have thousands of objects, and most of the time goes into the calls.
    """
    return PYFUNCTYPE(result)(cast(getattr(pdfium, name), c_void_p).value or 0)


def _pointer(handle: Any) -> Any:
    return cast(handle, pdfium.FPDF_PAGEOBJECT)


def _text_boxes(handles: Sequence[Any]) -> Any:
    """Return the left, bottom, right and top edges of texts, one row each, in half the time that their bounds take: one
    argument is read instead of four.
    """
    corners = np.zeros((len(handles), 8), np.float32)
    start, size = corners.ctypes.data, 8 * corners.itemsize
    places = map(c_void_p.from_param, range(start, start + len(handles) * size, size))
    deque(map(_function("FPDFPageObj_GetRotatedBounds"), handles, places), maxlen=0)
    x, y = corners.T[::2], corners.T[1::2]
    return np.stack([x.min(axis=0), y.min(axis=0), x.max(axis=0), y.max(axis=0)], axis=1)


def _fills(handles: Sequence[Any]) -> Any:
    """Return the red, green, blue and opacity with which objects are filled, 0..255; black if one has no colour."""
    black = np.tile(np.array([0, 0, 0, 255], np.uint32), (len(handles), 1))
    return _read_all("FPDFPageObj_GetFillColor", handles, black).astype(np.int32)


def _read_all(name: str, handles: Sequence[Any], values: Any) -> Any:
    """Return the values with those that a function of pdfium writes, four of 32 bits for each object."""
    starts = (values.ctypes.data + 4 * column for column in range(4))
    places = (map(c_void_p.from_param, range(start, start + 16 * len(handles), 16)) for start in starts)
    deque(map(_function(name), handles, *places), maxlen=0)
    return values


def _modes(handles: Sequence[Any]) -> Any:
    """Return the modes of painting letters, -1 for objects that are not texts."""
    return np.fromiter(map(_function("FPDFTextObj_GetTextRenderMode"), handles), np.int32, len(handles))


def _layered(handles: Sequence[Any]) -> list[int]:
    """Return the places of objects that are on a layer."""
    marks = map(_function("FPDFPageObj_CountMarks"), handles)
    return [at for at, count in enumerate(marks) if count and _is_layered(handles[at], count)]


def _on_own_colour(boxes: Any, numbers: Any, colours: Any, grounds: _Grounds) -> Any:
    """Return which texts have the colour of what is painted before them, or lie under a plain area painted later."""
    under = np.full(colours.shape, 255)
    is_covered = np.zeros(len(boxes), dtype=bool)
    order = np.argsort(boxes[:, 1])
    left, bottom, right, top = boxes[order].T
    least, most = grounds.boxes[:, :2] - _SLACK, grounds.boxes[:, 2:] + _SLACK
    begin, end = np.searchsorted(bottom, least[:, 1]), np.searchsorted(bottom, most[:, 1])
    for at in np.flatnonzero(begin < end).tolist():
        rows = slice(begin[at], end[at])
        is_inside = (left[rows] >= least[at, 0]) & (right[rows] <= most[at, 0]) & (top[rows] <= most[at, 1])
        inside = order[rows][is_inside]
        is_later = numbers[inside] > grounds.numbers[at]
        under[inside[is_later]] = grounds.colours[at]
        is_covered[inside[~is_later]] |= grounds.colours[at, 0] != _UNKNOWN
    return is_covered | (np.abs(under - colours).T.max(axis=0) <= _NEAR)


def _shown_area(page: Any) -> Box:
    """Return the crop box of a page, or its whole area if the crop box leaves next to nothing, which is a defect."""
    crop, whole = Box(*page.get_cropbox()), Box(*page.get_mediabox())
    return crop if crop.area >= _LEAST_SHOWN * whole.area else whole


def _inner(form: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the texts inside an object."""
    get = _function("FPDFFormObj_GetObject", result=c_void_p)
    for index in range(_function("FPDFFormObj_CountObjects")(form)):
        handle = c_void_p.from_param(get(form, c_ulong(index)))
        kind = _function("FPDFPageObj_GetType")(handle)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            yield handle
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            yield from _inner(handle, depth + 1)


def _grounds(objects: PageObjects) -> _Grounds:
    """Return the pictures and the areas that paths fill, except rules."""
    pictures = objects.of_kind(pdfium.FPDF_PAGEOBJ_IMAGE)
    shapes = sorted(pictures + objects.of_kind(pdfium.FPDF_PAGEOBJ_PATH))
    if not shapes:
        return _Grounds([], np.empty((0, 4), np.float32), np.empty((0, 3), np.int32))
    handles = [objects.handles[number] for number in shapes]
    boxes = _read_all("FPDFPageObj_GetBounds", handles, np.zeros((len(handles), 4), np.float32))
    is_rule = ((boxes[:, 2:] - boxes[:, :2]) < _THIN).any(axis=1)
    kept, plain = [], []
    for at, number in enumerate(shapes):
        if objects.kinds[number] == pdfium.FPDF_PAGEOBJ_IMAGE:
            kept.append(at)
            plain.append(False)
        elif not is_rule[at] and (is_plain := _fills_plainly(handles[at])) is not None:
            kept.append(at)
            plain.append(is_plain)
    colours = _fills([handles[at] for at in kept])[:, :3]
    colours[~np.array(plain, dtype=bool)] = _UNKNOWN
    return _Grounds([shapes[at] for at in kept], boxes[kept], colours)


def _fills_plainly(path: Any) -> bool | None:
    """Return True if a path fills a simple area, opaquely; None if it fills none."""
    mode, stroke = c_int(), c_int()
    if not _function("FPDFPath_GetDrawMode")(path, byref(mode), byref(stroke)) or not mode.value:
        return None
    is_simple = _function("FPDFPath_CountSegments")(path) <= _SIMPLE_PATH
    return is_simple and not _function("FPDFPageObj_HasTransparency")(path)


def _is_layered(handle: Any, marks: int) -> bool:
    """Return True if an object is on a layer, which may be off."""
    length, name = c_ulong(), (c_ushort * 16)()
    mark_of, name_of = _function("FPDFPageObj_GetMark", result=c_void_p), _function("FPDFPageObjMark_GetName")
    for index in range(marks):
        mark = c_void_p.from_param(mark_of(handle, c_ulong(index)))
        is_short = name_of(mark, name, c_ulong(32), byref(length)) and length.value <= 32
        if is_short and bytes(name)[: length.value] == "OC\0".encode("utf-16-le"):
            return True
    return False


def _lies_over(box: Box | None, pictures: Sequence[Box]) -> bool:
    """Return True if most of a text lies over a picture: it is the text layer of a scan."""
    if box is None or not box.area:
        return box is None and bool(pictures)
    return any(box.common(picture).area >= _OVER_PICTURE * box.area for picture in pictures)


def _picture(page: Any) -> Any:
    width, height = page.get_size()
    scale = min(_SCALE, float((_MOST_PIXELS / max(width * height, 1.0)) ** 0.5))
    bitmap = page.render(scale=scale, grayscale=True)
    pixels = bitmap.to_numpy().reshape(bitmap.height, bitmap.width).copy()
    bitmap.close()
    return pixels


def _seen_at(page: Any, box: Box, differs: Any) -> bool:
    if (place := on_display(page, box)) is None:
        return False
    height, width = differs.shape
    rows = slice(max(int(place.bottom * height) - 1, 0), int(place.top * height) + 2)
    columns = slice(max(int(place.left * width) - 1, 0), int(place.right * width) + 2)
    return bool(differs[rows, columns].any())
