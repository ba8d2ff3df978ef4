"""Compares text with known answers: exact match, and precision, recall and F1 of its words. Pure. There are two
definitions of a word: SQUAD for answers from investigations, and PARLAI for grading by dialogue teachers.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_ASCII_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def tokens(text: str) -> list[str]:
    """Return the words of the text as SQuAD compares them: in lower case, without punctuation or English articles
    (Rajpurkar et al. 2016). In addition, characters are normalised (NFKC), punctuation of all scripts is removed, and
    each character of a script without spaces is a word.
    """
    bare = "".join(char for char in unicodedata.normalize("NFKC", text).lower() if not _is_punctuation(char))
    return _UNSPACED.sub(lambda found: f" {found.group()} ", _ARTICLES.sub(" ", bare)).split()


def normalize_answer(text: str) -> str:
    """Return the text as ParlAI compares it: in lower case, without articles, and with words separated by one space.
    ASCII punctuation becomes a space, so "don't" is two words; other punctuation (curly quotes, 。) is kept.
    """
    return " ".join(_ARTICLES.sub(" ", _ASCII_PUNCTUATION.sub(" ", text.lower())).split())


class Definition(NamedTuple):
    """Defines how texts are split into words for comparison, and the F1 of two texts without words."""

    words: Callable[[str], list[str]]
    both_empty: float


SQUAD = Definition(tokens, 1.0)
PARLAI = Definition(lambda text: normalize_answer(text).split(), 0.0)


@dataclass(frozen=True)
class Overlap:
    """Precision, recall and F1 (0..1): the fraction of the guess that is right, the fraction of the answer that the
    guess contains, and their harmonic mean.
    """

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0

    @classmethod
    def of(cls, same: int, in_guess: int, in_answer: int) -> Overlap:
        """Compute precision, recall and F1 from three word counts: words shared by both texts, in the guess, and in the
        answer. All are 0 if the texts share no words.
        """
        return cls(same / in_guess, same / in_answer, 2 * same / (in_guess + in_answer)) if same else cls()

    @classmethod
    def of_bags(cls, guess: Counter[str], answer: Counter[str]) -> Overlap:
        """Compute precision, recall and F1 for two bags of words; a repeated word counts as often as it occurs in
        both.
        """
        return cls.of((guess & answer).total(), guess.total(), answer.total())

    @classmethod
    def best(cls, overlaps: Sequence[Overlap]) -> Overlap:
        """Return the best precision, recall and F1, possibly from different answers; 0 if there are no answers."""
        figures = [(one.precision, one.recall, one.f1) for one in overlaps]
        return cls(*map(max, zip(*figures, strict=True))) if figures else cls()


def word_overlap(guess: str, answers: Iterable[str], by: Definition = SQUAD) -> Overlap:
    """Return the precision, recall and F1 of the guess's words, each for the answer that gives the highest value."""
    said = Counter(by.words(guess))
    wanted = [Counter(by.words(answer)) for answer in answers]
    nothing = Overlap(by.both_empty, by.both_empty, by.both_empty)
    return Overlap.best([Overlap.of_bags(said, one) if said or one else nothing for one in wanted])


def token_f1(text: str, answers: Sequence[str]) -> float:
    """Return the F1 (0..1) of the words that the text shares with the most similar known answer."""
    return word_overlap(text, answers, SQUAD).f1


def exact_match(text: str, answers: Iterable[str], by: Definition = SQUAD) -> bool:
    """Return True if the text equals one of the known answers."""
    said = by.words(text)
    return any(by.words(answer) == said for answer in answers)


def contains_answer(text: str, answers: Sequence[str]) -> bool:
    """Return True if the text contains the words of a known answer consecutively."""
    said = f" {' '.join(tokens(text))} "
    wanted = (tokens(answer) for answer in answers)
    return any(f" {' '.join(words)} " in said for words in wanted if words)


def number_recall(text: str, numbers: Sequence[str]) -> float:
    """Return the fraction (0..1) of the known numbers that the text contains; thousands separators are ignored."""
    said = _numbers(text)
    wanted = [_numbers(number) for number in numbers]
    return sum(bool(number) and number <= said for number in wanted) / len(wanted) if wanted else 0.0


def _numbers(text: str) -> set[str]:
    return {found.replace(",", "") for found in _NUMBER.findall(unicodedata.normalize("NFKC", text))}


def _is_punctuation(char: str) -> bool:
    return char in string.punctuation or unicodedata.category(char).startswith("P")
