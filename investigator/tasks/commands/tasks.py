"""`investigator tasks [FILTER]` lists the tasks; `investigator display TASK` shows the examples of one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from investigator.cli.options import AsJsonLines
from investigator.cli.output import print_lines, print_styled, tell
from investigator.dialogue.messages import Message
from investigator.dialogue.task_strings import TaskEntry
from investigator.dialogue.teachers import Teacher
from investigator.reports.columns import columns
from investigator.reports.inert import inert, inert_line
from investigator.reports.schemas import Printed
from investigator.reports.wording import plural
from investigator.tasks.loading import create_teacher
from investigator.tasks.printed import ListedTask, TaskExample
from investigator.tasks.task_list import listed_tasks

_SHOWN_OF_FIELD = 200  # maximum number of characters; only texts and labels are shown in full
_OWN_LINES = frozenset({"text", "labels", "eval_labels", "label_candidates", "episode_done", "id"})


def tasks(
    wanted: Annotated[
        str, typer.Argument(metavar="[FILTER]", help="Words in the id, tags or description; #tag selects a tag.")
    ] = "",
    as_json: AsJsonLines = False,
) -> None:
    """List the tasks that can be displayed and evaluated. To use a task of your own, give its module:
    my_package.my_task.
    """
    found = [entry for entry in listed_tasks() if _fits(entry, wanted)]
    if as_json:
        print_lines(((Printed.TASK, ListedTask(**entry._asdict())) for entry in found), own=True)
    elif found:
        print_styled(columns([_row(entry) for entry in found], left=range(3)).append("\n"))
    else:
        tell(f"no task matches {wanted!r}; list all with: investigator tasks")


def _fits(entry: TaskEntry, wanted: str) -> bool:
    said = " ".join([entry.id, entry.task, *(f"#{tag}" for tag in entry.tags), entry.description]).casefold()
    return all(word in said for word in wanted.casefold().split())


def _row(entry: TaskEntry) -> tuple[str, str, str]:
    return entry.task, " ".join(f"#{tag}" for tag in entry.tags), entry.description


def display(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="Task, for example squad:datafile=dev.json, or a,b for two tasks.")
    ],
    datatype: Annotated[
        str, typer.Option(help="Part of the data: train, valid or test; append :stream to read on demand.")
    ] = ("train:ordered"),
    num: Annotated[int, typer.Option("--num", metavar="N", min=1, help="Number of examples.")] = 10,
    datafile: Annotated[
        Path | None, typer.Option(metavar="PATH", help="File or folder that contains the data.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Show the examples of a task: text, labels, number of candidates, and other fields.

    To show a task of your own, give its module, such as my_package.my_task, which may be in the current folder.
    """
    find_in_current_folder(task)
    named = {} if datafile is None else {"datafile": str(datafile)}
    teacher = create_teacher({"task": task, "datatype": datatype, **named})
    try:
        examples = list(islice(teacher, num))
        if as_json:
            print_lines((Printed.EXAMPLE, _record_of(example)) for example in examples)
        else:
            print_styled(examples_text(examples))
            tell(_size(teacher))
    finally:
        teacher.shutdown()


def find_in_current_folder(task: str) -> None:
    """If a task string names a module, add the current folder to the end of the import path, where installed modules
    take precedence.
    """
    folder = os.getcwd()
    if any("." in each.partition(":")[0] for each in task.split(",")) and folder not in sys.path:
        sys.path.append(folder)


def examples_text(examples: Sequence[Message]) -> Text:
    """Return examples as text, with a line at the beginning of each episode."""
    shown, begins = Text(), True
    for example in examples:
        if begins:
            shown.append(f"- - - new episode: {_folded(example.get('id', ''))} - - -\n", style="dim")
        shown.append(_example(example))
        begins = bool(example.get("episode_done"))
    return shown


def _example(example: Message) -> Text:
    lines = Text(f"{inert(example.text)}\n")
    for name in ("labels", "eval_labels"):
        if name in example:
            lines.append(f"  {name}: {' | '.join(inert(label) for label in _texts(example[name]))}\n", style="bold")
    if "label_candidates" in example:
        lines.append(f"  label_candidates: {len(_texts(example['label_candidates'])):,}\n")
    for name, value in example.items():
        if name not in _OWN_LINES:
            lines.append(f"  {_folded(name)}: {_folded(value)}\n", style="dim")
    return lines


def _size(teacher: Teacher) -> str:
    episodes, examples = teacher.num_episodes(), teacher.num_examples()
    if episodes is None or examples is None:
        return "number of examples unknown"
    return f"{teacher.id}: {plural(episodes, 'episode')} with {plural(examples, 'example')}"


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(each) for each in value] if isinstance(value, Sequence | frozenset | set) else [str(value)]


def _folded(value: object) -> str:
    return inert_line(
        value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False), _SHOWN_OF_FIELD
    )


def _record_of(example: Message) -> TaskExample:
    return TaskExample.model_validate(_plain(example.json_safe_payload()))


def _plain(value: object) -> object:
    """Return a value in JSON form; images and other objects become descriptions."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
