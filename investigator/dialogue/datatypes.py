"""Defines Datatype: which part of the data to use, in which order, and whether to repeat it."""

from __future__ import annotations

import difflib
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from investigator.errors import DialogueValueError

Item = TypeVar("Item")

FOLDS = ("train", "valid", "test")
FLAGS = ("evalmode", "ordered", "stream")


@dataclass(frozen=True)
class Datatype:
    """A fold with flags, written as `train`, `train:evalmode`, `train:ordered`, `valid:stream`.

    Raises DialogueValueError if the fold is not train, valid or test, or a flag is unknown.
    """

    name: str

    def __post_init__(self) -> None:
        fold, *flags = str(self.name).split(":")
        for part, known in [(fold, FOLDS), *((flag, FLAGS) for flag in flags)]:
            if part not in known:
                near = difflib.get_close_matches(part, known, n=1)
                raise DialogueValueError(
                    f"the datatype {self.name!r} has an unknown part {part!r}",
                    hint=f"Did you mean {near[0]}?" if near else f"Choose one of {', '.join(known)}.",
                )

    @property
    def fold(self) -> str:
        """Return the fold: `train`, `valid` or `test`."""
        return self.name.partition(":")[0]

    @property
    def training(self) -> bool:
        """Return True if the labels are shown, as in training."""
        return self.fold == "train" and not self._has("evalmode")

    @property
    def streams(self) -> bool:
        """Return True if the data is read on demand instead of being held in memory."""
        return self._has("stream")

    @property
    def cycles(self) -> bool:
        """Return True if the data repeats endlessly."""
        return self.training and not self._has("ordered")

    @property
    def shuffles(self) -> bool:
        """Return True if episodes are drawn at random, with replacement."""
        return self.cycles and not self.streams

    @property
    def without_stream(self) -> str:
        """Return the name of the datatype without the `stream` flag."""
        return self.name.replace(":stream", "")

    def _has(self, flag: str) -> bool:
        return flag in self.name.split(":")


def split_by_fold(
    fold: str, data: Sequence[Item], train: float, valid: float, test: float, seed: int = 42
) -> list[Item]:
    """Return the items of one fold of data that has no predefined folds.

    The items are shuffled with the seed and then cut, so that the three folds are disjoint and cover all items. Raises
    DialogueValueError if the fractions do not add up to 1.
    """
    if not math.isclose(train + valid + test, 1.0) or min(train, valid, test) < 0:
        problem = f"the fractions of train, valid and test must add up to 1, not {train}, {valid} and {test}"
        raise DialogueValueError(problem)
    items = list(data)
    random.Random(seed).shuffle(items)
    cuts = [0, int(train * len(items)), int((train + valid) * len(items)), len(items)]
    place = FOLDS.index(Datatype(fold).fold)
    return items[cuts[place] : cuts[place + 1]]
