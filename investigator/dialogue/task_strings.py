"""Parses task strings: `squad`, `babi:task1k:1`, `beir:datafile=PATH`, several separated by commas, or `#qa` for all
tasks with that tag. Pure: it only names a module and a class, and does not import them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from investigator.dialogue.options import Opt, number_in
from investigator.errors import DialogueError, NotFoundError

OptionValue = bool | int | float | str


class TaskEntry(NamedTuple):
    """An entry in the list of tasks. Its id and its tags are short for `task`, the task string."""

    id: str
    task: str
    tags: tuple[str, ...]
    description: str


class WorldName(StrEnum):
    """The worlds that a task may define: with its teacher, for a human and a model, and for agents among themselves."""

    DEFAULT = "DefaultWorld"
    INTERACTIVE = "InteractiveWorld"
    SELF_CHAT = "SelfChatWorld"


class SplitTask(NamedTuple):
    """A task string in two parts: the task without its options, and the options."""

    task: str
    options: Mapping[str, OptionValue]


def split_task(task: str) -> SplitTask:
    """Split `key=value` parts off a task string: `babi:task1k:datatype=valid` is `babi:task1k` with one option. A `-`
    in a key means `_`, a `;` in a value means `:`, and a value becomes a boolean, a number or a string.
    """
    kept, options = [], dict[str, OptionValue]()
    for part in task.split(":"):
        key, equals, value = part.partition("=")
        if equals:
            options[key.replace("-", "_")] = _value(value.replace(";", ":"))
        else:
            kept.append(part)
    return SplitTask(":".join(kept), options)


def required_task(opt: Opt) -> str:
    """Return the task string in the options. Raises DialogueError if no task is given."""
    task = opt.text("task")
    if not task.strip(" ,"):
        raise DialogueError(
            "no task given", hint="Choose a task, such as task=squad; to list all: investigator dialogue tasks"
        )
    return task


def expanded(tasks: str, entries: Iterable[TaskEntry]) -> tuple[str, ...]:
    """Return the task strings in a comma-separated list, with `#tag` and `#id` replaced by their tasks. Case and `-`
    are ignored in tags and ids. Raises NotFoundError for an unknown tag.
    """
    listed = tuple(entries)
    names = [_tagged(task[1:], listed) if task.startswith("#") else [task] for task in tasks.split(",") if task]
    return tuple(chain.from_iterable(names))


def task_module(task: str) -> str:
    """Return the module of a single task string: a dotted name as it is, or the built-in task of this name."""
    name = task.strip().partition(":")[0]
    return name if "." in name else f"investigator.tasks.{name.lower()}"


def teacher_name(task: str) -> str:
    """Return the name of the teacher class for a single task string: `DefaultTeacher` for `babi`, `Task1kTeacher` for
    `babi:task1k`. After a dotted path the class name is used unchanged: `my_package.my_task:MyTeacher`.
    """
    name, *further = task.strip().split(":")
    teacher = further[0] if further and "=" not in further[0] else ""
    if not teacher:
        return "DefaultTeacher"
    teacher = teacher[:1].upper() + teacher[1:]
    return teacher if "." in name or "Teacher" in teacher else f"{capitalised(teacher)}Teacher"


def capitalised(name: str) -> str:
    """Return a name with underscores as the beginning of a class name: RepeatLabel for `repeat_label`."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _value(raw: str) -> OptionValue:
    if raw.lower() in ("true", "false"):
        return raw.lower() == "true"
    number = number_in(raw)
    return raw if number is None else number


def _tagged(tag: str, entries: Sequence[TaskEntry]) -> list[str]:
    wanted = _folded(tag)
    by_id = [entry.task for entry in entries if _folded(entry.id) == wanted]
    tasks = by_id or [entry.task for entry in entries if wanted in map(_folded, entry.tags)]
    if not tasks:
        tags = ", ".join(sorted({f"#{tag}" for entry in entries for tag in entry.tags}))
        raise NotFoundError(f"no task has the tag or the id #{tag}", hint=f"The tags are: {tags or 'none'}")
    return tasks


def _folded(tag: str) -> str:
    return tag.lower().replace("-", "")
