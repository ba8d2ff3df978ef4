"""ROUGE-1, ROUGE-2 and ROUGE-L of one reply.

The measure of Lin (2004) as its Perl script counts it: words stemmed by Porter's original algorithm, the first 665
characters. The script also looks irregular forms ("went", "children") up in the lists of WordNet, which are not used
here: such a form and its base count as different words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from investigator.dialogue.metrics.matching import Overlap, best_overlap, normalize_answer, overlap, overlap_of
from investigator.language.terms import porter_stem

_LONGEST_TEXT = 665
_LONGEST_UNSTEMMED = 3
_NO_WORD = re.compile("[^a-z0-9]+")
_SPLIT_BY_TREEBANK = {
    "gimme": ("gim", "me"),
    "gonna": ("gon", "na"),
    "gotta": ("got", "ta"),
    "lemme": ("lem", "me"),
    "wanna": ("wan", "na"),
}


@dataclass(frozen=True)
class Rouge:
    """Each measure's precision, recall and F1; ROUGE as such is the recall."""

    one: Overlap
    two: Overlap
    longest: Overlap


def rouge(guess: str, answers: Iterable[str]) -> Rouge:
    """ROUGE of the guess, each figure the best over the answers; only letters and digits of ASCII are words."""
    words = _stems(guess)
    references = [_stems(answer) for answer in answers]
    return Rouge(
        best_overlap([overlap(_ngrams(words, 1), _ngrams(reference, 1)) for reference in references]),
        best_overlap([overlap(_ngrams(words, 2), _ngrams(reference, 2)) for reference in references]),
        best_overlap(
            [overlap_of(_longest_common(words, reference), len(words), len(reference)) for reference in references]
        ),
    )


def _stems(text: str) -> list[str]:
    words: list[str] = []
    for word in _NO_WORD.sub(" ", normalize_answer(text)[:_LONGEST_TEXT]).split():
        words.extend(_SPLIT_BY_TREEBANK.get(word, (word,)))
    return [porter_stem(word) if len(word) > _LONGEST_UNSTEMMED else word for word in words]


def _ngrams(words: Sequence[str], length: int) -> Counter[str]:
    return Counter(" ".join(words[start : start + length]) for start in range(len(words) - length + 1))


def _longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest sequence of words that stands in both, with gaps."""
    row = [0] * (len(second) + 1)
    for word in first:
        diagonal = 0
        for place, other in enumerate(second, start=1):
            above = row[place]
            row[place] = diagonal + 1 if word == other else max(above, row[place - 1])
            diagonal = above
    return row[-1]
