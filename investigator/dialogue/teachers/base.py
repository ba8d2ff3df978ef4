"""Defines Teacher, an agent that grades replies; FixedDialogTeacher, whose questions do not depend on them; and
MultiTaskTeacher, several teachers, one of which asks in each episode.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, Generic, Self, TypeVar

from investigator.dialogue.agents import Agent, Shared, shared_part
from investigator.dialogue.datatypes import Datatype, TaskChoice, total
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.metrics.teacher_metrics import TeacherMetrics
from investigator.dialogue.metrics.values import Report, report_of_tasks
from investigator.dialogue.options import Opt, Options
from investigator.dialogue.registry import create_agent_from_shared
from investigator.errors import DialogueError

Item = TypeVar("Item")


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
        self._question: Message | None = None
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
        data = {key: value for key, value in self.share().items() if key not in ("stream", "metrics")}
        return type(self)(Opt(self.opt, batchsize=1), data)

    def expect(self, question: Message) -> None:
        """Remember the question, because its labels are needed to grade the next reply."""
        self._question = question

    def observe(self, observation: Mapping[str, object]) -> Message:
        """Grade the first reply to the last question against its labels, and store the grades in its `metrics`."""
        reply = Message.of(observation)
        question, self._question = self._question or Message(), None
        if labels := question.known_labels():
            self.metrics.evaluate_response(reply, labels)
            self.custom_evaluation(question, labels, reply)
            reply.force_set("metrics", self.metrics.report_recent())
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
        self._question = None
        self._epoch_done = False

    def epoch_done(self) -> bool:
        return self._epoch_done

    def share(self) -> dict[str, object]:
        return {**super().share(), "metrics": self.metrics.share()}


class SharedStream(Generic[Item]):
    """The items of the iterator that `load` opens, which a teacher and its copies take in turn. Thread-safe."""

    def __init__(self, load: Callable[[], Generator[Item]]) -> None:
        self._load = load
        self._lock = Lock()
        self._items: Generator[Item] | None = None  # opened late, because a subclass may not be complete yet
        self._broken = False

    def take(self) -> Item | None:
        """Return the next item; None after the last. Raises the iterator's error, and then DialogueError."""
        with self._lock:
            if self._broken:
                hint = "Correct the data, and reset the teacher."
                raise DialogueError("the data could not be read completely", hint=hint)
            self._broken = True  # unless an item is read; an iterator that has failed would seem to have ended
            self._items = self._items or self._load()
            item = next(self._items, None)
            self._broken = False
            return item

    def close(self) -> None:
        """Close the iterator; no items are left until `restart`."""
        with self._lock:
            self._items = self._items or self._load()
            self._items.close()

    def restart(self) -> None:
        """Start again with the first item."""
        with self._lock:
            if self._items is not None:
                self._items.close()
            self._items, self._broken = None, False


class FixedDialogTeacher(Teacher):
    """A base class; subclasses implement `get`, `num_episodes` and `num_examples`. Copies take episodes in turn. Labels
    are shown while training; otherwise they are `eval_labels`, or omitted with `hide_labels`. After the end of the
    data, `act` returns padding. Options: `batchsize` (the number of copies that act together), `seed` (for the order).
    """

    def __init__(self, opt: Options = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.stream = shared_part(shared, "stream", SharedStream) or SharedStream(self.episode_stream)
        self._batchsize = self.opt.number("batchsize", 1)
        self._seed = self.opt.number("seed", 0)
        self._hides_labels = self.opt.switch("hide_labels")
        self._begin()

    def _begin(self) -> None:
        self._episode: tuple[Any, bool] | None = None
        self._entry_idx, self._episode_done = 0, True

    def episode_stream(self) -> Generator[tuple[Any, bool]]:
        """Yield each episode, here its index, and True if a pass over the data ends with it."""
        episodes = self.num_episodes()
        chance = random.Random(self._seed)
        while self.datatype.shuffles and episodes:
            yield chance.randrange(episodes), False
        while episodes:
            for index in range(episodes):
                yield index, index + self._batchsize >= episodes
            if not self.datatype.training:
                return

    def example_of(self, episode: Any, entry_idx: int) -> Message:
        """Return one example of an episode that `episode_stream` yielded."""
        return self.get(episode, entry_idx)

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
        self._entry_idx += 1
        if self._episode_done:
            self._episode, self._entry_idx = self.stream.take(), 0
        if self._episode is None:
            return Message.padding_example(), True
        episode, is_last = self._episode
        example = Message.of(self.example_of(episode, self._entry_idx))
        self._episode_done = bool(example.get(EPISODE_DONE))
        return example, self._episode_done and is_last and not self.datatype.cycles

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
        self.stream.restart()
        self._begin()

    def share(self) -> dict[str, object]:
        return {**super().share(), "stream": self.stream}


class MultiTaskTeacher(Teacher):
    """Lets one of several teachers ask, and switches teachers at the end of an episode. TaskChoice picks the next
    teacher, seeded by the `seed` option. After the end of all data, `act` returns padding.
    """

    def __init__(
        self,
        opt: Options = None,
        shared: Shared | None = None,
        *,
        teachers: Sequence[Teacher] = (),
    ) -> None:
        super().__init__(opt, shared)
        copies = map(create_agent_from_shared, shared_part(shared, "tasks", list) or [])
        self.tasks = [task for task in (*copies, *teachers) if isinstance(task, Teacher)]
        chance = random.Random(self.opt.number("seed", 0))
        self._choice = TaskChoice(self.opt, [task.num_episodes for task in self.tasks], chance)
        self._current = -1
        self._new_task = True

    def act(self) -> Message:
        if self._new_task:
            self._current = self._choice.next(self._current, lambda place: self.tasks[place].epoch_done())
            if self.tasks[self._current].epoch_done() and not self.datatype.cycles:
                return Message.padding_example()
        act = Message.of(self.tasks[self._current].act())
        self._new_task = bool(act.get(EPISODE_DONE))
        return act

    def observe(self, observation: Mapping[str, object]) -> Message:
        return self.tasks[max(self._current, 0)].observe(observation)

    def num_examples(self) -> int | None:
        return total([task.num_examples() for task in self.tasks])

    def num_episodes(self) -> int | None:
        return total([task.num_episodes() for task in self.tasks])

    def epoch_done(self) -> bool:
        return all(task.epoch_done() for task in self.tasks)

    def report(self) -> Report:
        """Return the metrics of each task (`task/metric`) and of all (`aggregate_micro` pools the examples)."""
        return report_of_tasks(((task.id, task.report()) for task in self.tasks), self.opt.switch("aggregate_micro"))

    def reset(self) -> None:
        for task in self.tasks:
            task.reset()
        super().reset()
        self._current, self._new_task = -1, True

    def reset_metrics(self) -> None:
        for task in self.tasks:
            task.reset_metrics()

    def share(self) -> dict[str, object]:
        return {**super().share(), "tasks": [task.share() for task in self.tasks]}

    def alone(self) -> Self:
        return type(self)(self.opt, teachers=[task.alone() for task in self.tasks])

    def shutdown(self) -> None:
        for task in self.tasks:
            task.shutdown()


def missing(method: str, teacher: Teacher) -> DialogueError:
    """Return the error for a teacher that does not override a required method."""
    hint = f"Implement {method} in that class."
    return DialogueError(f'"{method}" must be overridden by {type(teacher).__name__}', hint=hint)
