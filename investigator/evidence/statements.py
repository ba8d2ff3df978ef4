"""Splits sentences into words for comparison. Numbers and dates are compared by value, and breaks between words are
kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache

from investigator.language.amounts import Amount, dates_and_amounts, prepared
from investigator.language.claim_words import joints, longest_phrase, same_words
from investigator.language.dates import Date
from investigator.language.normalise import normalise
from investigator.language.sentences import sentence_spans
from investigator.language.terms import folded, is_english, stem, stop_words

LONGEST_STATEMENT = 160
"""Maximum number of words in a sentence that is compared word by word; a longer sentence proves only its exact
words.
"""

_WORD = re.compile(
    r"(?:[^\W\d_]\.){2,}|[^\W_]+(?:'[^\W_]+)*|[<>=~%&+*/\u00b1\u2264\u2265\u2248\u00a7#@$\u20ac\u00a3\u00a5]"
)
_HAS_NUMBER = re.compile(
    r"\d|\b(?:tw|thr|fo[ur]|fi[fv]|si|se[v]|ei[gn]|ni|te|el|half|zwe|dre|vie|fün|ach|neu|zeh|zwö|hund|thous|mill|bill)",
    re.I,
)
_BREAK = re.compile(r'[,;:()\[\]"]|(?:^|\s)-(?:\s|$)')
_ISE = re.compile(r"is(e[drs]?|ing|ation|ations)$")
_NO_WORD = " ,;:.()[]\"'-!?"
_OWNER = "'s"


class StatedKind(Enum):
    """The kind of a word in a statement."""

    WORD = "word"
    NUMBER = "number"
    DATE = "date"


@dataclass(frozen=True)
class StatedWord:
    """A word, number or date in a statement.

    `keys` are the word's possible meanings: two words are the same if they share a meaning. `before` is the text
    between this word and the previous one.
    """

    text: str
    keys: frozenset[str]
    before: str = ""
    kind: StatedKind = StatedKind.WORD
    is_name: bool = False
    is_article: bool = False

    @cached_property
    def breaks(self) -> bool:
        """Return True if a comma, a bracket or a similar mark precedes the word."""
        return _BREAK.search(self.before) is not None

    def is_same(self, other: StatedWord) -> bool:
        """Return True if the two words may have the same meaning."""
        return not self.keys.isdisjoint(other.keys)

    @property
    def is_function(self) -> bool:
        """Return True if this is a function word."""
        return self.kind is StatedKind.WORD and (self.text in stop_words() or self.text == _OWNER)

    @property
    def bare(self) -> str:
        """Return the key that all forms of the word share: its meaning or stem or, for a number, its value."""
        if self.kind is not StatedKind.WORD:
            return min(self.keys).partition("|")[0]
        return next((key for key in self.keys if key[0] == "="), "") or stem(self.text)


Words = Sequence[StatedWord]


@dataclass(frozen=True)
class StatedSentence:
    """A sentence split into words."""

    text: str
    words: tuple[StatedWord, ...]

    @cached_property
    def is_english(self) -> bool:
        """Return True if the lists of English words apply to this sentence."""
        return is_english(self.text)

    @cached_property
    def known(self) -> frozenset[str]:
        """Return the meanings of all words in the sentence."""
        return frozenset().union(*(word.keys for word in self.words))

    @cached_property
    def content(self) -> frozenset[str]:
        """Return the keys of the sentence's content words; the keys of numbers omit their units."""
        return frozenset(word.bare for word in self.words if not word.is_function)


@lru_cache(maxsize=2_000)
def statements(text: str) -> tuple[StatedSentence, ...]:
    """Split the text into sentences, and each sentence into words; sentences without words are omitted."""
    found = (statement(text[start:end]) for start, end in sentence_spans(text))
    return tuple(one for one in found if one.words)


def statement(sentence: str) -> StatedSentence:
    """Split a sentence into words."""
    plain = prepared(normalise(sentence).text)
    figures = list(_figures(plain)) if _HAS_NUMBER.search(plain) else []
    return StatedSentence(plain, tuple(_joined(list(_words(plain, figures)))))


