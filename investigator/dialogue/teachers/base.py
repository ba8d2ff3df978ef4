"""Defines Teacher, an agent that knows the right answers and grades replies, and FixedDialogTeacher, which asks
questions from data that does not depend on the replies.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Self

from investigator.dialogue.agents import Agent, Shared, shared_part
from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.metrics.teacher_metrics import TeacherMetrics
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.options import Opt, Options
from investigator.errors import DialogueError

PROGRESS = frozenset({"order", "stream", "chunks", "metrics"})
"""The keys of a teacher's shared state that hold its progress, not its data."""


class Teacher(Agent):
    """Asks with `act`, grades with `observe`, and reports with `report`. Options: `task` (its id), `datatype` (default
    `train`), `metrics` (a list for TeacherMetrics). Iterating over a teacher yields one pass over the data, which never
    ends if the datatype repeats them, without advancing the teacher.
    """

    def __init__(self, opt: Options = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("task", "teacher")
        self.datatype = Datatype(self.opt.text("datatype", "train"))
        self.metrics = TeacherMetrics(self.opt.text("metrics", "default"), shared_part(shared, "metrics", dict))
        self._asked: Message | None = None
        self._epoch_done = False

    def __iter__(self) -> Iterator[Message]:
        alone = self.alone()
        try:
            while not (act := Message.of(alone.act())).is_padding():
                yield act
                if alone.epoch_done():
                    return
        finally:
            alone.shutdown()

    def alone(self) -> Self:
        """Return a copy with the same data and independent progress."""
        return type(self)(Opt(self.opt, batchsize=1), self.share_data())

    def share_data(self) -> dict[str, object]:
        """Return the state for an independent copy: the result of `share` without the progress."""
        return {key: value for key, value in self.share().items() if key not in PROGRESS}

    def expect(self, question: Message) -> None:
        """Remember the question, because its labels are needed to grade the next reply."""
        self._asked = question

    def observe(self, observation: Mapping[str, object]) -> Message:
        """Grade a reply against the labels of the last question; only the first reply to a question is graded. The
        grades are stored in the reply's `metrics`.
        """
        reply = Message.of(observation)
        asked, self._asked = self._asked, None
        labels = asked.known_labels() if asked else []
        if asked and labels:
            self.metrics.evaluate_response(reply, labels)
            self.custom_evaluation(asked, labels, reply)
            if recent := self.metrics.report_recent():
                reply.force_set("metrics", recent)
                self.metrics.clear_recent()
        self.observation = reply
        return reply

    def custom_evaluation(self, teacher_action: Message, labels: list[str], model_response: Message) -> None:
        """Override this to grade a reply in other ways, with `self.metrics.add(name, metric)`."""

    def report(self) -> Report:
        """Return the metrics of all replies since the last reset, including those of copies, keyed by name."""
        return self.metrics.report()

    def reset_metrics(self) -> None:
        self.metrics.clear()

    def reset(self) -> None:
        """Start over with the first example, and forget all grades."""
        super().reset()
        self.reset_metrics()
        self._asked = None
        self._epoch_done = False

    def epoch_done(self) -> bool:
        return self._epoch_done

    def share(self) -> dict[str, object]:
        return {**super().share(), "metrics": self.metrics.share()}


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
    """A base class; subclasses implement `get`, `num_episodes` and `num_examples`. Copies take episodes in turn. Labels
    are shown while training; otherwise they are `eval_labels`, or omitted with `hide_labels`. After the end of the
    data, `act` returns padding. Options: `batchsize` (the number of copies that act together), `seed` (for the order).
    """

    def __init__(self, opt: Options = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        own = EpisodeOrder(self.datatype, self.opt.number("seed", 0))
        self.order = shared_part(shared, "order", EpisodeOrder) or own
        self._batchsize = self.opt.number("batchsize", 1)
        self._hides_labels = self.opt.switch("hide_labels")
        self.episode_idx, self.entry_idx, self._episode_done = -1, 0, True

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
        is_last = self._episode_done and self.episode_idx + self._batchsize >= episodes
        return example, is_last and not self.datatype.cycles

    def act(self) -> Message:
        example, self._epoch_done = self.next_example()
        act = example.copy()
        act.force_set("id", self.id)
        self.expect(act.copy())
        if not self.datatype.training and "labels" in act:
            labels = act.pop("labels")
            if not self._hides_labels:
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
