"""Opens PDF files with pdfium, and renders their pages as images."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

from investigator.documents.readers.base import MOST_MEMBERS, Member, ReadFailure
from investigator.documents.readers.pdf.annotations import has_written_annotations
from investigator.documents.readers.pdf.boxes import pdfium
from investigator.documents.readers.pictures.ocr import Picture
from investigator.records import FileStatus

_PDFIUM = threading.Lock()  # pdfium keeps global state, so a process makes one call at a time
_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD
_OUTLINES = 60  # a page with at least this many shapes may contain letters drawn as shapes
_DPI = 300
_POINTS = 72  # points per inch
_MOST_PIXELS = 40_000_000  # maximum number of pixels in a rendered page
_MOST_PICTURE_PIXELS = 400_000_000  # maximum number of pixels in a picture on a page, which pdfium unpacks whole


@contextmanager
def opened(data: bytes) -> Iterator[Any]:
    """Open a document for the duration of the `with` block. Raises ReadFailure if the document is encrypted or
    damaged.
    """
    with _PDFIUM:
        try:
            document = pdfium.PdfDocument(data)
        except pdfium.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD_ERROR:
                raise ReadFailure(FileStatus.ENCRYPTED, "the PDF is protected by a password") from error
            raise ReadFailure(FileStatus.FAILED, "the PDF is truncated or damaged") from error
        try:
            yield document
        finally:
            document.close()


def flattened(document: Any, index: int, page: Any) -> Any:
    """Return a page with its form fields, text annotations and stamps merged into its text and pictures.

    Only the copy in memory is changed. Raises pypdfium2.PdfiumError if the page cannot be loaded.
    """
    if not has_written_annotations(page):
        return page
    pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
    page.close()
    return document[index]


def attachments(data: bytes) -> tuple[Member, ...]:
    """Return the files attached to a document, at most `MOST_MEMBERS` + 1; reading one opens the document again."""
    with opened(data) as document:
        try:
            count = min(document.count_attachments(), MOST_MEMBERS + 1)
            names = [document.get_attachment(index).get_name() for index in range(count)]
        except pdfium.PdfiumError:  # a damaged list does not affect the pages
            return ()
    return tuple(Member(name, partial(_attached, data, index)) for index, name in enumerate(names))


def _attached(data: bytes, index: int) -> bytes:
    with opened(data) as document:
        try:
            return bytes(document.get_attachment(index).get_data())
        except pdfium.PdfiumError as error:
            raise ReadFailure(FileStatus.FAILED, "the attachment is damaged") from error


def is_drawn(page: Any) -> bool:
    """Return True if the page has pictures, or so many shapes that they may be letters."""
    if next(page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,)), None) is not None:
        return True
    shapes = page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_PATH,))
    return sum(1 for _ in islice(shapes, _OUTLINES)) == _OUTLINES


def drawn_page(data: bytes, index: int) -> Picture:
    """Render a page as a greyscale image, at up to 300 dots per inch. Raises ReadFailure if the page is damaged."""
    with opened(data) as document:
        try:
            page = document[index]
            check_pictures(page)
            inches = page.get_width() / _POINTS * page.get_height() / _POINTS
            dpi = min(_DPI, int((_MOST_PIXELS / max(inches, 1e-6)) ** 0.5))
            bitmap = page.render(scale=max(dpi, 1) / _POINTS, grayscale=True)
            pixels = grey_pixels(bitmap, bitmap.to_numpy())
            bitmap.close()
            page.close()
        except pdfium.PdfiumError as error:
            raise ReadFailure(FileStatus.FAILED, "the page is damaged") from error
    return Picture(pixels, dpi=max(dpi, 70))


def grey_pixels(bitmap: Any, grey: Any) -> bytes:
    """Return a bitmap, whose pixels are given in grey, as a PGM file."""
    rows = grey.reshape(bitmap.height, bitmap.width)
    return b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + bytes(rows.tobytes())


def check_pictures(page: Any) -> None:
    """Raise ReadFailure if a picture on the page has too many pixels to unpack."""
    for picture in page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,)):
        width, height = picture.get_px_size()
        if width * height > _MOST_PICTURE_PIXELS:
            raise ReadFailure(FileStatus.TOO_LARGE, f"a picture on it has more than {_MOST_PICTURE_PIXELS:,} pixels")
