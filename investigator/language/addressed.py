"""Finds passages in which a document addresses a language model instead of a reader. Pure.

Such sentences ask a model to ignore its instructions, give a score, reply in certain words, or use or omit sources.
Others contain the markup of prompts, chats and replies. Quotes from such sentences may be genuine, but prove only that
the document contains them.

The rules for English and for markup are in `data/addressing_rules.toml`, and the keywords of ten further languages are
in `data/addressing_words.toml`. Their measured quality is in `data/README.md`: they find 61 % of unseen cases, so do
not rely on them alone.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from pydantic import TypeAdapter

from investigator.language.late_patterns import late
from investigator.language.lists import data_file, listed_by_section
from investigator.language.remembered import remembered
from investigator.language.sentences import sentence_spans
from investigator.language.undisguised import plain, undisguised

Span = tuple[int, int]
_Use = tuple[str, str]
"""The language of a keyword, and the purpose that the word serves."""

_HINT_DISTANCE = 250
"""Maximum number of characters between two hints that together count as a demand."""
_BASE64 = late(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{32,8000}={0,2}(?![\w+/=-])")
_TAG_CHARACTERS = late("[\U000e0020-\U000e007e]{8,}")
"""Matches invisible tag characters; flags use fewer of them."""
_UNSPACED = "\u1100"
"""Scripts from this code point on do not separate words by spaces, or join particles to words."""
_WORD = late(r"\w+")

_ALONE = "alone"
_GAP = r"""(?:[\s,'"*_()/<>\[\]#-]{1,6})"""
_SOME_WORDS = rf"(?:\\w{{1,30}}+{_GAP.replace(chr(92), chr(92) * 2)}){{0,\1}}?"
_FRAGMENT = late(r"\{([A-Z_]+)\}")

_DEMANDS = (
    ("ignore", "earlier", "rules"),
    ("ignore", "earlier", "say"),
    ("when", "you", "model"),
    ("note", "model", "colon"),
    ("give", "this", "thing", "top"),
)
"""Kinds of keywords that together make a demand if they are close together in one sentence. In languages written with
spaces, a word of the first kind must come first.
"""
_NEAR, _NEAR_UNSPACED = 80, 30  # maximum number of characters between two keywords
_UNSPACED_IN = frozenset({"zh", "ja", "ko"})
_COLON = late("[:：]")
_STOP = late(r"[.!?。！？]|\n\s*\n")


@remembered(longest=4_000, most=4_096)
def addresses_model(text: str) -> tuple[Span, ...]:
    """Return the half-open spans of the sentences that address a language model, in order and without overlap.

    Invisible or look-alike characters and Base64 do not hide them. Wordings that the rules do not cover are missed, so
    do not rely on this alone. Takes time linear in the length of the text.
    """
    folded = undisguised(text)
    hits = [folded.span(*hit) for hit in _hits(folded.text)]
    hits += [*_in_base64(text), *(tag.span() for tag in _TAG_CHARACTERS.finditer(text))]
    return tuple(_sentences(text, sorted(hits))) if hits else ()


def _hits(text: str) -> list[Span]:
    hits = list(_demands(text))
    hints: list[tuple[Span, str]] = []
    for kind, hit in _fulfilled(text):
        if kind == _ALONE:
            hits.append(hit)
        else:
            hints.append((hit, kind))
    for (first, kind), (second, other) in pairwise(sorted(hints)):
        if kind != other and second[0] - first[1] <= _HINT_DISTANCE:
            hits += [first, second]
    return hits


def _fulfilled(text: str) -> Iterator[tuple[str, Span]]:
    rules = _rules()
    for start, end in _places(text):
        for kind, then in rules[text[start:end]]:
            if match := then.match(text, end):
                yield kind, (start, match.end())


def _places(text: str) -> Iterator[Span]:
    """Yield the places where a match may begin: whole words and, in unspaced scripts, any mark or word."""
    starts = _rules()
    for word in _WORD.finditer(text):
        if word.group() in starts:
            yield word.span()
    for mark in _marks():
        at = text.find(mark)
        while at >= 0:
            yield at, at + len(mark)
            at = text.find(mark, at + 1)


class _KeyWord(NamedTuple):
    """A keyword in text: where it is, and how it is used."""

    start: int
    end: int
    kind: str


def _demands(text: str) -> Iterator[Span]:
    """Yield the places where keywords in the same language form a demand."""
    colons = [_KeyWord(*colon.span(), "colon") for colon in _COLON.finditer(text)]
    for language, words in _key_words(text).items():
        ordered = language not in _UNSPACED_IN
        reach = _NEAR if ordered else _NEAR_UNSPACED
        every = sorted([*words, *colons])
        for number, first in enumerate(every):
            stop = _STOP.search(text, first.end, first.start + reach)
            limit = stop.start() if stop else first.start + reach
            near = _until(every, number, limit)
            kinds = {word.kind for word in near}
            for demand in _DEMANDS:
                if kinds.issuperset(demand) and (first.kind == demand[0] or (not ordered and first.kind in demand)):
                    yield first.start, max(word.end for word in near if word.kind in demand)


def _until(words: Sequence[_KeyWord], number: int, limit: int) -> list[_KeyWord]:
    near = []
    while number < len(words) and words[number].end <= limit:
        near.append(words[number])
        number += 1
    return near


def _key_words(text: str) -> Mapping[str, list[_KeyWord]]:
    """Return the keywords in the folded text, grouped by language."""
    words_by_language: dict[str, list[_KeyWord]] = defaultdict(list)
    for word in _WORD.finditer(text):
        for language, kind in _uses(word.group()):
            words_by_language[language].append(_KeyWord(*word.span(), kind))
    if not text.isascii():
        for mark, (language, kind) in _unspaced_words():
            at = text.find(mark)
            while at >= 0:
                words_by_language[language].append(_KeyWord(at, at + len(mark), kind))
                at = text.find(mark, at + 1)
    return words_by_language


def _in_base64(text: str) -> Iterator[Span]:
    """Yield the positions of demands encoded in Base64."""
    for run in _BASE64.finditer(text):
        try:
            hidden = base64.b64decode(run.group().rstrip("=") + "==", altchars=b"-_" if "-" in run.group() else None)
            words = hidden.decode("utf-8")
        except (binascii.Error, ValueError):
            continue
        if _hits(undisguised(words).text):
            yield run.span()


def _sentences(text: str, hits: Sequence[Span]) -> Iterator[Span]:
    """Yield the sentences that overlap a hit; the hits must be sorted."""
    left = iter(hits)
    hit = next(left, None)
    for start, end in sentence_spans(text):
        touched = False
        while hit is not None and hit[0] < end:
            touched = touched or hit[1] > start
            if hit[1] > end:
                break
            hit = next(left, None)
        if touched:
            yield start, end


_Rules = dict[str, tuple[tuple[str, re.Pattern[str]], ...]]
_FRAGMENTS = TypeAdapter(dict[str, str])
_RULES = TypeAdapter(dict[str, tuple[tuple[str, str], ...]])


@cache
def _marks() -> tuple[str, ...]:
    return tuple(start for start in _rules() if not start.isalpha() or start >= _UNSPACED)


@cache
def _rules() -> _Rules:
    """Return the rules and their kinds, keyed by the words and marks with which they may begin."""
    read = data_file("addressing_rules")
    fragments = _FRAGMENTS.validate_python(read["fragments"])
    by_start: dict[str, list[tuple[str, re.Pattern[str]]]] = defaultdict(list)
    for kind, rules in _RULES.validate_python(read["rules"]).items():
        for starts, then in rules:
            rule = kind, _pattern(then, fragments)
            for start in starts.split():
                by_start[start].append(rule)
    return {start: tuple(rules) for start, rules in by_start.items()}


def _pattern(written: str, fragments: Mapping[str, str]) -> re.Pattern[str]:
    """Return the pattern for a rule; `addressing_rules.toml` explains the notation."""
    while _FRAGMENT.search(written):
        written = _FRAGMENT.sub(lambda name: fragments[name[1]], written)
    return late(re.sub(r"~(\d)", _SOME_WORDS, written.replace(" ", _GAP)))


@lru_cache(maxsize=50_000)
def _uses(word: str) -> tuple[_Use, ...]:
    """Return each language and purpose of a folded word, listed whole or as a prefix marked with "*"."""
    listed = _spaced_words()
    forms = (word, *(f"{word[:length]}*" for length in range(2, len(word) + 1)))
    return tuple(use for form in forms for use in listed.get(form, ()))


@cache
def _spaced_words() -> Mapping[str, Sequence[_Use]]:
    uses: dict[str, list[_Use]] = defaultdict(list)
    for word, use in _listed():
        if word < _UNSPACED:
            uses[word].append(use)
    return uses


@cache
def _unspaced_words() -> tuple[tuple[str, _Use], ...]:
    return tuple((word, use) for word, use in _listed() if word >= _UNSPACED)


def _listed() -> Iterator[tuple[str, _Use]]:
    for language, kinds in listed_by_section("addressing_words").items():
        for kind, words in kinds.items():
            for word in words:
                yield "".join(map(plain, word)), (language, kind)
