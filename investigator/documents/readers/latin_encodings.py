"""Guesses the single-byte encoding of text in Latin letters: the encoding in which its bytes spell words."""

from __future__ import annotations

import re
from collections import Counter

_WESTERN = (
    "äöüß",  # German, Swedish, Finnish
    "àâæçèéêëîïôœùûüÿ",  # French
    "áéíñóúüªº",  # Spanish
    "ãõáàâçéêíóôúüªº",  # Portuguese
    "àèéìíòóùú",  # Italian
    "åæøäöé",  # Danish, Norwegian, Swedish
    "áðéíóúýþæö",  # Icelandic
    "ëïéèöüáóê",  # Dutch
)
_CENTRAL = (
    "ąćęłńóśźż",  # Polish
    "áčďéěíňóřšťúůýž",  # Czech
    "áäčďéíĺľňóôŕšťúýž",  # Slovak
    "áéíóöőúüű",  # Hungarian
    "ăâîşţșț",  # Romanian
    "čćđšž",  # Croatian, Slovene
)
_TURKISH = ("çğıöşüâîû",)
_BALTIC = ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž")
_CANDIDATES = (
    ("cp1252", _WESTERN),
    ("mac_roman", _WESTERN),
    ("cp850", _WESTERN),
    ("cp1250", _CENTRAL),
    ("iso8859-2", _CENTRAL),
    ("cp1254", _TURKISH),
    ("cp1257", _BALTIC),
    ("cp852", _CENTRAL),
)
_OPENING, _CLOSING = frozenset("“‘„‚«‹¿¡"), frozenset("”»›")
_MARKS = frozenset("’–—…€£§©®™°²³½·•\u00a0\u00ad")
_OTHER = re.compile(r"(?s)(?=(.?)([^\x00-\x7f])(.?))")
_SAMPLE = 20_000  # number of bytes that are examined
_MISFIT = -3


def latin_encoding(data: bytes) -> str | None:
    """Return the encoding in which most of the first bytes above 127 are letters or punctuation in one language.

    The result is Western European unless another encoding is evident; None if no encoding fits the bytes.
    """
    best: tuple[int, str] | None = None
    for encoding, alphabets in _CANDIDATES:
        try:
            text = data[:_SAMPLE].decode(encoding)
        except UnicodeDecodeError:
            continue
        places = Counter((match[1], match[2], match[3]) for match in _OTHER.finditer(text))
        score = max(
            sum(count * _fit(*place, letters + letters.upper()) for place, count in places.items())
            for letters in alphabets
        )
        if best is None or score > best[0]:
            best = (score, encoding)
    return best[1] if best else None


def _fit(before: str, character: str, after: str, letters: str) -> int:
    """Return 1 for a letter of the language or well-placed punctuation, less for unusual characters."""
    if character in letters:
        return _MISFIT if character.isupper() and before.islower() and after.islower() else 1
    if character.isalpha():
        return -1
    if character in _OPENING:
        return _MISFIT if before.isalnum() else 1
    if character in _CLOSING:
        return _MISFIT if after.isalnum() else 1
    inside = before.isalpha() and after.isalpha() and character not in "’–—…\u00ad\u00a0·"
    return 1 if character in _MARKS and not inside else _MISFIT
