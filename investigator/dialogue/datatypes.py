"""Defines Datatype: which part of the data to use, in which order, and whether to repeat it; and TaskChoice, which
picks the next of several tasks: at random by weight while training in random order, and otherwise in turn.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Literal, TypeVar

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError

Item = TypeVar("Item")

FOLDS = ("train", "valid", "test")
FLAGS = ("evalmode", "ordered", "stream")


class Datatype:
    """A `fold` with flags, such as `train:ordered`: `training` if the labels are shown, `streams` if the data is read
    on demand, `cycles` if it repeats endlessly, `shuffles` if episodes are drawn at random, with replacement. Raises
    DialogueError if the fold or a flag is unknown.
    """

    def __init__(self, name: str) -> None:
        self.fold, *flags = str(name).split(":")
        for part, known in [(self.fold, FOLDS), *((flag, FLAGS) for flag in flags)]:
            if part not in known:
                hint = f"Choose one of {', '.join(known)}."
                raise DialogueError(f"the datatype {str(name)!r} has an unknown part {part!r}", hint=hint)
        self.training = self.fold == "train" and "evalmode" not in flags
        self.streams = "stream" in flags
        self.cycles = self.training and "ordered" not in flags
        self.shuffles = self.cycles and not self.streams
        self.without_stream = name.replace(":stream", "")


def split_by_fold(
    fold: str, data: Sequence[Item], train: float, valid: float, test: float, seed: int = 42
) -> list[Item]:
    """Return the items of one of three disjoint folds of the shuffled data, whose fractions must add up to 1."""
    if not math.isclose(train + valid + test, 1.0) or min(train, valid, test) < 0:
        problem = f"the fractions of train, valid and test must add up to 1, not {train}, {valid} and {test}"
        raise DialogueError(problem)
    items = list(data)
    random.Random(seed).shuffle(items)
    cuts = [0, int(train * len(items)), int((train + valid) * len(items)), len(items)]
    place = FOLDS.index(Datatype(fold).fold)
    return items[cuts[place] : cuts[place + 1]]


Weights = Literal["stochastic"] | tuple[float, ...]
"""The weights of several tasks; `stochastic` weights each task by its number of episodes."""


def multitask_weights(written: object) -> Weights:
    """Parse `stochastic`, or numbers, which may be separated by commas. Raises DialogueError for anything else."""
    if written == "stochastic":
        return "stochastic"
    try:
        listed = written if isinstance(written, list | tuple) else str(written).split(",")
        weights = tuple(float(weight) for weight in listed)
    except (TypeError, ValueError):
        weights = ()
    if not weights or not all(math.isfinite(weight) and weight >= 0 for weight in weights):
        hint = "Give each task a weight of 0 or more: multitask_weights=1,2. Or write multitask_weights=stochastic"
        raise DialogueError(f"the weights of the tasks cannot be read: {written!r:.80}", hint=hint)
    return weights


def cumulative_weights(weights: Weights, episodes: Sequence[int]) -> tuple[float, ...]:
    """Return running totals of the weights of tasks with these numbers of episodes; a missing weight is 1."""
    if weights == "stochastic":
        return tuple(accumulate(episodes))
    return tuple(accumulate((*weights, *[1] * len(episodes))[: len(episodes)]))


class TaskChoice:
    """Chooses among tasks: while training in random order, by the weights in the option `multitask_weights` (default 1
    each), otherwise in turn, skipping those whose data has ended. `episodes` return the numbers of episodes.
    """

    def __init__(self, opt: Opt, episodes: Sequence[Callable[[], int | None]], chance: random.Random) -> None:
        weights = multitask_weights(opt.get("multitask_weights", "1"))
        known = [(count() or 1) if weights == "stochastic" else 1 for count in episodes]
        self.cum_weights = cumulative_weights(weights, known)
        self._draws = Datatype(opt.text("datatype", "train")).shuffles
        self._chance = chance

    def next(self, last: int, ended: Callable[[int], bool]) -> int:
        """Return the index of the task after `last` (-1 at the beginning); `last` itself if all have ended."""
        count = len(self.cum_weights)
        if self._draws:
            return self._chance.choices(range(count), cum_weights=self.cum_weights)[0]
        in_turn = ((last + step) % count for step in range(1, count + 1))
        return next((place for place in in_turn if not ended(place)), max(last, 0))


def total(counts: Sequence[int | None]) -> int | None:
    """Return the sum of the counts of several tasks; None if a count is unknown."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
