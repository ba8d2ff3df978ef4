"""MultiTaskTeacher: several teachers as one, a task an episode."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.reports import aggregate_named_reports
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.options import Opt
from investigator.dialogue.task_choice import TaskChoice, total
from investigator.dialogue.teachers.base import Teacher, ends_episode
from investigator.errors import DialogueError


class MultiTaskTeacher(Teacher):
    """Asks from one teacher after the other, changing at the end of an episode.

    TaskChoice says which one is next; its chance comes from the option `seed`. After the end of all data it gives
    padding. Raises DialogueError if there are no teachers.
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
        chance = random.Random(self.opt.number("seed", 0))
        self._choice = TaskChoice(
            self.opt, len(self.tasks), lambda: [task.num_episodes() for task in self.tasks], chance
        )
        self._current = -1
        self._new_task = True

    def act(self) -> Message:
        """Return the next example of the task whose turn it is."""
        if self._new_task:
            self._current = self._choice.next(self._current, lambda place: self.tasks[place].epoch_done())
            if self.tasks[self._current].epoch_done() and not self.datatype.cycles:
                return Message.padding_example()
        act = Message.of(self.tasks[self._current].act())
        self._new_task = ends_episode(act)
        return act

    def observe(self, observation: Mapping[str, object]) -> Message:
        """Return the reply goes to the teacher that asked."""
        if self._current < 0:
            return Message.of(observation)
        return self.tasks[self._current].observe(observation)

    def num_examples(self) -> int | None:
        """Return the number of examples in all tasks; None if one does not know."""
        return total([task.num_examples() for task in self.tasks])

    def num_episodes(self) -> int | None:
        """Return the number of episodes in all tasks; None if one does not know."""
        return total([task.num_episodes() for task in self.tasks])

    def epoch_done(self) -> bool:
        """Return True if the data of all tasks has ended."""
        return all(task.epoch_done() for task in self.tasks)

    def report(self) -> Report:
        """Return the metrics by task (`task/metric`) and of all together (`aggregate_micro` pools the examples)."""
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
        """Return what a copy needs: what the copies of its teachers need."""
        return {**super().share(), "tasks": [task.share() for task in self.tasks]}

    def share_data(self) -> dict[str, object]:
        """Return what a copy that goes its own way needs, so that its teachers do too."""
        alone = [{**task.share_data(), "opt": Opt(task.opt, batchsize=1)} for task in self.tasks]
        return {**super().share_data(), "tasks": alone}

    def shutdown(self) -> None:
        """Give back what the teachers hold."""
        for task in self.tasks:
            task.shutdown()


def _copies(shared: Shared | None) -> list[Teacher]:
    given = (shared or {}).get("tasks")
    return [_copy(each) for each in given] if isinstance(given, list) else []


def _copy(shared: Mapping[str, object]) -> Teacher:
    made_by, opt = shared["class"], shared["opt"]
    if not (isinstance(made_by, type) and issubclass(made_by, Teacher) and isinstance(opt, Mapping)):
        raise DialogueError(f"a teacher cannot be copied from {str(shared)[:80]}")
    return made_by(opt, shared)
