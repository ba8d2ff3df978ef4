"""Compares text with known answers and known evidence: words, exact match, numbers by value, and F1. Pure. There are
two definitions of a word: SQUAD for answers from investigations, and PARLAI for grading by dialogue teachers.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from investigator.language.amounts import Amount, amounts, prepared
from investigator.language.normalise import normalise

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_ASCII_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_DIGITS = re.compile(r"\d[\d.,]*\d|\d")
_SHARED, _FEWEST = 0.8, 5  # share of the shorter text's words that evidence and quote share, and how many it needs


def tokens(text: str) -> list[str]:
    """Return the words of the text as SQuAD compares them: in lower case, without punctuation or English articles
    (Rajpurkar et al. 2016). In addition, characters are normalised (NFKC), punctuation of all scripts is removed, and
    each character of a script without spaces is a word.
    """
    plain = _ASCII_PUNCTUATION.sub("", unicodedata.normalize("NFKC", text).lower())
    bare = "".join(char for char in plain if not unicodedata.category(char).startswith("P"))
    return _UNSPACED.sub(lambda match: f" {match.group()} ", _ARTICLES.sub(" ", bare)).split()


def normalize_answer(text: str) -> str:
    """Return the text as ParlAI compares it: in lower case, without articles; ASCII punctuation separates words."""
    return " ".join(_ARTICLES.sub(" ", _ASCII_PUNCTUATION.sub(" ", text.lower())).split())


def plain(text: str) -> str:
    """Return the text with typography, line breaks and case normalised."""
    return normalise(text).text.strip().lower()


class Definition(NamedTuple):
    """Defines how texts are split into words for comparison, and the F1 of two texts without words."""

    words: Callable[[str], list[str]]
    both_empty: float


SQUAD = Definition(tokens, 1.0)
PARLAI = Definition(lambda text: normalize_answer(text).split(), 0.0)


@dataclass(frozen=True)
class Overlap:
    """Precision, recall and F1 (0..1) of a guess against an answer."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0

    @classmethod
    def of(cls, same: int, in_guess: int, in_answer: int) -> Overlap:
        """Compute the figures from the numbers of words that both texts share, in the guess, and in the answer."""
        return cls(same / in_guess, same / in_answer, 2 * same / (in_guess + in_answer)) if same else cls()

    @classmethod
    def of_bags(cls, guess: Counter[str], answer: Counter[str]) -> Overlap:
        """Compute the figures of two bags of words; a repeated word counts as often as it occurs in both."""
        return cls.of((guess & answer).total(), guess.total(), answer.total())

    @classmethod
    def best(cls, overlaps: Sequence[Overlap]) -> Overlap:
        """Return the best precision, recall and F1, possibly from different answers; 0 if there are no answers."""
        figures = [(overlap.precision, overlap.recall, overlap.f1) for overlap in overlaps]
        return cls(*map(max, zip(*figures, strict=True))) if figures else cls()


def word_overlap(guess: str, answers: Iterable[str], by: Definition = SQUAD) -> Overlap:
    """Return the precision, recall and F1 of the guess's words, each for the answer that gives the highest value."""
    words = Counter(by.words(guess))
    wanted = [Counter(by.words(answer)) for answer in answers]
    nothing = Overlap(by.both_empty, by.both_empty, by.both_empty)
    return Overlap.best([Overlap.of_bags(words, bag) if words or bag else nothing for bag in wanted])


def exact_match(text: str, answers: Iterable[str], by: Definition = SQUAD) -> bool:
    """Return True if the text equals one of the known answers."""
    return by.words(text) in [by.words(answer) for answer in answers]


def contains_answer(text: str, answers: Sequence[str]) -> bool:
    """Return True if the text contains the words of a known answer consecutively."""
    spaced = f" {' '.join(tokens(text))} "
    wanted = (tokens(answer) for answer in answers)
    return any(f" {' '.join(words)} " in spaced for words in wanted if words)


def number_recall(text: str, numbers: Sequence[str]) -> float:
    """Return the fraction (0..1) of the known numbers that the text contains; thousands separators are ignored."""
    contained, *wanted = (
        {match.replace(",", "") for match in _NUMBER.findall(unicodedata.normalize("NFKC", each))}
        for each in (text, *numbers)
    )
    return sum(bool(number) and number <= contained for number in wanted) / len(wanted) if wanted else 0.0


def amounts_in(text: str) -> list[Amount]:
    """Return the numbers in a text, with their values and units."""
    return amounts(prepared(normalise(text).text))


def is_named(wanted: Amount, named: Sequence[Amount]) -> bool:
    """Return True if a number has the wanted value or the same digits: a table may have "42.1" for "42.1 million"."""
    every = [amount for whole in named for amount in (whole, *whole.parts)]
    digits = _DIGITS.findall(wanted.text)
    return any(wanted.is_said_by(amount) or digits == _bare_digits(amount.text) for amount in every)


def says(text: str, answer: str) -> bool:
    """Return True if the text contains the words of a known answer, in order. If the answer has numbers, the text must
    contain each of their values ("1.2 million" equals "1,200,000"), and the other words in any order.
    """
    wanted = amounts_in(answer)
    if not wanted:
        return contains_answer(text, [answer])
    others = prepared(normalise(answer).text)
    for start, end in sorted((amount.span for amount in wanted), reverse=True):
        others = others[:start] + " " + others[end:]
    named = amounts_in(text)
    return all(is_named(amount, named) for amount in wanted) and set(tokens(others)) <= set(tokens(text))


def holds(text: str, evidence: str) -> bool:
    """Return True if the text contains all of the evidence."""
    wanted = plain(evidence)
    return bool(wanted) and wanted in plain(text)


def overlaps(quote: str, evidence: str) -> bool:
    """Return True if one text contains the other, or 80 % of the shorter one's tokens if there are at least 5."""
    first, second = plain(quote), plain(evidence)
    if not first or not second:
        return False
    if second in first or first in second:
        return True
    shorter, longer = sorted((tokens(first), tokens(second)), key=len)
    common = (Counter(shorter) & Counter(longer)).total()
    return len(shorter) >= _FEWEST and common >= _SHARED * len(shorter)


def share_found(quotes: Sequence[str], evidence: Sequence[str]) -> float:
    """Return the fraction (0..1) of the pieces of evidence that overlap a quote."""
    return sum(any(overlaps(quote, piece) for quote in quotes) for piece in evidence) / len(evidence)


def _bare_digits(text: str) -> list[str]:
    return [] if any(character.isalpha() for character in text) else _DIGITS.findall(text)
