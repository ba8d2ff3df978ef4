"""Picks the next of several tasks: at random by weight while training in random order, and otherwise in turn."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Literal

from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.options import Opt
from investigator.errors import DialogueValueError

Weights = Literal["stochastic"] | tuple[float, ...]
"""The weights of several tasks; `stochastic` weights each task by its number of episodes."""


def multitask_weights(text: str) -> Weights:
    """Parse the weights of several tasks: `stochastic`, or numbers separated by commas.

    Raises DialogueValueError if they are neither, or a number is below 0.
    """
    if text == "stochastic":
        return "stochastic"
    try:
        weights = tuple(float(weight) for weight in text.split(","))
    except ValueError:
        weights = ()
    if not weights or not all(math.isfinite(weight) and weight >= 0 for weight in weights):
        hint = "Give each task a weight of 0 or more: multitask_weights=1,2. Or write multitask_weights=stochastic"
        raise DialogueValueError(f"the weights of the tasks cannot be read: {text[:80]!r}", hint=hint)
    return weights


def cumulative_weights(weights: Weights, episodes: Sequence[int]) -> tuple[float, ...]:
    """Return running totals of the weights, one for each task; a task without a weight has the weight 1. `episodes`
    contains the number of episodes of each task.
    """
    if weights == "stochastic":
        return tuple(accumulate(episodes))
    return tuple(accumulate((*weights, *[1] * len(episodes))[: len(episodes)]))


class TaskChoice:
    """Chooses among the tasks of a MultiWorld or a MultiTaskTeacher.

    While training in random order, tasks are drawn by the weights in the `multitask_weights` option (a list of numbers,
    or a string that the function of that name parses; default 1 each). Otherwise tasks are taken in turn, skipping
    those whose data has ended. `episodes` returns the number of episodes of each task, or None for an unknown number.
    Raises DialogueValueError if the weights are invalid, or all 0 when tasks are drawn.
    """

    def __init__(self, opt: Opt, episodes: Sequence[Callable[[], int | None]], chance: random.Random) -> None:
        written = opt.get("multitask_weights", "1")
        weights = multitask_weights(written if isinstance(written, str) else ",".join(map(str, _listed(written))))
        known = [(count() or 1) if weights == "stochastic" else 1 for count in episodes]
        self.cum_weights = cumulative_weights(weights, known)
        self._draws = Datatype(opt.text("datatype", "train")).shuffles
        self._chance = chance
        if self._draws and not self.cum_weights[-1]:
            hint = "Give at least one task a weight above 0 in multitask_weights."
            raise DialogueValueError("the weights of the tasks are all 0", hint=hint)

    def next(self, last: int, ended: Callable[[int], bool]) -> int:
        """Return the index of the task that follows `last` (-1 at the beginning), or `last` itself if all have
        ended.
        """
        count = len(self.cum_weights)
        if self._draws:
            return self._chance.choices(range(count), cum_weights=self.cum_weights)[0]
        in_turn = ((last + step) % count for step in range(1, count + 1))
        return next((place for place in in_turn if not ended(place)), max(last, 0))


def total(counts: Sequence[int | None]) -> int | None:
    """Return the sum of the counts of several tasks; None if a count is unknown."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _listed(weights: object) -> Sequence[object]:
    return weights if isinstance(weights, Sequence) else (weights,)
