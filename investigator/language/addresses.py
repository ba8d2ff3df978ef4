"""Finds addresses in text, and writes them so that they are no links. Pure.

A program may render displayed text as Markdown or HTML, and a terminal may turn it into links. Addresses from documents
are therefore written in a form that no program treats as a link and that a reader still understands. An e-mail address
stays unchanged, because such a link only opens a draft, and no program loads it automatically.
"""

from __future__ import annotations

import re
import unicodedata

_SCHEME = r"\b(?:[a-z][a-z0-9+.-]{1,15}://|(?:mailto|tel|sms|javascript|vbscript|data|file):(?=\S))"
_TOP = "com|org|net|edu|gov|int|info|biz|io|co|dev|app|site|online|xyz|top|shop|link|click|example|test|invalid|onion"
_COUNTRY = "de|fr|uk|us|ru|cn|it|es|nl|ch|at|be|se|no|dk|fi|cz|eu|in|br|jp|kr|au|ca|ua|tk|ly|me|tv"
_NAME = rf"(?:[^\W_](?:[\w-]{{0,62}})\.)+(?:{_TOP}|{_COUNTRY})\b(?!\.\w)"
_HOST = re.compile(rf"(?:(?<=://)[^\s/?#)\]>\"']+|\bwww\.[^\s/?#)\]>\"']+|[\w.+-]+@[\w.-]+\w|(?<![\w@/]){_NAME})", re.I)
_MAILBOX = re.compile(r"(?<![/\\@])[\w+-]+(?:\.[\w+-]+)*@(?:[\w-]+\.)+[^\W\d_]{2,}(?![/\\?#@:])")
_LINK = re.compile(r"(?<=\])\((?=\S)|<(?=[A-Za-z/!?])")
_LESS_THAN = re.compile(r"(?<=\w)<(?=[A-Za-z]\w*(?![\w:-]))")
_PHONE = re.compile(r"(?<![\w.,])(?:\+|00)\d{1,3}[ ()/.-]{0,2}(?:\d[ ()/.-]{0,2}){6,14}(?![\w%])")
_ADDRESS = re.compile(rf"{_SCHEME}|{_HOST.pattern}", re.I)
_SCHEMES = re.compile(_SCHEME, re.I)
_DOT = re.compile(r"(?<!\[)\.(?!\])")
_WRITTEN = tuple(
    (re.compile(written), inert)
    for written, inert in (
        (r"\b([Hh])xx(?=ps?://)", r"\1tt"),
        (r"\[([.:])\]", r"\1"),
        (r"\[at\]", "@"),
        (r"\] \(", "]("),
        (r"(?<=\w) < (?=[A-Za-z]\w*(?![\w:-]))", "<"),
        (r"< (?=[A-Za-z/!?])", "<"),
    )
)


def holds_address(text: str) -> bool:
    """Return True if the text contains an address (URL, e-mail, telephone), or markup for a link, picture or HTML."""
    plain = _spaced(unicodedata.normalize("NFKC", text))
    return any(pattern.search(plain) for pattern in (_ADDRESS, _PHONE, _LINK))


def defanged(text: str) -> str:
    """Return the text with its addresses and markup changed so that no program renders them as links, pictures or HTML.
    `https://a.example/x` becomes `hxxps://a[.]example/x`, and a space is inserted between the brackets of a link, after
    the opening bracket of a tag, and on both sides of the sign in "a < b". Other text, including e-mail addresses and
    text already in this form, is unchanged.
    """
    text = _HOST.sub(_without_host, text)
    text = _spaced(_SCHEMES.sub(_without_scheme, text))
    return _LINK.sub(lambda mark: " (" if mark.group() == "(" else "< ", text)


def _spaced(text: str) -> str:
    """Return the text with spaces around comparison signs, so that nothing after them looks like a tag."""
    tail = max(text.rfind(">"), text.rfind("=")) + 1
    return text[:tail] + _LESS_THAN.sub(" < ", text[tail:])


def refanged(text: str) -> str:
    """Undo `defanged` as far as possible."""
    for written, inert in _WRITTEN:
        text = written.sub(inert, text)
    return text


def _without_scheme(match: re.Match[str]) -> str:
    scheme = match.group()
    if scheme.lower() in ("hxxp://", "hxxps://"):
        return scheme
    if scheme.lower() in ("http://", "https://"):
        return f"{scheme[0]}xx{scheme[3:]}"
    return scheme.replace(":", "[:]", 1)


def _without_host(match: re.Match[str]) -> str:
    mailbox = _MAILBOX.match(match.string, match.start())
    if mailbox is not None and mailbox.end() == match.end():
        return match.group()
    return _DOT.sub("[.]", match.group().replace("@", "[at]"))
