"""`investigator dialogue tasks [TASK]` lists the tasks, shows the examples of one, or measures an agent on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
from investigator.tasks.commands.eval_task import AgentOptions, find_in_current_folder
from investigator.tasks.loading import create_teacher
from investigator.tasks.printed import ListedTask, TaskExample
from investigator.tasks.task_list import listed_tasks

_SHOWN = 10
_SHOWN_OF_FIELD = 200  # maximum number of characters; only texts and labels are shown in full
_OWN_LINES = frozenset({"text", "labels", "eval_labels", "label_candidates", "episode_done", "id"})


def tasks(
    student: AgentOptions,
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="Task, for example squad:datafile=dev.json, or a,b for two tasks.")
    ] = "",
    datatype: Annotated[
        str,
        typer.Option(
            help="Part of the data: train, valid or test; append :stream to read on demand. By default, train:ordered "
            "is shown, and an agent is measured on valid."
        ),
    ] = "",
    num: Annotated[
        int | None,
        typer.Option("--num", metavar="N", min=1, help="Number of examples: by default, show 10, and measure on all."),
    ] = None,
    datafile: Annotated[
        Path | None, typer.Option(metavar="PATH", help="File or folder that contains the data.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """List the shipped tasks; show the examples of one; or, with --agent or --model, let an agent do it.

    An example has a text, labels, the number of candidates, and other fields. An agent gets each text, and its replies
    are graded by the labels: accuracy, F1 and other measures. If you interrupt the command, it prints the results so
    far. To name a task of your own, give its module, such as my_package.my_task, which may be in the current folder.
    Exit codes with an agent: 0 done, 4 a limit was reached, 1 the evaluation failed.
    """
    data = {} if datafile is None else {"datafile": str(datafile)}
    if datatype:
        data["datatype"] = datatype
    if student.agent or student.common.model:
        if not task:
            raise UserError("an agent needs a task", hint="For example: investigator dialogue tasks squad --agent NAME")
        student.measure(task, data, num, as_json=as_json)
        return
    unused = [*student.given, *(["--folder"] if student.folder else []), *(["--batchsize"] * (student.batchsize > 1))]
    if unused:
        raise UserError(f"{' and '.join(unused)}: only an agent can use this", hint="Name one with --agent NAME.")
    if task:
        _show(task, data, num or _SHOWN, as_json=as_json)
        return
    for option, given in {"--datatype": datatype, "--num": num, "--datafile": datafile}.items():
        if given:
            hint = f"Name a task, for example: investigator dialogue tasks squad {option} {given}"
            raise UserError(f"{option} needs a TASK", hint=hint)
    entries = listed_tasks()
    if as_json:
        print_lines(((Printed.TASK, ListedTask(**entry._asdict())) for entry in entries), own=True)
    else:
        rows = [(entry.task, " ".join(f"#{tag}" for tag in entry.tags), entry.description) for entry in entries]
        print_styled(columns(rows, left=range(3)).append("\n"))


def _show(task: str, data: Mapping[str, str], num: int, *, as_json: bool) -> None:
    find_in_current_folder(task)
    teacher = create_teacher({"task": task, "datatype": "train:ordered", **data})
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
