"""Normalises text for comparison, with a map back to the original.

Two texts that differ only in typography (line breaks, kinds of quotation marks and dashes, ligatures, soft hyphens,
invisible characters) normalise to the same text; letters, digits, symbols and case are preserved.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

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

    def __init__(self, pieces: Iterable[tuple[str, int, int]]) -> None:
        """Join pieces, each with the span of the original that it stands for; an empty one is an optional hyphen."""
        self._at, self._sources, self._lengths = array("q"), array("q"), array("q")
        parts, hyphens, length, may_go_on = list[str](), list[int](), 0, False
        for part, start, end in pieces:
            if not part:
                hyphens.append(length)
                continue
            is_same_length = len(part) == end - start
            if is_same_length and may_go_on and self._sources[-1] + self._lengths[-1] == start:
                self._lengths[-1] += end - start
            else:
                self._at.append(length)
                self._sources.append(start)
                self._lengths.append(end - start)
            may_go_on = is_same_length
            parts.append(part)
            length += len(part)
        self.text = "".join(parts)
        self.optional_hyphens = frozenset(hyphens)

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
    return Normalised(_pieces(text))


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    pattern, table = _rules(text)
    done = 0
    for match in pattern.finditer(text):
        if done < match.start():
            yield text[done : match.start()], done, match.start()
        done = match.end()
        yield from _replacement(match, text, table)
    if done < len(text):
        yield text[done:], done, len(text)


def _replacement(match: re.Match[str], text: str, table: dict[str, str]) -> Iterator[tuple[str, int, int]]:
    start, end = match.span()
    match match.lastgroup:
        case "optional":
            yield "", start, end
        case "firm":
            yield "-", start, start + 1
        case "blank" if not _INVISIBLE_ONLY.fullmatch(text, start, end):
            yield " ", start, end
        case "cluster":
            composed = unicodedata.normalize("NFKC", _INVISIBLE_ONLY.sub("", match.group()))
            if composed:
                yield composed.translate(_ALIKE), start, end
        case "numeric" | "single":
            is_kept = (
                match.lastgroup == "numeric"
                and (  # next to a digit, so that 10² is not 102
                    text[start - 1 : start].isdecimal() or text[end : end + 1].isdecimal()
                )
            )
            for offset, char in enumerate(match.group(), start):
                yield char if is_kept else table.get(char) or _compatible(char), offset, offset + 1


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
