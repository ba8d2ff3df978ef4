"""Recognises the pictures on PDF pages that also have text, and names those that are not read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from investigator.documents.pages import listed_pages
from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.readers.pdf.pdfium import check_pictures, opened
from investigator.documents.readers.pictures.ocr import Picture, recognise, why_not
from investigator.records import FileStatus

_LEAST_SIDES = (200, 80)  # pixels; smaller pictures are icons, lines and logos
_LEAST_SHARE = 0.02  # of the page
_MOST_PICTURES = 40


def large_pictures(page: Any) -> list[int]:
    """Return the numbers of the pictures on a page that may hold text, counted among its pictures."""

    width, height = page.get_size()
    numbers = []
    for number, picture in enumerate(_pictures(page)):
        sides = picture.get_px_size()
        left, bottom, right, top = picture.get_bounds()
        is_large = max(sides) >= _LEAST_SIDES[0] and min(sides) >= _LEAST_SIDES[1]
        if is_large and (right - left) * (top - bottom) >= _LEAST_SHARE * width * height:
            numbers.append(number)
    return numbers


def _pictures(page: Any) -> Iterator[Any]:
    """Yield the pictures of a page; looking at the types alone is twenty times as fast as the library's own filter."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    for index in range(pdfium.FPDFPage_CountObjects(page)):
        handle = pdfium.FPDFPage_GetObject(page, index)
        if pdfium.FPDFPageObj_GetType(handle) == pdfium.FPDF_PAGEOBJ_IMAGE:
            yield pypdfium2.PdfImage(handle, page=page, pdf=page.pdf)


def pictures_read(
    data: bytes, pictures: list[tuple[int, int]], settings: ReaderSettings
) -> tuple[dict[int, list[str]], list[ReadFailure]]:
    """Return the texts of pictures, given as pages and numbers on them, by page, and the report of those not read.

    An unread picture does not make a document incomplete: most are photographs and logos.
    """
    texts: dict[int, list[str]] = {}
    some = pictures[:_MOST_PICTURES] if not why_not(settings) else []
    with opened(data) as document:
        drawn = {index: _drawn(document, *place) for index, place in enumerate(some)}
    kept = {index: picture for index, picture in drawn.items() if picture is not None}
    outcome = recognise(kept, lambda index: kept[index], settings)
    for index, text in sorted(outcome.texts.items()):
        if any(character.isalnum() for character in text):
            texts.setdefault(some[index][0], []).append(text)
    read = {some[index] for index in outcome.texts}
    missed = [place for place in pictures if place not in read]
    if not missed:
        return texts, []
    pages = listed_pages(sorted({page for page, _ in missed}))
    what = "1 picture" if len(missed) == 1 else f"{len(missed)} pictures"
    reason = f"{what} on {pages} not read: {why_not(settings) or 'too many, or damaged'}"
    return texts, [ReadFailure(FileStatus.EMPTY, reason)]


def _drawn(document: Any, index: int, number: int) -> Picture | None:
    import pypdfium2

    try:
        page = document[index]
        check_pictures(page)
        picture = list(_pictures(page))[number]
        bitmap = picture.get_bitmap(render=True)
        pixels = bitmap.to_numpy()
        grey = pixels if pixels.ndim == 2 else pixels[..., :3].mean(axis=2)
        rows = grey.reshape(bitmap.height, bitmap.width).astype("uint8")
        result = Picture(b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + rows.tobytes())
        bitmap.close()
        page.close()
    except (pypdfium2.PdfiumError, ReadFailure, IndexError, ValueError):
        return None
    return result
