"""Normalises text for comparison, with a map back to the original.

Two texts that differ only in typography (line breaks, kinds of quotation marks and dashes, ligatures, soft hyphens,
invisible characters) normalise to the same text; letters, digits, symbols and case are preserved.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

_EUROPEAN_DIGITS = {zero + digit: str(digit) for zero in (0x0660, 0x06F0) for digit in range(10)}
_SOFT = "\u00ad\ufffe\x02"  # soft hyphen, and the character that PDF libraries write for a hyphen at a line end
_INVISIBLE = _SOFT + "\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
_CJK = (
    "\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f"
    "\U00020000-\U0003ffff"
)

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u00b4\u02b9\u02bc\u2039\u203a", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u301d\u301e\u301f\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d", "-"),
        "\u2044": "/",
    }
)

_LETTER = r"[^\W\d_]"
_LINE_END = r"[^\S\n]*\n[^\S\n]*"
_OPTIONAL_HYPHEN = rf"(?P<optional>(?<={_LETTER})[-\u2010{_SOFT}]{_LINE_END}(?={_LETTER}))"
_FIRM_HYPHEN = rf"(?P<firm>(?<=\w)[-\u2010\u2013\u2014]{_LINE_END}(?=\w))"
_BLANK = rf"(?P<blank> [\s{_INVISIBLE}]+|[^\S ][\s{_INVISIBLE}]*|[{_INVISIBLE}][\s{_INVISIBLE}]*)"
_INNER_BLANK_OF_CJK = rf"(?P<inner>(?<=[{_CJK}])[\s{_INVISIBLE}]+(?=[{_CJK}]))"

_ASCII = re.compile("|".join((_OPTIONAL_HYPHEN, _FIRM_HYPHEN, _BLANK)))
_INVISIBLE_ONLY = re.compile(f"[{_INVISIBLE}]+")


class Normalised:
    """Normalised text, and the map from it to the original.

    `text` is the normalised text. `optional_hyphens` are the places in `text` at which the original has a hyphen
    between two letters at a line end. Such a hyphen may belong to the word ("well-known") or not ("inter-national"), so
    `text` omits it, and a comparison may ignore it.

    The map is kept as segments (normalised start, original start, original length): if a segment has the same length in
    both texts, its characters correspond one to one; otherwise it corresponds only as a whole.
    """

    __slots__ = ("_at", "_lengths", "_sources", "optional_hyphens", "text")

    def __init__(self, text: str, segments: Iterable[tuple[int, int, int]], optional_hyphens: frozenset[int]) -> None:
        self.text = text
        self.optional_hyphens = optional_hyphens
        self._at = array("q")
        self._sources = array("q")
        self._lengths = array("q")
        for at, source, length in segments:
            self._at.append(at)
            self._sources.append(source)
            self._lengths.append(length)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that became the normalised text at `[start, end)`, which must not be
        empty.
        """
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"no text at [{start}, {end})")
        return self._original(start)[0], self._original(end - 1)[1]

    def position(self, offset: int) -> int:
        """Return the first position of the normalised text that comes from the original at `offset` or later."""
        return bisect_left(range(len(self.text)), offset, key=lambda place: self._original(place)[0])

    def _original(self, place: int) -> tuple[int, int]:
        """Return the original span of one normalised character."""
        k = bisect_right(self._at, place) - 1
        at, source, length = self._at[k], self._sources[k], self._lengths[k]
        following = self._at[k + 1] if k + 1 < len(self._at) else len(self.text)
        if following - at == length:
            return source + place - at, source + place - at + 1
        return source, source + length


def normalise(text: str) -> Normalised:
    """Normalise the text for comparing quotes.

    Applies Unicode NFKC (except to exponents and note marks that touch a number, and to characters that would become
    spaces), collapses whitespace to one space, drops it between CJK characters, joins words that were hyphenated at the
    end of a line, drops invisible characters, and replaces quotation marks and primes with ' or " and dashes with -.
    """
    written = _Written()
    pattern, table = _rules(text)
    done = 0
    for match in pattern.finditer(text):
        written.copy(text, done, match.start())
        done = match.end()
        _replace(written, match, text, table)
    written.copy(text, done, len(text))
    return written.result()


