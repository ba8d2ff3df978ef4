"""Finds and creates the teacher that a task string names."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from investigator.dialogue.options import Opt
from investigator.dialogue.registry import load_class
from investigator.dialogue.task_strings import (
    OWN_TASKS,
    TaskEntry,
    expanded,
    required_task,
    split_task,
    teacher_place,
    with_task_options,
    world_place,
)
from investigator.dialogue.teachers import MultiTaskTeacher, Teacher
from investigator.dialogue.worlds import World, default_world
from investigator.errors import UnknownTaskError
from investigator.plugins import found
from investigator.tasks.file_teacher import FileTeacher
from investigator.tasks.task_list import PLUG_INS, TASK_LIST, listed_tasks, plugged_in


class Tasks:
    """Finds the classes that task strings name: of built-in tasks, of tasks that other packages add
    (`investigator.tasks`), or of any module by a dotted path. `entries` are the tasks that tags refer to, by default
    all; `pattern` and `worlds` are the patterns of the modules of built-in tasks.
    """

    def __init__(
        self, entries: Sequence[TaskEntry] | None = None, pattern: str = OWN_TASKS, worlds: str | None = None
    ) -> None:
        self._entries = entries
        self._pattern = pattern
        self._worlds = worlds or pattern

    def ids(self, task: str | None) -> list[str]:
        """Split a task string into single task strings. Raises DialogueError, UnknownTaskError."""
        entries = self._entries
        if entries is None:
            entries = listed_tasks() if "#" in (task or "") else ()
        return list(expanded(task, entries))

    def teacher_class(self, task: str) -> type[Teacher]:
        """Return the class named by a single task string. Raises UnknownTaskError, with the teachers of the task or the
        tasks with similar names, if the class does not exist.
        """
        place = teacher_place(task, _module_of(task) or self._pattern)
        try:
            return load_class([place], Teacher, sought=f"task {task.strip()}")
        except UnknownTaskError as error:
            names = [entry.task.partition(":")[0] for entry in self._entries or TASK_LIST]
            near = get_close_matches(_name_of(task), [*names, *found(PLUG_INS)], n=3)
            hint = f"Did you mean {' or '.join(near)}?" if near else ""
            if teachers := _teachers_in(place.module):
                hint = f"{place.module} has {', '.join(teachers)}"
            raise UnknownTaskError(error.message, hint=hint) from error

    def teacher(self, opt: Mapping[str, object]) -> Teacher:
        """Return the teacher for the task in the options, or a MultiTaskTeacher if there are several tasks. Options in
        the task string override all other options. Raises DialogueError if there is no task, an option is missing, or
        the string of a shipped task has an unknown option, UnknownTaskError, and the teacher's errors about its data.
        """
        options = Opt.of(opt)
        tasks = self.ids(required_task(options))
        if len(tasks) > 1:
            return MultiTaskTeacher({**options, "task": ",".join(tasks)}, teachers=self._teachers(options, tasks))
        own = with_task_options({**options, "task": tasks[0].strip()})
        kind = self.teacher_class(own.text("task"))
        if issubclass(kind, FileTeacher):
            kind.check(split_task(tasks[0].strip()))
        return kind(own)

    def world_class(
        self, task: str, number_of_agents: int | None, *, interactive: bool = False, self_chat: bool = False
    ) -> type[World] | None:
        """Return the class of the world that a task defines, otherwise the default one; None for None."""
        pattern = _module_of(task) or self._worlds
        place = world_place(task, interactive=interactive, self_chat=self_chat, pattern=pattern)
        try:
            return load_class([place], World, sought=f"world of {task.strip()}")
        except UnknownTaskError:
            return None if number_of_agents is None else default_world(number_of_agents)

    def _teachers(self, options: Opt, tasks: Sequence[str]) -> list[Teacher]:
        """Return the teachers for several tasks. If teachers have the same id, their task strings become their ids."""
        teachers = [self.teacher({**options, "task": task}) for task in tasks]
        names = Counter(teacher.id for teacher in teachers)
        for teacher, task in zip(teachers, tasks, strict=True):
            teacher.id = task.strip() if names[teacher.id] > 1 else teacher.id
        return teachers


def _name_of(task: str) -> str:
    return task.strip().partition(":")[0].lower()


def _module_of(task: str) -> str:
    """Return the module of a task from another package; "" if no package adds it."""
    name = _name_of(task)
    point = None if "." in name else plugged_in(name)
    return point.module if point is not None else ""


def _teachers_in(module: str) -> list[str]:
    """Return the names of the teachers defined in a module, if it is loaded."""
    kinds = vars(sys.modules[module]).values() if module in sys.modules else ()
    own = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Teacher) and kind.__module__ == module]
    return sorted(kind.__name__ for kind in own)


def create_teacher(opt: Mapping[str, object]) -> Teacher:
    """Return the teacher for the task in the options, or a MultiTaskTeacher for several. See `Tasks.teacher`."""
    return Tasks().teacher(opt)
