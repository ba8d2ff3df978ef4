"""Decodes header values and bodies of mail, using their declared or detected character sets."""

from __future__ import annotations

from email.errors import HeaderParseError
from email.header import decode_header
from email.policy import Compat32

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.decoding import decoded
from investigator.language.normalise import one_line

_WIDER = {  # what mail programs usually mean by these names
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "",
    "ascii": "",
    "shift_jis": "cp932",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "iso-8859-8-i": "iso-8859-8",
    "unicode-1-1-utf-7": "utf-7",
}


class _AsWritten(Compat32):
    def header_fetch_parse(self, name: str, value: str) -> str:
        return value


AS_WRITTEN = _AsWritten()
"""The policy that returns header values as written."""


def text_in(data: bytes, charset: str) -> str:
    """Decode the bytes with the declared character set or, if that does not fit, with the detected one."""
    name = charset.strip().strip("\"'").lower().partition("*")[0]
    name = _WIDER.get(name, name)
    if name:
        try:
            return data.decode(name)
        except (LookupError, ValueError):  # for an unknown character set, or bytes that cannot be decoded
            pass
    text = decoded(data)
    return text if text is not None else data.decode("cp1252", errors="replace")


def header_text(value: str) -> str:
    """Return a header value on one line, with encoded words (RFC 2047) and raw bytes decoded.

    `value` comes from the standard library's parser, in which non-ASCII bytes are lone surrogates.
    """
    if not value.isascii():
        value = text_in(value.encode("utf-8", "surrogateescape"), "")
    try:
        words = decode_header(" ".join(value.split()))
    except HeaderParseError:
        words = [(value, None)]
    text = ""
    for content, charset in words:
        if isinstance(content, str):
            text += content
        else:
            text += content.decode("raw-unicode-escape") if charset is None else text_in(content, charset)
    return one_line(cleaned(text))
