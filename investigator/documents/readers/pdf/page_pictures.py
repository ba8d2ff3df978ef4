"""Recognises the pictures on PDF pages that also have text, and names those that are not read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

from investigator.documents.pages import listed_pages
from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.readers.pdf.boxes import pdfium
from investigator.documents.readers.pdf.pdfium import check_pictures, grey_pixels, opened
from investigator.documents.readers.pdf.visible import PageObjects, page_objects
from investigator.documents.readers.pictures.ocr import Picture, recognise
from investigator.documents.readers.pictures.picture import MOST_PICTURES, is_large, unread_pictures
from investigator.records import FileStatus

_LEAST_SHARE = 0.02  # of the page


def large_pictures(page: Any, objects: PageObjects) -> list[int]:
    """Return the numbers of the pictures on a page that may hold text, counted among its pictures."""
    width, height = page.get_size()
    numbers = []
    for number, picture in enumerate(_pictures(page, objects)):
        left, bottom, right, top = picture.get_bounds()
        is_wide = (right - left) * (top - bottom) >= _LEAST_SHARE * width * height
        if is_wide and is_large(picture.get_px_size()):
            numbers.append(number)
    return numbers


def _pictures(page: Any, objects: PageObjects) -> Iterator[Any]:
    for place in objects.of_kind(pdfium.FPDF_PAGEOBJ_IMAGE):
        handle = pdfium.FPDFPage_GetObject(page, place)
        yield pdfium.PdfImage(handle, page=page, pdf=page.pdf)


def pictures_read(
    data: bytes, pictures: list[tuple[int, int]], settings: ReaderSettings
) -> tuple[dict[int, list[str]], list[ReadFailure]]:
    """Return the texts of pictures, given as pages and numbers on them, by page, and the report of those not read."""
    some = pictures[:MOST_PICTURES]
    with ExitStack() as stack:
        document = cache(lambda: stack.enter_context(opened(data)))  # opened if a picture is read, and only once
        outcome = recognise(range(len(some)), lambda index: _drawn(document(), *some[index]), settings)
    texts: dict[int, list[str]] = {}
    for index, text in sorted(outcome.texts.items()):
        if any(character.isalnum() for character in text):
            texts.setdefault(some[index][0], []).append(text)
    missed = [some[index] for index in outcome.missed] + pictures[MOST_PICTURES:]
    where = f" on {listed_pages(sorted({page for page, _ in missed}))}" if missed else ""
    return texts, unread_pictures(len(missed), outcome, where)


def _drawn(document: Any, index: int, number: int) -> Picture:
    try:
        page = document[index]
        check_pictures(page)
        bitmap = list(_pictures(page, page_objects(page)))[number].get_bitmap(render=True)
        pixels = bitmap.to_numpy()
        grey = pixels if pixels.ndim == 2 else pixels[..., :3].mean(axis=2)
        picture = Picture(grey_pixels(bitmap, grey.astype("uint8")))
        bitmap.close()
        page.close()
    except (pdfium.PdfiumError, ReadFailure, IndexError, ValueError) as error:
        raise ReadFailure(FileStatus.FAILED, "the picture is damaged") from error
    return picture
