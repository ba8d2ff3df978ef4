"""Defines FixedDialogTeacher, which asks questions from data that does not depend on the replies."""

from __future__ import annotations

import random
from collections.abc import Mapping
from threading import Lock

from investigator.dialogue.agents import Shared
from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.teachers.base import Teacher
from investigator.errors import DialogueError


class EpisodeOrder:
    """Picks the next episode for a teacher and its copies, which share a single order. Thread-safe."""

    def __init__(self, datatype: Datatype, seed: int) -> None:
        self._datatype = datatype
        self._random = random.Random(seed)
        self._lock = Lock()
        self._last = -1

    def next(self, episodes: int) -> int:
        """Return the index of the next episode; if the data has ended, the index is beyond the last episode."""
        with self._lock:
            if self._datatype.shuffles and episodes:
                return self._random.randrange(episodes)
            self._last += 1
            if self._datatype.training and episodes:
                self._last %= episodes
            return self._last

    def restart(self) -> None:
        """Start again with the first episode."""
        with self._lock:
            self._last = -1


class FixedDialogTeacher(Teacher):
    """A base class; subclasses implement `get`, `num_episodes` and `num_examples`. Copies share the data and take
    episodes in turn. Labels are shown while training; otherwise they are moved to `eval_labels`, or omitted with the
    `hide_labels` option. After the end of the data, or if there is no data, `act` returns padding. Further options:
    `batchsize` (the number of copies that act together) and `seed` (for the random order).
    """

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        common = (shared or {}).get("order")
        own = EpisodeOrder(self.datatype, self.opt.number("seed", 0))
        self.order = common if isinstance(common, EpisodeOrder) else own
        self.episode_idx = -1
        self.entry_idx = 0
        self._episode_done = True

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        """Return one example, with `episode_done` true at the end of an episode. To be overridden."""
        raise missing("get", self)

    def num_episodes(self) -> int:
        """Return the number of episodes. To be overridden."""
        raise missing("num_episodes", self)

    def num_examples(self) -> int:
        """Return the number of examples. To be overridden."""
        raise missing("num_examples", self)

    def next_example(self) -> tuple[Message, bool]:
        """Return the next example, and True if a pass over the data ends with it."""
        episodes = self.num_episodes()
        if self._episode_done:
            self.episode_idx, self.entry_idx = self.order.next(episodes), 0
        else:
            self.entry_idx += 1
        if self.episode_idx >= episodes:
            return Message.padding_example(), True
        example = Message.of(self.get(self.episode_idx, self.entry_idx))
        self._episode_done = bool(example.get(EPISODE_DONE))
        is_last = self._episode_done and self.episode_idx + self.opt.number("batchsize", 1) >= episodes
        return example, is_last and not self.datatype.cycles

    def act(self) -> Message:
        example, self._epoch_done = self.next_example()
        act = example.copy()
        act.force_set("id", self.id)
        self.expect(act.copy())
        if not self.datatype.training and "labels" in act:
            labels = act.pop("labels")
            if not self.opt.switch("hide_labels"):
                act.force_set("eval_labels", labels)
        return act

    def reset(self) -> None:
        """Start over with the first episode, for all copies, and forget all grades."""
        super().reset()
        self.order.restart()
        self.episode_idx, self.entry_idx, self._episode_done = -1, 0, True

    def share(self) -> dict[str, object]:
        return {**super().share(), "order": self.order}


def missing(method: str, teacher: Teacher) -> DialogueError:
    """Return the error for a teacher that does not override a required method."""
    return DialogueError(
        f'"{method}" must be overridden by {type(teacher).__name__}', hint=f"Implement {method} in that class."
    )
