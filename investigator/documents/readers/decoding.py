"""Bytes of unknown encoding become text."""

from __future__ import annotations

import codecs
import re
from itertools import islice

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*(?:3D)?["']?\s*([A-Za-z][\w.:-]*)""")
_CONTROLS = bytes({*range(32)} - {9, 10, 12, 13, 27})
_SAMPLE = 200_000


def decoded(data: bytes, *, declared: bool = False) -> str | None:
    """The text of the bytes, or None where they are no text.

    A byte order mark decides, then strict UTF-8, then what the file itself declares (only where `declared` says that
    its format has such declarations, and only where it fits), then statistics. Line ends are left as they are.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, errors="replace")
    if wide := _wide_encoding(data):
        return data.decode(wide, errors="replace")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is not None:
        return text if not is_binary(data) else None
    return _declared(data) if declared and _declared(data) is not None else _guessed(data)


def is_binary(data: bytes) -> bool:
    """Whether the beginning of the bytes holds more control characters than any text does."""
    head = data[:_SAMPLE]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls > max(3, len(head) // 100)


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 without a mark: one of the two bytes of nearly each character is zero."""
    head = data[:4096]
    half = len(head) // 2
    if half < 2:
        return None
    if head[1::2].count(0) > 0.7 * half and head[0::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if head[0::2].count(0) > 0.7 * half and head[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return None


def _declared(data: bytes) -> str | None:
    match = _DECLARED.search(data[:4096])
    if match is None:
        return None
    name = match.group(1).decode("ascii")
    try:
        return data.decode("cp1252" if name.lower() in ("iso-8859-1", "latin-1", "latin1") else name)
    except (LookupError, UnicodeError):
        return None


def _guessed(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(_sample(data)).best()
    if best is None:
        return None if is_binary(data) else data.decode("cp1252", errors="replace")
    encoding = "cp1252" if "cp1252" in best.could_be_from_charset else best.encoding
    return data.decode(encoding, errors="replace")


def _sample(data: bytes) -> bytes:
    """The beginning, cut at a line end or blank, so that no character is cut in two, or all of it if it is short.

    Plain ASCII lines say nothing about the encoding: the sample begins at the first line that holds another byte.
    """
    if len(data) <= _SAMPLE:
        return data
    first = next(islice((i for i, byte in enumerate(data) if byte > 127), 1), 0)
    begin = data.rfind(b"\n", 0, first) + 1
    head = data[begin : begin + _SAMPLE]
    cut = max(head.rfind(b"\n"), head.rfind(b" "))
    return head[:cut] if cut > 0 else head
