"""Factual nucleus sampling: the longer a sentence, the less is left to chance (Lee et al., 2022, arXiv 2206.04624)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from math import prod

_ENDS = (".", "?", "!", "。", "？", "！")


@dataclass(frozen=True)
class Schedule:
    """How the mass of probability to draw from falls within a sentence.

    It is `p` at first, then `decay` times as much with each token, and never less than `bound`; with `reset` it begins
    anew after each sentence.
    """

    p: float
    decay: float
    bound: float
    reset: bool = True

    def share(self, ends: Sequence[bool]) -> float:
        """The mass for the next token; `ends` tells of each token so far whether it ends a sentence.

        The first token of a text or sentence and the one after it have the whole `p`.
        """
        if not ends:
            return self.p
        since = len(ends)
        if self.reset:
            since = next((n for n, is_end in enumerate(reversed(ends)) if is_end), since)
        return float(max(self.bound, prod((self.p, *repeat(self.decay, since - 1)))))


def shares(schedule: Schedule, ends: Sequence[bool]) -> list[float]:
    """The mass for each token, and the one after the last."""
    return [schedule.share(ends[:n]) for n in range(len(ends) + 1)]


def ends_sentence(token: str) -> bool:
    """Whether a token ends a sentence: it is a mark that does, or ends in one."""
    return token.strip().endswith(_ENDS)
