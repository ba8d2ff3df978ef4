"""Writes PNG files with zlib, so that no image library is required."""

from __future__ import annotations

import struct
import zlib
from typing import Any

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BITS = 8
_GREY, _COLOUR = 0, 2
_LEVEL = 6


def png(pixels: Any) -> bytes:
    """Encode an image as a PNG file; a greyscale image takes a third of the bytes of a colour image.

    `pixels` is a numpy array of bytes: height x width x 3, in the order red, green, blue.
    """
    import numpy

    height, width, _ = pixels.shape
    red = pixels[:, :, 0]
    is_grey = bool((red == pixels[:, :, 1]).all() and (red == pixels[:, :, 2]).all())
    rows = red if is_grey else pixels.reshape(height, width * 3)
    filtered = numpy.zeros(
        (height, rows.shape[1] + 1), dtype=numpy.uint8
    )  # the first byte of each row is 0, which means no filter
    filtered[:, 1:] = rows
    header = struct.pack(">IIBBBBB", width, height, _BITS, _GREY if is_grey else _COLOUR, 0, 0, 0)
    data = zlib.compress(filtered.tobytes(), _LEVEL)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