def _figures(plain: str) -> Iterator[Date | Amount]:
    """Yield the dates and numbers in the text in order, without overlaps."""
    days, numbers = dates_and_amounts(plain)
    taken, every = 0, list[Date | Amount]((*days, *numbers))
    for figure in sorted(every, key=lambda one: one.span):
        if figure.span[0] >= taken:
            yield figure
            taken = figure.span[1]


def _words(plain: str, figures: Sequence[Date | Amount]) -> Iterator[StatedWord]:
    done = 0  # end of the last word
    for figure in figures:
        start, end = figure.span
        start += plain[start] == "("  # brackets around a negative number are not part of it
        end -= plain[end - 1] == ")"
        yield from _plain_words(plain, done, start)
        keys = _date_keys(figure) if isinstance(figure, Date) else _number_keys(figure)
        kind = StatedKind.DATE if isinstance(figure, Date) else StatedKind.NUMBER
        before = plain[done:start]
        marks = before[len(before.rstrip(_NO_WORD)) :] if before else ""
        yield StatedWord(plain[start:end].strip(), keys, marks, kind)
        done = end
    yield from _plain_words(plain, done, len(plain))


def _plain_words(plain: str, start: int, end: int) -> Iterator[StatedWord]:
    """Yield the words in a stretch of text."""
    done = start
    for found in _WORD.finditer(plain, start, end):
        before = plain[done : found.start()]
        for text in _parts(found.group()):
            yield _word(text, before, is_first=found.start() == 0)
            before = ""
        done = found.end()


def _parts(written: str) -> Iterable[str]:
    """Split contractions: "didn't" into "did" and "not", "Acme's" into "Acme" and "'s"."""
    lower = written.lower()
    if lower == "n't":  # from tokenised text, such as "did n't"
        return ("not",)
    if lower.endswith("n't"):
        return ({"ca": "can", "wo": "will", "sha": "shall"}.get(lower[:-3], written[:-3]), "not")
    if lower == "cannot":
        return (written[:3], "not")
    if lower.endswith(_OWNER) and len(lower) > len(_OWNER):
        return (written[: -len(_OWNER)], _OWNER)
    return (written,)


def _word(written: str, before: str, *, is_first: bool) -> StatedWord:
    text = folded(written).rstrip(".")
    if before.endswith("'") and text == "s":  # from tokenised text, such as "Child 's Play"
        text = _OWNER
    is_article = text in joints("articles") and (is_first or written != "A")
    spelling = _ISE.sub(r"iz\1", text)
    return StatedWord(
        text,
        frozenset({text, spelling, *_number_one(text)}),
        before,
        is_name=written[0].isupper() and not is_first,
        is_article=is_article,
    )


def _number_one(text: str) -> Iterable[str]:
    return ("#1|",) if text == "one" else ()


def _joined(found: list[StatedWord]) -> Iterator[StatedWord]:
    """Add to each word the meaning that it shares with its synonyms; a phrase with one meaning becomes one word."""
    at = 0
    while at < len(found):
        size, meaning = _meaning(found, at)
        word = found[at]
        if meaning:
            text = " ".join(part.text for part in found[at : at + size])
            own = word.keys if size == 1 else frozenset({text})
            word = StatedWord(text, own | {meaning}, word.before, word.kind, word.is_name)
        yield word
        at += size


def _meaning(found: list[StatedWord], at: int) -> tuple[int, str]:
    for size in range(min(longest_phrase(), len(found) - at), 0, -1):
        phrase = tuple(part.text for part in found[at : at + size])
        if phrase in same_words() and not any(part.breaks for part in found[at + 1 : at + size]):
            return size, same_words()[phrase]
    return 1, ""


def _number_keys(amount: Amount) -> frozenset[str]:
    return frozenset(f"#{value}|{unit}" for value, unit in amount.readings) or frozenset({amount.text})


def _date_keys(date: Date) -> frozenset[str]:
    return frozenset(f"@{day.year}-{day.month}-{day.day}" for day in date.readings)
