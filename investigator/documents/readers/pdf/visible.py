"""Takes text off a PDF page that nobody sees: invisible or unpainted letters, letters in the colour of their ground,
painted over, on a layer that is off, or outside the page. The text layer over a scan is kept.

Cheap signs name the candidates; a candidate is hidden only if the page looks the same without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ctypes import c_float, c_int, c_uint, c_ulong, c_ushort, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np

from investigator.documents.readers.pdf.letter_boxes import Box

_INVISIBLE_MODES = (3, 7)  # neither filled nor stroked: invisible, or only a clip path
_LIGHT, _FAINT = 230, 60  # of 255: a colour like that of paper, an opacity that may hide
_DARK = 100  # most text is darker than this
_NEAR = 24  # difference of a colour channel up to which text may not stand out from its ground
_OVER_PICTURE = 0.5  # share of a text that lies over a picture in the text layer of a scan
_THIN, _SLACK = 4.0, 0.5  # points
_DEEPEST = 8
_LEAST_SHOWN = 0.05
_MOST_OBJECTS, _MOST_GROUNDS = 20_000, 1_000
_MOST_ALONE = 24  # candidates that are compared one by one where their places in the picture are not known
_SCALE = 1.5
_MOST_PIXELS = 4_000_000
_SIMPLE_PATH = 6  # segments of a rectangle


@dataclass(frozen=True)
class _Ground:
    """A painted area: its place in the order of painting, its box, and its colour if it is plain and opaque."""

    number: int
    box: Box
    colour: tuple[int, int, int] | None


_Edges = tuple[float, float, float, float]
"""The left, bottom, right and top of a box."""
_Text = tuple[Any, int, _Edges | None]
"""A text object, its place in the order of painting, and its box; None inside another object."""
_Object = tuple[Any, int, _Edges | None]
"""An object of a page, its kind, and its box; None inside another object."""
_PAPER = _Ground(0, Box(0, 0, 0, 0), (255, 255, 255))


@dataclass(frozen=True)
class _Letters:
    """A text object of a page, its place in the order of painting, and its box; None inside another object."""

    handle: Any
    number: int
    box: Box | None


def take_invisible_text_off(page: Any) -> str:
    """Deactivate the text objects of a page that are not seen, and return their words. Only the copy in memory is
    changed.
    """
    import pypdfium2.raw as pdfium

    candidates, pictures = _candidates(page)
    candidates = [letters for letters in candidates if not _lies_over(letters, pictures)]
    if not candidates:
        return ""
    before = _picture(page)
    for letters in candidates:
        pdfium.FPDFPageObj_SetIsActive(letters.handle, False)
    hidden = _unseen(page, candidates, before)
    for letters in candidates:
        if letters not in hidden:
            pdfium.FPDFPageObj_SetIsActive(letters.handle, True)
    if not hidden:
        return ""
    return _text_of(page, hidden)


def _candidates(page: Any) -> tuple[list[_Letters], list[Box]]:
    """Return the text objects that may not be seen, and the boxes of the pictures of a page."""
    import pypdfium2.raw as pdfium

    usual = _Usual(page)
    grounds: list[_Ground] = []
    texts: list[_Text] = []
    suspects: dict[int, _Text] = {}
    pictures: list[Box] = []
    for number, (handle, kind, box) in enumerate(_objects(page)):
        if number >= _MOST_OBJECTS:
            return [], []
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            letters = (handle, number, box)
            texts.append(letters)
            if not usual.is_usual(handle, box) and _is_suspect(letters, grounds, usual.area):
                suspects[number] = letters
        elif box is not None and kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            pictures.append(Box(*box))
            grounds.append(_Ground(number, Box(*box), None))
        elif box is not None and (ground := _painted(handle, number, Box(*box))) is not None:
            grounds.append(ground)
            usual.has_dark |= ground.colour is not None and max(ground.colour) <= _DARK + _NEAR
    suspects |= {letters[1]: letters for letters in _covered(texts, grounds[:_MOST_GROUNDS])}
    return [_Letters(h, n, Box(*box) if box is not None else None) for h, n, box in suspects.values()], pictures


class _Usual:
    """Recognises most text at once: filled in a dark colour, on no layer, inside the shown area of a page, while no
    ground was dark. Buffers are used again, because a page may have thousands of texts.
    """

    def __init__(self, page: Any) -> None:
        self.area = _shown_area(page)
        self.has_dark = False
        self._channels = c_uint(), c_uint(), c_uint(), c_uint()

    def is_usual(self, handle: Any, box: _Edges | None) -> bool:
        """Return True if a text is surely seen, unless something is painted over it."""
        import pypdfium2.raw as pdfium

        red, green, blue, opacity = self._channels
        left, bottom, right, top = self.area
        return (
            box is not None
            and not self.has_dark
            and box[0] < right
            and box[2] > left
            and box[1] < top
            and box[3] > bottom
            and pdfium.FPDFPageObj_GetFillColor(handle, red, green, blue, opacity)
            and red.value <= _DARK
            and green.value <= _DARK
            and blue.value <= _DARK
            and opacity.value >= _FAINT
            and pdfium.FPDFTextObj_GetTextRenderMode(handle) not in _INVISIBLE_MODES
            and not pdfium.FPDFPageObj_CountMarks(handle)
        )


def _shown_area(page: Any) -> Box:
    """Return the crop box of a page, or its whole area if the crop box leaves next to nothing, which is a defect."""
    crop, whole = Box(*page.get_cropbox()), Box(*page.get_mediabox())
    return crop if crop.area >= _LEAST_SHOWN * whole.area else whole


def _covered(texts: Sequence[_Text], grounds: Sequence[_Ground]) -> list[_Text]:
    """Return the texts that lie under a plain area that is painted after them."""
    placed = [text for text in texts if text[2] is not None]
    later = [ground for ground in grounds if ground.colour is not None and placed and ground.number > placed[0][1]]
    if not later:
        return []
    boxes, numbers = np.array([text[2] for text in placed]), np.array([text[1] for text in placed])
    under = np.zeros(len(placed), dtype=bool)
    for ground in later:
        box = ground.box
        inside = (boxes[:, 0] >= box.left - _SLACK) & (boxes[:, 2] <= box.right + _SLACK)
        inside &= (boxes[:, 1] >= box.bottom - _SLACK) & (boxes[:, 3] <= box.top + _SLACK)
        under |= inside & (numbers < ground.number)
    return [text for text, is_under in zip(placed, under, strict=True) if is_under]


def _objects(page: Any) -> Iterator[_Object]:
    """Yield the texts, pictures and paths of a page in the order of painting, with their kinds and boxes; those inside
    another object have no box.
    """
    import pypdfium2.raw as pdfium

    edges = left, bottom, right, top = c_float(), c_float(), c_float(), c_float()
    get_object, get_kind, get_bounds = (
        pdfium.FPDFPage_GetObject,
        pdfium.FPDFPageObj_GetType,
        pdfium.FPDFPageObj_GetBounds,
    )
    for index in range(pdfium.FPDFPage_CountObjects(page)):
        handle = get_object(page, index)
        kind = get_kind(handle)
        if kind == pdfium.FPDF_PAGEOBJ_FORM:
            yield from _inner_texts(handle)
        elif kind != pdfium.FPDF_PAGEOBJ_SHADING:
            get_bounds(handle, *edges)
            yield handle, kind, (left.value, bottom.value, right.value, top.value)


def _inner_texts(form: Any, depth: int = 0) -> Iterator[_Object]:
    import pypdfium2.raw as pdfium

    for index in range(pdfium.FPDFFormObj_CountObjects(form)):
        handle = pdfium.FPDFFormObj_GetObject(form, index)
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            yield handle, kind, None
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            yield from _inner_texts(handle, depth + 1)


def _painted(handle: c_void_p, number: int, box: Box) -> _Ground | None:
    """Return the area that a path fills; None if it fills none, or is only a rule."""
    import pypdfium2.raw as pdfium

    if min(box.right - box.left, box.top - box.bottom) < _THIN:
        return None
    mode, stroke = c_int(), c_int()
    if not pdfium.FPDFPath_GetDrawMode(handle, mode, stroke) or mode.value == 0:
        return None
    is_plain = pdfium.FPDFPath_CountSegments(handle) <= _SIMPLE_PATH and not pdfium.FPDFPageObj_HasTransparency(handle)
    return _Ground(number, box, _colour(handle)[:3] if is_plain else None)


def _is_suspect(text: _Text, grounds: Sequence[_Ground], crop: Box) -> bool:
    import pypdfium2.raw as pdfium

    handle, _, edges = text
    box = Box(*edges) if edges is not None else None
    red, green, blue, opacity = _colour(handle)
    if pdfium.FPDFTextObj_GetTextRenderMode(handle) in _INVISIBLE_MODES or opacity < _FAINT or _is_layered(handle):
        return True
    if box is None:
        return min(red, green, blue) > _LIGHT
    if box.area and not box.meets(crop):
        return True
    ground = next((g for g in reversed(grounds) if _holds(g.box, box)), _PAPER)
    return _is_near((red, green, blue), ground.colour)


def _is_near(colour: tuple[int, int, int], other: tuple[int, int, int] | None) -> bool:
    return other is not None and all(abs(a - b) <= _NEAR for a, b in zip(colour, other, strict=True))


def _is_layered(handle: c_void_p) -> bool:
    """Return True if an object is on a layer, which may be off."""
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFPageObj_CountMarks(handle)
    return any(_mark_name(pdfium.FPDFPageObj_GetMark(handle, index)) == "OC" for index in range(count))


def _mark_name(mark: Any) -> str:
    import pypdfium2.raw as pdfium

    length, buffer = c_ulong(), (c_ushort * 16)()
    if not pdfium.FPDFPageObjMark_GetName(mark, buffer, 32, length) or length.value > 32:
        return ""
    return bytes(buffer)[: length.value].decode("utf-16-le", errors="ignore").rstrip("\0")


def _colour(handle: c_void_p) -> tuple[int, int, int, int]:
    """Return the red, green, blue and opacity with which an object is filled, 0..255; black if it has no colour."""
    import pypdfium2.raw as pdfium

    channels = c_uint(), c_uint(), c_uint(), c_uint()
    if not pdfium.FPDFPageObj_GetFillColor(handle, *channels):
        return 0, 0, 0, 255
    red, green, blue, opacity = (channel.value for channel in channels)
    return red, green, blue, opacity


def _holds(outer: Box, inner: Box) -> bool:
    return (
        outer.left <= inner.left + _SLACK
        and outer.right >= inner.right - _SLACK
        and outer.bottom <= inner.bottom + _SLACK
        and outer.top >= inner.top - _SLACK
    )


def _lies_over(letters: _Letters, pictures: Sequence[Box]) -> bool:
    """Return True if most of a text lies over a picture: it is the text layer of a scan."""
    box = letters.box
    if box is None or not box.area:
        return box is None and bool(pictures)
    return any(_common(box, picture) >= _OVER_PICTURE * box.area for picture in pictures)


def _common(box: Box, other: Box) -> float:
    width = min(box.right, other.right) - max(box.left, other.left)
    height = min(box.top, other.top) - max(box.bottom, other.bottom)
    return max(width, 0.0) * max(height, 0.0)


def _picture(page: Any) -> Any:
    bitmap = page.render(scale=_scale(page), grayscale=True)
    pixels = bitmap.to_numpy().reshape(bitmap.height, bitmap.width).copy()
    bitmap.close()
    return pixels


def _scale(page: Any) -> float:
    width, height = page.get_size()
    return min(_SCALE, float((_MOST_PIXELS / max(width * height, 1.0)) ** 0.5))


def _unseen(page: Any, candidates: Sequence[_Letters], before: Any) -> list[_Letters]:
    """Return the candidates, all of which are off, whose places look as they did before."""
    import pypdfium2.raw as pdfium

    differs = _picture(page) != before
    if not differs.any():
        return list(candidates)
    if page.get_rotation() == 0:
        placed = [letters for letters in candidates if letters.box is not None]
        return [letters for letters in placed if not _seen_at(page, letters.box, differs)]
    unseen: list[_Letters] = []
    for letters in candidates[:_MOST_ALONE]:
        pdfium.FPDFPageObj_SetIsActive(letters.handle, True)
        if not (_picture(page) != _without(page, letters)).any():
            unseen.append(letters)
    return unseen


def _without(page: Any, letters: _Letters) -> Any:
    import pypdfium2.raw as pdfium

    pdfium.FPDFPageObj_SetIsActive(letters.handle, False)
    return _picture(page)


def _seen_at(page: Any, box: Box | None, differs: Any) -> bool:
    if box is None:
        return True
    left, _, _, top = page.get_cropbox()
    scale = _scale(page)
    rows = slice(max(int((top - box.top) * scale) - 1, 0), max(int((top - box.bottom) * scale) + 2, 0))
    columns = slice(max(int((box.left - left) * scale) - 1, 0), max(int((box.right - left) * scale) + 2, 0))
    return bool(differs[rows, columns].any())


def _text_of(page: Any, hidden: Sequence[_Letters]) -> str:
    """Return the words of text objects, in their order."""
    import pypdfium2.raw as pdfium

    for letters in hidden:
        pdfium.FPDFPageObj_SetIsActive(letters.handle, True)
    textpage = page.get_textpage()
    words = []
    for letters in hidden:
        length = pdfium.FPDFTextObj_GetText(letters.handle, textpage, None, 0)
        buffer = (c_ushort * (length // 2 + 1))()
        pdfium.FPDFTextObj_GetText(letters.handle, textpage, buffer, length)
        words.append(bytes(buffer)[:length].decode("utf-16-le", errors="ignore").rstrip("\0"))
        pdfium.FPDFPageObj_SetIsActive(letters.handle, False)
    textpage.close()
    return " ".join(" ".join(words).split())
