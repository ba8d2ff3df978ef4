"""Decodes bytes of unknown encoding."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*(?:3D)?["']?\s*([A-Za-z][\w.:-]*)""")
_CONTROLS = bytes({*range(32)} - {9, 10, 12, 13, 27})
_NOISE = 20  # text has at most one control character per this many bytes; random bytes have one in ten
_SAMPLE = 200_000
_WIDE_SAMPLE = 4096
_WIDE = ("utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le")  # of several equally good encodings, the last is chosen
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_SHIFTED = re.compile(rb"\x1b\$[@B]")  # the start of two-byte characters in ISO-2022-JP
_SOUND_UTF8 = re.compile("[^\x00-\x7f\ufffd]")
_UTF8_SHARE = 3  # minimum number of valid non-ASCII characters per damaged one; other encodings have fewer than one
_WESTERN = ("cp1252", "mac-roman", "cp850")
_OTHER_ALPHABETS = (
    "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "iso8859-2", "iso8859-5", "iso8859-6",
    "iso8859-7", "koi8-r", "cp852", "cp866",
)  # fmt: skip
_EAST_ASIAN = ("gb18030", "big5", "cp949", "euc-jp", "cp932")
_ENCODINGS = (*_WESTERN, *_OTHER_ALPHABETS, *_EAST_ASIAN)
_CLOSE = 0.65  # a Western encoding is chosen if its likelihood is at least this share of another alphabet's
_CLOSE_WESTERN = 0.98  # Windows is far more common than the Western encodings of DOS and old Macs


def decoded(data: bytes, *, declared: bool = False) -> str | None:
    """Return the text of the bytes, or None if they are not text.

    Several clues are tried in order: a byte order mark, UTF-8 (a few damaged characters become U+FFFD), the file's own
    declaration (only if `declared` is set for its format, and only if it fits), and statistics. Line ends are
    unchanged.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, errors="replace")
    if wide := _wide_encoding(data):
        return data.decode(wide, errors="replace")
    text: str | None = None
    for encoding in ("utf-8", "iso2022_jp_ext") if _SHIFTED.search(data[:_SAMPLE]) else ("utf-8",):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
    if text is None and damaged_utf8(data):
        text = data.decode("utf-8", errors="replace")
    if text is not None:
        return text if not is_binary(data) else None
    if declared and (text := _declared(data)) is not None:
        return text
    return data.decode(likely_encoding(_sample(data)), errors="replace") if not is_binary(data) else None


def likely_encoding(sample: bytes, encodings: Sequence[str] = _ENCODINGS) -> str:
    """Return the likeliest of the encodings for bytes that are not UTF-8; Western European if none fits."""
    from chardet import detect_all  # imported when the first file needs it

    confidences = {
        str(guess["encoding"]): guess["confidence"]
        for guess in detect_all(sample, include_encodings=encodings, compat_names=False)
        if guess["encoding"]
    }
    if not confidences:
        return _WESTERN[0]
    best = next(iter(confidences))
    western = next((name for name in confidences if name in _WESTERN), best)
    if best in _OTHER_ALPHABETS and confidences[western] >= _CLOSE * confidences[best]:
        best = western
    if best in _WESTERN and confidences.get(_WESTERN[0], 0) >= _CLOSE_WESTERN * confidences[best]:
        best = _WESTERN[0]
    return best


def damaged_utf8(data: bytes) -> int:
    """Return the number of damaged characters in a UTF-8 text: 0 if it is intact, or probably not UTF-8."""
    if data.startswith(tuple(bom for bom, _ in _BOMS)):
        return 0
    sample = _sample(data)
    sound = len(_SOUND_UTF8.findall(sample.decode("utf-8", errors="replace")))
    if not sound or sound < _UTF8_SHARE * _marks_of_damage(sample):
        return 0
    return _marks_of_damage(data)


def _marks_of_damage(data: bytes) -> int:
    """Return the number of U+FFFD characters that replace invalid UTF-8, excluding those in the original text."""
    return data.decode("utf-8", errors="replace").count("\ufffd") - data.count(b"\xef\xbf\xbd")


def is_binary(data: bytes) -> bool:
    """Return True if the beginning of the bytes contains more control characters than text would."""
    return _controls(data) > max(3, len(data[:_SAMPLE]) // 100)


def is_noise(data: bytes) -> bool:
    """Return True if the bytes are compressed or random, not text with a few stray bytes."""
    return _controls(data) * _NOISE > len(data[:_SAMPLE]) and decoded(data) is None


def _controls(data: bytes) -> int:
    head = data[:_SAMPLE]
    return len(head) - len(head.translate(None, _CONTROLS))


def _wide_encoding(data: bytes) -> str | None:
    """Recognise UTF-16 or UTF-32 without a byte order mark by its zero bytes, and return its name."""
    head = data[: _WIDE_SAMPLE - _WIDE_SAMPLE % 4]
    if head.count(0) < (1 if is_binary(data) else 2):
        return None
    share, encoding = max((_plain_share(head, encoding), encoding) for encoding in _WIDE)
    return encoding if share > 0 else None


def _plain_share(head: bytes, encoding: str) -> float:
    """Return the fraction (0..1) of the decoded text that is ASCII; 0 if the bytes do not decode to text."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return 0
    strange = sum(unicodedata.category(c) in ("Cc", "Cn", "Co", "Cs") and c not in "\t\n\r\f\v" for c in text)
    return sum(c < "\x80" for c in text) / max(len(text), 1) if strange <= len(text) // 100 else 0


def _declared(data: bytes) -> str | None:
    match = _DECLARED.search(data[:4096])
    if match is None:
        return None
    name = match.group(1).decode("ascii")
    try:
        return data.decode("cp1252" if name.lower() in ("iso-8859-1", "latin-1", "latin1") else name)
    except (LookupError, UnicodeError):
        return None


def _sample(data: bytes) -> bytes:
    """Return a sample from the beginning, ending at a line break or a space so that no character is split; short data
    is returned whole.

    ASCII lines reveal nothing about the encoding, so the sample begins at the first line with a non-ASCII byte.
    """
    if len(data) <= _SAMPLE:
        return data
    other = _BEYOND_ASCII.search(data)
    begin = data.rfind(b"\n", 0, other.start() if other else 0) + 1
    head = data[begin : begin + _SAMPLE]
    cut = max(head.rfind(b"\n"), head.rfind(b" "))
    return head[:cut] if cut > 0 else head
