"""Reads pictures by text recognition; each page of a TIFF file becomes a page of the document."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from investigator.documents.pages import joined_pages
from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.pictures.ocr import Picture, recognise
from investigator.records import FileStatus

Size = tuple[int, int]
"""Width and height in pixels."""

_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})  # the JPEG segments that begin a frame
_TIFF_TYPES = {3: "H", 4: "I"}  # SHORT and LONG
_WIDTH, _HEIGHT = 256, 257  # TIFF tags
_MOST_PIXELS = 100_000_000  # maximum number of pixels in one page: A3 at 600 dots per inch has 70 million
_LEAST_SIDE = 24  # minimum width and height in pixels, enough for a line of small letters with margins


def read_picture(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Recognises the text of a picture.

    Raises ReadFailure: `needs_ocr` if nothing can be recognised, `empty` if it contains no text, `too_large`.
    """
    sizes = picture_sizes(source.data, settings.max_pages)
    if not sizes:
        raise ReadFailure(FileStatus.FAILED, "the picture is truncated or damaged")
    if max(width * height for width, height in sizes) > _MOST_PIXELS:
        raise ReadFailure(FileStatus.TOO_LARGE, f"the picture has more than {_MOST_PIXELS:,} pixels")
    if all(min(size) < _LEAST_SIDE for size in sizes):
        raise ReadFailure(FileStatus.EMPTY, "the picture is too small to contain text")
    pages = range(len(sizes))
    found = recognise(pages, lambda index: Picture(source.data, page=index if len(sizes) > 1 else None), settings)
    text, spans = joined_pages([found.texts.get(index, "") for index in pages])
    if found.failure and not found.texts:
        raise ReadFailure(found.failure.status, f"the file is a picture: {found.failure.reason}")
    if not any(character.isalnum() for character in text):
        raise ReadFailure(FileStatus.EMPTY, "no text was recognised in the picture")
    return Extracted(text=text, pages=spans if len(sizes) > 1 else (), left_out=found.left_out)


def picture_sizes(data: bytes, most: int) -> list[Size]:
    """Return the sizes of the pictures in a file, in order: up to `most` for the pages of a TIFF file, otherwise one
    size.

    Formats: PNG, JPEG, GIF, BMP, WebP, JPEG 2000, TIFF. The result is empty if the file is in a different format or is
    damaged.
    """
    try:
        for magic, sizes in _FORMATS:
            if data.startswith(magic):
                return [size for size, _ in zip(sizes(data), range(most), strict=False)]
    except (struct.error, IndexError):
        return []
    return []


def _png(data: bytes) -> Iterator[Size]:
    yield struct.unpack_from(">II", data, 16)


def _gif(data: bytes) -> Iterator[Size]:
    yield struct.unpack_from("<HH", data, 6)


def _bmp(data: bytes) -> Iterator[Size]:
    width, height = struct.unpack_from("<ii", data, 18)
    yield abs(width), abs(height)


def _jp2(data: bytes) -> Iterator[Size]:
    at = data.index(b"ihdr") if b"ihdr" in data[:200] else len(data)
    height, width = struct.unpack_from(">II", data, at + 4)
    yield width, height


def _webp(data: bytes) -> Iterator[Size]:
    kind = data[12:16]
    if kind == b"VP8X":
        yield int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    elif kind == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        yield (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        yield width & 0x3FFF, height & 0x3FFF


def _jpeg(data: bytes) -> Iterator[Size]:
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            yield width, height
            return
        at += 1 if marker == 0xFF else 2 + struct.unpack_from(">H", data, at + 2)[0]


def _tiff(data: bytes) -> Iterator[Size]:
    order = "<" if data[:2] == b"II" else ">"
    at = struct.unpack_from(order + "I", data, 4)[0]
    seen: set[int] = set()
    while at and at not in seen:
        seen.add(at)
        count = struct.unpack_from(order + "H", data, at)[0]
        values: dict[int, int] = {}
        for entry in range(at + 2, at + 2 + 12 * count, 12):
            tag, kind = struct.unpack_from(order + "HH", data, entry)
            if tag in (_WIDTH, _HEIGHT):
                values[tag] = struct.unpack_from(order + _TIFF_TYPES.get(kind, "H"), data, entry + 8)[0]
        yield values.get(_WIDTH, 0), values.get(_HEIGHT, 0)
        at = struct.unpack_from(order + "I", data, at + 2 + 12 * count)[0]


_FORMATS: tuple[tuple[bytes, Callable[[bytes], Iterator[Size]]], ...] = (
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"\xff\xd8\xff", _jpeg),
    (b"GIF8", _gif),
    (b"BM", _bmp),
    (b"RIFF", _webp),
    (b"\x00\x00\x00\x0cjP", _jp2),
    (b"II*\x00", _tiff),
    (b"MM\x00*", _tiff),
)
