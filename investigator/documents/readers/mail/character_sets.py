"""Decodes header values and bodies of mail, using their declared or detected character sets."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from email.policy import Compat32
from quopri import decodestring

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.decoding import decoded

_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
_BETWEEN_WORDS = re.compile(r"(?<=\?=)\s+(?==\?[^?\s]{1,60}\?[bBqQ]\?[^?]*\?=)")
_WIDER = {  # what mail programs usually mean by these names
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "",
    "ascii": "",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "iso-8859-8-i": "iso-8859-8",
    "unicode-1-1-utf-7": "utf-7",
}
_LONGEST_PARAMETERS = 20_000


class _AsWritten(Compat32):
    def header_fetch_parse(self, name: str, value: str) -> str:
        return value[:_LONGEST_PARAMETERS] if name.lower().startswith("content-") else value


AS_WRITTEN = _AsWritten()
"""The policy that returns header values as written; overlong parameter lists are truncated."""


def text_in(data: bytes, charset: str) -> str:
    """Decode the bytes with the declared character set or, if that does not fit, with the detected one."""
    name = charset.strip().strip("\"'").lower().partition("*")[0]
    name = _WIDER.get(name, name)
    if name:
        try:
            return data.decode(name)
        except (LookupError, ValueError):  # for an unknown character set, or bytes that cannot be decoded
            pass
    found = decoded(data)
    return found if found is not None else data.decode("cp1252", errors="replace")


def header_text(value: str) -> str:
    """Return a header value on one line, with encoded words (RFC 2047) and raw bytes decoded.

    `value` comes from the standard library's parser, in which non-ASCII bytes are lone surrogates.
    """
    if not value.isascii():
        value = text_in(value.encode("utf-8", "surrogateescape"), "")
    value = _BETWEEN_WORDS.sub("", value)
    out, at = [], 0
    charset, collected = "", b""
    for word in _ENCODED_WORD.finditer(value):
        if collected and (word.start() != at or word[1].lower() != charset):
            out.append(text_in(collected, charset))
            collected = b""
        out.append(value[at : word.start()])
        charset, at = word[1].lower(), word.end()
        collected += _word_bytes(word[2], word[3])  # the end of a word may split a character
    if collected:
        out.append(text_in(collected, charset))
    out.append(value[at:])
    return " ".join(cleaned("".join(out)).split())


def _word_bytes(encoding: str, content: str) -> bytes:
    raw = content.encode("utf-8", "replace")
    if encoding in "qQ":
        return decodestring(raw.replace(b"_", b" "))
    try:
        return b64decode(raw + b"==")
    except (binascii.Error, ValueError):
        return raw
