"""The tokens of Rich Text Format, and the code pages of its fonts."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"(?P<brace>[{}])"
    rb"|\\'(?P<hex>[0-9A-Fa-f]{2})"
    rb"|\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|\\(?P<symbol>.)"
    rb"|(?P<text>[^\\{}]+)",
    re.S,
)
_LINE_ENDS = bytes([10, 13, 0])
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 78: "shift_jis", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030",
    136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_PAGES = {10000: "mac_roman", 10001: "shift_jis", 10007: "mac_cyrillic", 936: "gb18030", 1361: "johab", 65001: "utf-8"}


@dataclass(frozen=True)
class Token:
    """A brace, a control word with its number, a control symbol, or bytes of text."""

    brace: str = ""
    word: str = ""
    number: int | None = None
    symbol: str = ""
    text: bytes = b""


def tokens(data: bytes) -> Iterator[Token]:
    """Yield the tokens in order, without line breaks; binary data (`\\binN`) is skipped."""
    position = 0
    while match := _TOKEN.match(data, position):
        position = match.end()
        kind = match.lastgroup
        if kind == "brace":
            yield Token(brace=match[0].decode("ascii"))
        elif kind == "hex":
            yield Token(text=bytes.fromhex(match["hex"].decode("ascii")))
        elif kind == "text":
            if text := match["text"].translate(None, _LINE_ENDS):
                yield Token(text=text)
        elif kind == "symbol":
            yield Token(symbol=match["symbol"].decode("latin-1"))
        else:
            number = None if match["number"] is None else int(match["number"])
            if match["word"] == b"bin":
                position += max(0, number or 0)
            else:
                yield Token(word=match["word"].decode("ascii"), number=number)


def charset_encoding(number: int) -> str | None:
    """Return the encoding of a font's charset; None for charsets without an encoding (default, symbols)."""
    return _CHARSETS.get(number)


def page_encoding(number: int) -> str:
    """Return the encoding of a Windows code page; Western European if unknown."""
    name = _PAGES.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
