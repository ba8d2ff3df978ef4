"""MultiTaskTeacher: several teachers as one, a task an episode."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import accumulate

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.reports import aggregate_named_reports
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers.base import Teacher, ends_episode
from investigator.errors import DialogueError, DialogueValueError


class MultiTaskTeacher(Teacher):
    """Asks from one teacher after the other, changing at the end of an episode.

    While training in random order, the next one is drawn, by the option `multitask_weights` (a list; those that are
    missing are 1) and the random of `seed`; otherwise they come in turn, without those whose data has ended. After the
    end of all it gives padding. Raises DialogueError where there are no teachers.
    """

    def __init__(
        self,
        opt: Mapping[str, object] | None = None,
        shared: Shared | None = None,
        *,
        teachers: Sequence[Teacher] = (),
    ) -> None:
        super().__init__(opt, shared)
        self.tasks = _copies(shared) or list(teachers)
        if not self.tasks:
            raise DialogueError("there are no teachers to ask from", hint="Name one task at least.")
        self._cum_weights = list(accumulate(_weights(self.opt, len(self.tasks))))
        self._random = random.Random(self.opt.number("seed", 0))
        self._current = -1
        self._new_task = True

    def act(self) -> Message:
        """The next example of the task whose turn it is."""
        if self._new_task:
            self._choose()
            if self.tasks[self._current].epoch_done() and not self.datatype.cycles:
                return Message.padding_example()
        act = Message.of(self.tasks[self._current].act())
        self._new_task = ends_episode(act)
        return act

    def observe(self, observation: Mapping[str, object]) -> Message:
        """The reply goes to the teacher that asked."""
        if self._current < 0:
            return Message.of(observation)
        return self.tasks[self._current].observe(observation)

    def num_examples(self) -> int | None:
        """How many examples there are in all tasks; None where one does not know."""
        return _total([task.num_examples() for task in self.tasks])

    def num_episodes(self) -> int | None:
        """How many episodes there are in all tasks; None where one does not know."""
        return _total([task.num_episodes() for task in self.tasks])

    def epoch_done(self) -> bool:
        """Whether the data of all tasks has ended."""
        return all(task.epoch_done() for task in self.tasks)

    def report(self) -> Report:
        """The metrics of each task as `task/metric`, and of all together (`aggregate_micro` pools the examples)."""
        reports = {task.id: task.report() for task in self.tasks}
        return aggregate_named_reports(reports, micro_average=self.opt.switch("aggregate_micro"))

    def reset(self) -> None:
        """Begin the data of all tasks anew."""
        for task in self.tasks:
            task.reset()
        super().reset()
        self._current, self._new_task = -1, True

    def reset_metrics(self) -> None:
        """Forget the grades of all tasks."""
        for task in self.tasks:
            task.reset_metrics()

    def share(self) -> dict[str, object]:
        """What a copy needs: what the copies of its teachers need."""
        return {**super().share(), "tasks": [task.share() for task in self.tasks]}

    def share_data(self) -> dict[str, object]:
        """What a copy that goes its own way needs, so that its teachers do too."""
        alone = [{**task.share_data(), "opt": Opt(task.opt, batchsize=1)} for task in self.tasks]
        return {**super().share_data(), "tasks": alone}

    def shutdown(self) -> None:
        """Give back what the teachers hold."""
        for task in self.tasks:
            task.shutdown()

    def _choose(self) -> None:
        if self.datatype.shuffles:
            self._current = self._random.choices(range(len(self.tasks)), cum_weights=self._cum_weights)[0]
            return
        for _ in self.tasks:
            self._current = (self._current + 1) % len(self.tasks)
            if not self.tasks[self._current].epoch_done():
                return


def _copies(shared: Shared | None) -> list[Teacher]:
    given = (shared or {}).get("tasks")
    return [_copy(each) for each in given] if isinstance(given, list) else []


def _copy(shared: Mapping[str, object]) -> Teacher:
    made_by, opt = shared["class"], shared["opt"]
    if not (isinstance(made_by, type) and issubclass(made_by, Teacher) and isinstance(opt, Mapping)):
        raise DialogueError(f"a teacher cannot be copied from {str(shared)[:80]}")
    return made_by(opt, shared)


def _weights(opt: Opt, count: int) -> list[float]:
    given = opt.get("multitask_weights") or ()
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise DialogueValueError(f"multitask_weights must be a list of numbers, it is {given!r}")
    if not all(isinstance(weight, int | float) and weight >= 0 for weight in given):
        raise DialogueValueError(f"multitask_weights must be numbers of 0 and more, they are {given!r}")
    weights = [float(weight) for weight in given[:count]]
    weights += [1.0] * (count - len(weights))
    if sum(weights) <= 0:
        raise DialogueValueError("one of multitask_weights at least must be above 0")
    return weights


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
