"""Pictures: their text, where it can be recognised; each page of a TIFF file is a page."""

from __future__ import annotations

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, Source
from investigator.documents.readers.ocr import Picture, recognise
from investigator.documents.readers.paged import joined
from investigator.documents.readers.picture_sizes import picture_sizes
from investigator.records import FileStatus

_MOST_PIXELS = 100_000_000  # of one page: A3 at 600 dots an inch has 70 million
_LEAST_SIDE = 24  # pixels: the height of a line of small letters and its margins


def read_picture(source: Source, settings: ReaderSettings) -> Extracted:
    """Recognises the text of a picture.

    Raises ReadFailure: `needs_ocr` where nothing can be recognised, `empty` when it holds no text, `too_large`.
    """
    sizes = picture_sizes(source.data, settings.max_pages)
    if not sizes:
        raise ReadFailure(FileStatus.FAILED, "the picture is cut off or damaged")
    if max(width * height for width, height in sizes) > _MOST_PIXELS:
        raise ReadFailure(FileStatus.TOO_LARGE, f"the picture has more than {_MOST_PIXELS:,} pixels")
    if all(min(size) < _LEAST_SIDE for size in sizes):
        raise ReadFailure(FileStatus.EMPTY, "the picture is too small to hold text")
    pages = range(len(sizes))
    found = recognise(pages, lambda index: Picture(source.data, page=index if len(sizes) > 1 else None), settings)
    text, spans = joined([found.texts.get(index, "") for index in pages])
    if found.failure and not found.texts:
        raise ReadFailure(found.failure.status, f"the file is a picture: {found.failure.reason}")
    if not any(character.isalnum() for character in text):
        raise ReadFailure(FileStatus.EMPTY, "no text was recognised in the picture")
    return Extracted(text=text, pages=spans if len(sizes) > 1 else (), left_out=found.left_out)
