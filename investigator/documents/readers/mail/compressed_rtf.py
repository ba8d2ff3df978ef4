"""Compressed RTF ([MS-OXRTFCP]), the format of message bodies in Outlook."""

from __future__ import annotations

import struct

_HEADER = struct.Struct("<II4sI")
_KNOWN = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20"
    b"\\b\\i\\u\\tab\\tx"
)
_WINDOW = 4096
_SHORTEST = 2


def decompressed_rtf(data: bytes, most: int) -> bytes:
    """Decompress RTF, up to `most` bytes of output; if the data is truncated, return the part that is available."""
    if len(data) < _HEADER.size:
        return b""
    _, size, method, _ = _HEADER.unpack_from(data)
    if method != b"LZFu":  # otherwise it is "MELA", which means not compressed
        return data[_HEADER.size :][: min(size, most)]
    return bytes(_expanded(data, min(size, most)))


def _expanded(data: bytes, size: int) -> bytearray:
    """Expand compressed RTF.

    Each control byte marks, low bit first, which of the next eight items repeat text from the window. A repetition
    takes two bytes: 12 bits for the position in the window, 4 for the length. A repetition that refers to the current
    end of the window ends the text.
    """
    out = bytearray(_KNOWN)  # the window is the end of the output, and initially contains a predefined text
    at, end = _HEADER.size, len(_KNOWN) + size
    while at < len(data) and len(out) < end:
        control = data[at]
        at += 1
        for bit in range(8):
            if at >= len(data) or len(out) >= end:
                break
            if not control >> bit & 1:
                out.append(data[at])
                at += 1
                continue
            place, length = int.from_bytes(data[at : at + 2], "big") >> 4, data[at + 1 : at + 2] or b"\0"
            at += 2
            back = (len(out) - place) % _WINDOW
            if back == 0:
                return out[len(_KNOWN) : end]
            for _ in range((length[0] & 0xF) + _SHORTEST):
                out.append(out[-back] if back <= len(out) else 0x20)
    return out[len(_KNOWN) : end]
