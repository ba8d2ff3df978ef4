"""Defines DynamicBatchWorld, whose batches are limited by their number of words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from investigator.dialogue.agents import ActsInBatches, Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.options import Opt
from investigator.dialogue.worlds.base import World
from investigator.dialogue.worlds.batch import WorldOfCopies, act_in_rows, observe_in_row
from investigator.dialogue.worlds.dialog import DialogPartnerWorld
from investigator.dialogue.worlds.multi import MultiWorld
from investigator.errors import DialogueTypeError, DialogueValueError

BUFFERED = 8
"""Number of examples read ahead for each row of a batch, so that examples of similar length can be grouped."""
STEP = 8
"""The length of an example is rounded up to a multiple of this number."""


class Growth(StrEnum):
    """The value of `dynamic_batching`: fill batches up to the limit, or only group examples of similar length."""

    FULL = "full"
    BATCHSORT = "batchsort"


class DynamicBatchWorld(WorldOfCopies):
    """The teachers of many copies read ahead, and one `batch_act` of the student answers examples of similar length. If
    `dynamic_batching` is `full`, a batch takes as many examples as fit within `(text_truncate + label_truncate) *
    batchsize` words, if each counted as the length of the longest (`truncate` is the default for both); if it is
    `batchsort`, a batch takes `batchsize` examples. The example that has waited longest is always in the next batch.

    Raises DialogueTypeError unless the world is a DialogPartnerWorld or a MultiWorld of DialogPartnerWorlds, with a
    student that acts in batches, and DialogueValueError if no truncation is given.
    """

    def __init__(
        self, opt: Mapping[str, object] | None, world: World | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, world, shared)
        parts = self.world.worlds if isinstance(self.world, MultiWorld) else [self.world]
        if not all(isinstance(part, DialogPartnerWorld) for part in parts):
            hint = "Use a DialogPartnerWorld, a MultiWorld of DialogPartnerWorlds, or a BatchWorld."
            raise DialogueTypeError(f"dynamic_batching does not work with a {type(self.world).__name__}", hint=hint)
        if not isinstance(self.world.batch_agent(1), ActsInBatches):
            hint = "Use one student with batch_act for all tasks, or omit dynamic_batching."
            raise DialogueTypeError(f"{self.world.get_agents()[1].id} cannot act in batches", hint=hint)
        self._text, self._label = _truncation(self.opt)
        self._growth = Growth(self.opt.choice("dynamic_batching", list(Growth), Growth.FULL))
        self._waiting: dict[int, Message] = {}
        self.rows = 0

    def number_of_copies(self) -> int:
        return BUFFERED * self.opt.number("batchsize", 1)

    def parley(self) -> None:
        """Run one batch: the student answers it, and its teachers observe the answers and read ahead. `rows` is the
        size of the batch. Do nothing after the end of all data. Raises the errors of BatchWorld.
        """
        self._read_ahead()
        places = self._next_batch()
        rows = [self.worlds[place] for place in places]
        if rows:
            acts = act_in_rows(rows, self.world.batch_agent(1), 1, [self._waiting.pop(place) for place in places])
            for listener in (0, 1):
                for row, act in zip(rows, acts, strict=True):
                    observe_in_row(row, listener, 1, act)
            self._read_ahead()
        self.rows = len(rows)
        self.update_counters(self.rows)

    def epoch_done(self) -> bool:
        return not self._waiting and all(row.epoch_done() for row in self.worlds)

    def reset(self) -> None:
        super().reset()
        self._waiting = {}

    def _read_ahead(self) -> None:
        """Let each teacher act if its last example was answered and its data has not ended."""
        for place, row in enumerate(self.worlds):
            if place in self._waiting or row.epoch_done():
                continue
            row.begin_turn()
            act = row.take_act(0, row.get_agents()[0].act())
            if act.is_padding():
                continue
            observe_in_row(row, 0, 0, act)
            heard = observe_in_row(row, 1, 0, act)
            self._waiting[place] = act if heard is None else heard

    def _next_batch(self) -> list[int]:
        """Return the positions of the examples to answer next."""
        if not self._waiting:
            return []
        oldest = next(iter(self._waiting))
        sizes = {place: _size(message, self._text, self._label) for place, message in self._waiting.items()}
        most = self.opt.number("batchsize", 1)
        if self._growth is Growth.BATCHSORT:
            return grown(sizes, oldest, most_rows=most)
        return grown(sizes, oldest, most_words=(self._text + self._label) * most)


def grown(
    sizes: Mapping[int, int], first: int, *, most_rows: int | None = None, most_words: int | None = None
) -> list[int]:
    """Return the keys of a batch: `first`, which is always included, and those nearest to it in size, as long as the
    batch stays within the limits. Every example counts as the size of the largest.
    """
    batch = [first]
    for place in sorted(sizes.keys() - {first}, key=lambda place: (abs(sizes[place] - sizes[first]), place)):
        rows = len(batch) + 1
        words = rows * max(sizes[place], *(sizes[each] for each in batch))
        if rows <= (most_rows or rows) and words <= (most_words or words):
            batch.append(place)
    return sorted(batch, key=lambda place: (sizes[place], place))


def _truncation(opt: Opt) -> tuple[int, int]:
    """Return the maximum number of words of a text and of a label. Raises DialogueValueError if there is no
    maximum for a text.
    """
    general = opt.number("truncate", -1)
    own = (opt.number("text_truncate", -1), opt.number("label_truncate", -1))
    text, label = (general if most < 0 else most for most in own)
    if text < 0:
        hint = "Set text_truncate or truncate to the maximum number of words of a text."
        raise DialogueValueError("dynamic_batching needs text_truncate or truncate", hint=hint)
    return text, text if label < 0 else label


def _size(example: Message, text: int, label: int) -> int:
    """Return the number of words of a truncated example, rounded up to a multiple of STEP."""
    first = next(iter(example.known_labels()), "")
    words = min(len(example.text.split()), text) + min(len(first.split()), label)
    return max(1, -(-words // STEP)) * STEP
