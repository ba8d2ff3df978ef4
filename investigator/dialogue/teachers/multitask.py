"""Defines MultiTaskTeacher, which combines several teachers, one of which asks in each episode."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Self

from investigator.dialogue.agents import Shared, shared_part
from investigator.dialogue.datatypes import TaskChoice, total
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.metrics.values import Report, report_of_tasks
from investigator.dialogue.options import Options
from investigator.dialogue.registry import create_agent_from_shared
from investigator.dialogue.teachers.base import Teacher


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
