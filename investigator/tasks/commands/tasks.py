"""`investigator dialogue tasks [TASK]` lists the tasks, or shows the examples of one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from investigator.cli.options import AsJsonLines
from investigator.cli.output import print_lines, print_styled, tell
from investigator.dialogue.messages import Message, texts_of
from investigator.errors import UserError
from investigator.reports.columns import columns
from investigator.reports.inert import inert, inert_line
from investigator.reports.schemas import Printed
from investigator.reports.wording import plural
from investigator.tasks.loading import create_teacher
from investigator.tasks.printed import ListedTask, TaskExample
from investigator.tasks.task_list import listed_tasks

_DATATYPE, _EXAMPLES = "train:ordered", 10
_SHOWN_OF_FIELD = 200  # maximum number of characters; only texts and labels are shown in full
_OWN_LINES = frozenset({"text", "labels", "eval_labels", "label_candidates", "episode_done", "id"})


def tasks(
    task: Annotated[
        str, typer.Argument(metavar="[TASK]", help="Task, for example squad:datafile=dev.json, or a,b for two tasks.")
    ] = "",
    datatype: Annotated[
        str | None,
        typer.Option(
            help="Part of the data: train, valid or test; append :stream to read on demand.", show_default=_DATATYPE
        ),
    ] = None,
    num: Annotated[
        int | None, typer.Option("--num", metavar="N", min=1, help="Number of examples.", show_default=str(_EXAMPLES))
    ] = None,
    datafile: Annotated[
        Path | None, typer.Option(metavar="PATH", help="File or folder that contains the data.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """List the shipped tasks, or show the examples of one: text, labels, number of candidates, and other fields.

    To show a task of your own, give its module, such as my_package.my_task, which may be in the current folder.
    """
    if task:
        _show(task, datatype or _DATATYPE, num or _EXAMPLES, datafile, as_json=as_json)
        return
    for option, given in {"--datatype": datatype, "--num": num, "--datafile": datafile}.items():
        if given is not None:
            hint = f"Name a task, for example: investigator dialogue tasks squad {option} {given}"
            raise UserError(f"{option} needs a TASK", hint=hint)
    entries = listed_tasks()
    if as_json:
        print_lines(((Printed.TASK, ListedTask(**entry._asdict())) for entry in entries), own=True)
    else:
        rows = [(entry.task, " ".join(f"#{tag}" for tag in entry.tags), entry.description) for entry in entries]
        print_styled(columns(rows, left=range(3)).append("\n"))


def _show(task: str, datatype: str, num: int, datafile: Path | None, *, as_json: bool) -> None:
    find_in_current_folder(task)
    named = {} if datafile is None else {"datafile": str(datafile)}
    teacher = create_teacher({"task": task, "datatype": datatype, **named})
    try:
        examples = list(islice(teacher, num))
        if as_json:
            print_lines((Printed.EXAMPLE, TaskExample.model_validate_json(_json(each))) for each in examples)
        else:
            print_styled(_examples_text(examples))
            count = teacher.num_examples()
            size = f"{plural(teacher.num_episodes() or 0, 'episode')} with {plural(count or 0, 'example')}"
            tell("number of examples unknown" if count is None else f"{teacher.id}: {size}")
    finally:
        teacher.shutdown()


def find_in_current_folder(task: str) -> None:
    """If a task string names a module, add the current folder to the end of the import path."""
    folder = os.getcwd()
    if any("." in each.partition(":")[0] for each in task.split(",")) and folder not in sys.path:
        sys.path.append(folder)


def _examples_text(examples: Sequence[Message]) -> Text:
    """Return examples as text, with a line at the beginning of each episode."""
    shown, begins = Text(), True
    for example in examples:
        if begins:
            shown.append(f"- - - new episode: {_folded(example.get('id', ''))} - - -\n", style="dim")
        shown.append(f"{inert(example.text)}\n")
        for name in example.keys() & {"labels", "eval_labels"}:
            shown.append(f"  {name}: {' | '.join(map(inert, texts_of(example[name])))}\n", style="bold")
        if "label_candidates" in example:
            shown.append(f"  label_candidates: {len(texts_of(example['label_candidates'])):,}\n")
        for name, value in example.items():
            if name not in _OWN_LINES:
                shown.append(f"  {_folded(name)}: {_folded(value)}\n", style="dim")
        begins = bool(example.get("episode_done"))
    return shown


def _folded(value: object) -> str:
    return inert_line(value if isinstance(value, str) else _json(value), _SHOWN_OF_FIELD)


def _json(value: object) -> str:
    """Return a value, except its metrics, as JSON; images and other objects become descriptions."""
    shown = value.json_safe_payload() if isinstance(value, Message) else value
    return json.dumps(shown, ensure_ascii=False, default=_described)


def _described(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else repr(value)
