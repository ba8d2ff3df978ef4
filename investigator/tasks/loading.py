"""Finds and creates the teacher that a task string names."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from difflib import get_close_matches

from investigator.dialogue.options import Opt
from investigator.dialogue.registry import LIST_TASKS, load_class
from investigator.dialogue.task_strings import WorldName, expanded, required_task, split_task, task_module, teacher_name
from investigator.dialogue.teachers import MultiTaskTeacher, Teacher
from investigator.dialogue.worlds import World
from investigator.errors import NotFoundError
from investigator.plugins import plug_ins
from investigator.tasks.file_teacher import FileTeacher
from investigator.tasks.task_list import PLUG_INS, TASK_LIST, listed_tasks, plugged_in

_BASES = ("investigator.dialogue.", "investigator.tasks.file_teacher")  # modules of teachers to derive from


class Tasks:
    """Finds the classes that task strings name: of built-in tasks, of other packages, or of a module by its path."""

    def ids(self, task: str) -> list[str]:
        """Split a task string into single task strings. Raises NotFoundError for an unknown tag."""
        return list(expanded(task, listed_tasks() if "#" in task else ()))

    def teacher_class(self, task: str) -> type[Teacher]:
        """Return the class named by a single task string. Raises NotFoundError, with similar names in its hint."""
        module = _module_of(task)
        try:
            return load_class([f"{module}:{teacher_name(task)}"], Teacher, sought=f"task {task.strip()}")
        except NotFoundError as error:
            known = vars(sys.modules[module]).values() if module in sys.modules else ()
            teachers = [kind for kind in known if isinstance(kind, type) and issubclass(kind, Teacher)]
            own = sorted(kind.__name__ for kind in teachers if not kind.__module__.startswith(_BASES))
            near = get_close_matches(_name_of(task), [*(entry.task for entry in TASK_LIST), *plug_ins(PLUG_INS)], n=3)
            hint = f"Did you mean {' or '.join(near)}?" if near else LIST_TASKS
            raise NotFoundError(error.message, hint=f"{module} has {', '.join(own)}" if own else hint) from error

    def teacher(self, opt: Mapping[str, object]) -> Teacher:
        """Return the teacher for the task in the options, or a MultiTaskTeacher if there are several tasks. Options in
        the task string override all other options. Raises DialogueError if there is no task, an option is missing, or
        the string of a shipped task has an unknown option, NotFoundError, and the teacher's errors about its data.
        """
        options = Opt.of(opt)
        tasks = [task.strip() for task in self.ids(required_task(options))]
        if len(tasks) > 1:
            teachers = [self.teacher({**options, "task": task}) for task in tasks]
            return MultiTaskTeacher({**options, "task": ",".join(tasks)}, teachers=teachers)
        split = split_task(tasks[0])
        kind = self.teacher_class(split.task)
        if issubclass(kind, FileTeacher):
            kind.check(split)
        return kind({**options, **split.options, "task": split.task})

    def world_class(self, task: str, name: WorldName = WorldName.DEFAULT) -> type[World] | None:
        """Return the world class of this name that a task defines, or None."""
        try:
            return load_class([f"{_module_of(task)}:{name}"], World, sought=f"world of {task.strip()}")
        except NotFoundError:
            return None


def _name_of(task: str) -> str:
    return task.strip().partition(":")[0].lower()


def _module_of(task: str) -> str:
    """Return the module of a task, which another package may add."""
    name = _name_of(task)
    point = None if "." in name else plugged_in(name)
    return point.module if point is not None else task_module(task)


def create_teacher(opt: Mapping[str, object]) -> Teacher:
    """Return the teacher for the task in the options, or a MultiTaskTeacher for several. See `Tasks.teacher`."""
    return Tasks().teacher(opt)
