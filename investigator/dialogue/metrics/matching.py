"""How well a text matches the right answers: equal, or in how many of its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from investigator.dialogue.metrics.values import AverageMetric

_PUNCTUATION = re.compile(r"""[!"#$%&()*+,\-./:;<=>?@\[\]\\^`{|}~_']""")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalize_answer(text: str) -> str:
    """The text in lower case, without the punctuation of ASCII and without articles, its words one space apart.

    Punctuation becomes a space, so that "don't" is two words. Other punctuation (curly quotes, 。) stays, and
    letters are not unified: as ParlAI has it, which SQuAD's way differs from.
    """
    return " ".join(_ARTICLES.sub(" ", _PUNCTUATION.sub(" ", text.lower())).split())


def exact_match(guess: str, answers: Iterable[str]) -> AverageMetric:
    """1 where the guess equals one of the answers once they are normalised, else 0."""
    wanted = normalize_answer(guess)
    return AverageMetric(float(any(normalize_answer(answer) == wanted for answer in answers)))


@dataclass(frozen=True)
class Overlap:
    """The share of the guess that is right, the share of the answer that was given, and their harmonic mean."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0


def word_overlap(guess: str, answers: Iterable[str]) -> Overlap:
    """Precision, recall and F1 of the guess's words, each the best over the answers, so maybe of different answers.

    A text without words matches nothing, not even another one.
    """
    words = normalize_answer(guess).split()
    return best_overlap([overlap(Counter(words), Counter(normalize_answer(answer).split())) for answer in answers])


def overlap(guess: Counter[str], answer: Counter[str]) -> Overlap:
    """Precision, recall and F1 of two bags of tokens."""
    return overlap_of(sum((guess & answer).values()), sum(guess.values()), sum(answer.values()))


def overlap_of(same: int, in_guess: int, in_answer: int) -> Overlap:
    """Precision, recall and F1 of counts: of tokens in both, in the guess, in the answer; 0 where none is the same."""
    if not same:
        return Overlap()
    precision, recall = same / in_guess, same / in_answer
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


def best_overlap(overlaps: Sequence[Overlap]) -> Overlap:
    """Each figure's best; 0 where there are none."""
    return Overlap(
        max((one.precision for one in overlaps), default=0.0),
        max((one.recall for one in overlaps), default=0.0),
        max((one.f1 for one in overlaps), default=0.0),
    )
