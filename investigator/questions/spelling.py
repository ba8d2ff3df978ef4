"""Corrects words that a folder spells differently: a missing, doubled, wrong or transposed letter."""

from __future__ import annotations

from collections.abc import Iterable

_FEWEST_LETTERS = 5
_TWO_SLIPS_FROM = 9  # letters
MOST_SLIPS = 2


def respelled(word: str, known: Iterable[tuple[str, int]]) -> str | None:
    """Return the known word of which a folded word is probably a misspelling, or None. `known` contains words with
    their frequencies; of equally similar words, the most frequent one is returned.
    """
    if len(word) < _FEWEST_LETTERS or not word.isalpha():
        return None
    most = MOST_SLIPS if len(word) >= _TWO_SLIPS_FROM else 1
    near = [
        (slips, -count, other)
        for other, count in known
        if abs(len(other) - len(word)) <= most and other.isalpha() and (slips := distance(word, other)) <= most
    ]
    return min(near)[2] if near else None


def distance(one: str, other: str) -> int:
    """Return the number of letters inserted, deleted, replaced or transposed."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]