class _Written:
    """Collects normalised text and the segments of its map, and merges adjacent segments."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._segments: list[tuple[int, int, int]] = []
        # the current segment of equal lengths, to which more may be added
        self._open: tuple[int, int, int] | None = None
        self._hyphens: list[int] = []

    def copy(self, text: str, start: int, end: int) -> None:
        if start < end:
            self.add(text[start:end], start, end)

    def add(self, part: str, start: int, end: int) -> None:
        """Append the normalised form of the original at `[start, end)`."""
        if not part:
            return
        size = end - start
        if len(part) != size:
            self._close()
            self._segments.append((self._length, start, size))
        elif self._open and self._open[1] + self._open[2] == start:
            self._open = (self._open[0], self._open[1], self._open[2] + size)
        else:
            self._close()
            self._open = (self._length, start, size)
        self._parts.append(part)
        self._length += len(part)

    def optional_hyphen(self) -> None:
        self._hyphens.append(self._length)

    def result(self) -> Normalised:
        self._close()
        return Normalised("".join(self._parts), self._segments, frozenset(self._hyphens))

    def _close(self) -> None:
        if self._open:
            self._segments.append(self._open)
            self._open = None


def _replace(written: _Written, match: re.Match[str], text: str, table: dict[str, str]) -> None:
    """Write the replacement for one match."""
    start, end = match.span()
    match match.lastgroup:
        case "optional":
            written.optional_hyphen()
        case "firm":
            written.add("-", start, start + 1)
        case "blank":
            written.add("" if _INVISIBLE_ONLY.fullmatch(text, start, end) else " ", start, end)
        case "numeric":
            _write_numeric(written, text, start, end)
        case "cluster":
            cluster = text[start:end]
            composed = unicodedata.normalize("NFKC", _INVISIBLE_ONLY.sub("", cluster))
            written.add(composed.translate(_ALIKE), start, end)
        case "single":
            for offset in range(start, end):
                written.add(table[text[offset]], offset, offset + 1)
        case _:  # drop spaces inside CJK text
            pass


def _write_numeric(written: _Written, text: str, start: int, end: int) -> None:
    """Write exponents, fractions and note marks; next to a digit they stay, so that 10² is not 102."""
    touches = (start > 0 and text[start - 1].isdecimal()) or (end < len(text) and text[end].isdecimal())
    for offset in range(start, end):
        char = text[offset]
        written.add(char if touches else _compatible(char), offset, offset + 1)


def _compatible(char: str) -> str:
    """Return the compatibility form of one character, or the character itself if that form contains a space."""
    form = unicodedata.normalize("NFKC", char.translate(_ALIKE)).translate(_ALIKE)
    return char if " " in form else form


def _rules(text: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern for what normalisation may change in a text, and the replacements of single characters."""
    if text.isascii():
        return _ASCII, {}
    joining, numeric, single = [], [], {}
    for char in sorted(set(text)):
        if char.isascii() or char.isspace() or _INVISIBLE_ONLY.fullmatch(char):
            continue
        if _joins(char):
            joining.append(char)
        elif _compatible(char) != char:
            if _is_numeric_mark(char):
                numeric.append(char)
            else:
                single[char] = _compatible(char)
    of_cjk = [_INNER_BLANK_OF_CJK] if max(text) >= _CJK[0] else []  # slow to compile
    rules = [_OPTIONAL_HYPHEN, _FIRM_HYPHEN, *of_cjk]
    if joining:
        marks = _class(joining)
        rules.append(rf"(?P<cluster>[^\s{_INVISIBLE}]?{marks}+)")
    rules.append(_BLANK)
    if numeric:
        rules.append(f"(?P<numeric>{_class(numeric)}+)")
    if single:
        rules.append(f"(?P<single>{_class(single)}+)")
    return re.compile("|".join(rules)), single


def _is_numeric_mark(char: str) -> bool:
    """Return True if a character changes an adjacent number: exponents with their signs, fractions, note marks."""
    raised = unicodedata.decomposition(char).startswith(("<super>", "<sub>"))
    return unicodedata.category(char) == "No" or (raised and not char.isalpha())


def _class(chars: Iterable[str]) -> str:
    return f"[{re.escape(''.join(chars))}]"


def _joins(char: str) -> bool:
    """Return True if NFKC can merge a character with the previous one: accents, vowel signs, Hangul parts."""
    return (
        unicodedata.category(char)[0] == "M"
        or "\u1160" <= char <= "\u11ff"
        or "\uff9e" <= char <= "\uffdc"
        or unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) != 0
    )


def one_line(text: str) -> str:
    """Return the text with each run of whitespace replaced by one space, and without whitespace at its ends."""
    return " ".join(text.split())


def with_european_digits(text: str) -> str:
    """Return the text of the same length with European digits in place of Arabic and Persian ones."""
    return text if text.isascii() else text.translate(_EUROPEAN_DIGITS)
