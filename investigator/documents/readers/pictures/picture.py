"""Reads pictures by text recognition; each page of a TIFF file becomes a page of the document. The pictures inside
other documents are recognised too, and those that are not read are named.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable

from investigator.documents.pages import joined_pages
from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.pictures.ocr import Picture, Recognised, recognise
from investigator.records import FileStatus

Size = tuple[int, int]
"""Width and height in pixels."""

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "JPEG2000", "TIFF")
_MOST_PIXELS = 100_000_000  # maximum number of pixels in one page: A3 at 600 dots per inch has 70 million
_LEAST_SIDE = 24  # minimum width and height in pixels, enough for a line of small letters with margins
_LEAST_EMBEDDED = (200, 80)  # pixels; smaller pictures are icons, lines and logos
MOST_PICTURES = 40
"""Number of pictures of a document that are recognised."""


def read_picture(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Recognises the text of a picture.

    Raises ReadFailure: `needs_ocr` if nothing can be recognised, `empty` if it contains no text, `too_large`.
    """
    sizes = picture_sizes(source.data, settings.max_pages)
    if not sizes:
        raise ReadFailure(FileStatus.FAILED, "the picture is truncated or damaged")
    if all(min(size) < _LEAST_SIDE for size in sizes):
        raise ReadFailure(FileStatus.EMPTY, "the picture is too small to contain text")
    pages = range(len(sizes))
    recognised = recognise(pages, lambda index: Picture(source.data, page=index if len(sizes) > 1 else None), settings)
    text, spans = joined_pages([recognised.texts.get(index, "") for index in pages])
    if recognised.failure and not recognised.texts:
        raise ReadFailure(recognised.failure.status, f"the file is a picture: {recognised.failure.reason}")
    if not any(character.isalnum() for character in text):
        raise ReadFailure(FileStatus.EMPTY, "no text was recognised in the picture")
    return Extracted(text=text, pages=spans if len(sizes) > 1 else (), left_out=recognised.left_out)


def picture_sizes(data: bytes, most: int) -> list[Size]:
    """Return the sizes of the pictures in a file, in order: up to `most` for the pages of a TIFF file, otherwise one
    size; nothing if the file is damaged or in an unknown format. Raises ReadFailure if a picture is too large.
    """
    from PIL import Image

    sizes: list[Size] = []
    try:
        with (
            warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning),
            Image.open(io.BytesIO(data), formats=_FORMATS) as image,
        ):
            for page in range(min(getattr(image, "n_frames", 1), most) if image.format == "TIFF" else 1):
                image.seek(page)
                sizes.append(image.size)
    except Image.DecompressionBombError as error:
        raise _too_large() from error
    except Exception:  # noqa: BLE001 - a damaged picture raises errors of many kinds
        return []
    if any(width * height > _MOST_PIXELS for width, height in sizes):
        raise _too_large()
    return sizes


def _too_large() -> ReadFailure:
    return ReadFailure(FileStatus.TOO_LARGE, f"the picture has more than {_MOST_PIXELS:,} pixels")


def embedded_texts(pictures: Iterable[bytes], settings: ReaderSettings) -> tuple[list[str], list[ReadFailure]]:
    """Return the texts of a document's pictures, and the report of those that were not read.

    Equal pictures count once, and small ones not at all.
    """
    large = [data for data in dict.fromkeys(pictures) if _may_hold_text(data)]
    some = large[:MOST_PICTURES]
    outcome = recognise(range(len(some)), lambda index: Picture(some[index]), settings)
    texts = [text for _, text in sorted(outcome.texts.items()) if any(character.isalnum() for character in text)]
    missed = len(outcome.missed) + len(large) - len(some)
    return texts, unread_pictures(missed, outcome)


def unread_pictures(count: int, outcome: Recognised, where: str = "") -> list[ReadFailure]:
    """Return the report of pictures that were not read. They do not make a document incomplete: most are photographs
    and logos.
    """
    reason = outcome.failure.reason if outcome.failure is not None else f"only {MOST_PICTURES} of a file are read"
    what = "1 picture" if count == 1 else f"{count} pictures"
    return [ReadFailure(FileStatus.EMPTY, f"{what}{where} not read: {reason}")] if count else []


def is_large(sides: tuple[int, int]) -> bool:
    """Return True if a picture with these sides, in pixels, is large enough to hold text."""
    return max(sides) >= _LEAST_EMBEDDED[0] and min(sides) >= _LEAST_EMBEDDED[1]


def _may_hold_text(data: bytes) -> bool:
    try:
        return any(map(is_large, picture_sizes(data, 1)))
    except ReadFailure:  # it is too large, which its recognition reports
        return True
