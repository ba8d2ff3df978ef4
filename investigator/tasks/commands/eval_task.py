"""`investigator eval task TASK`: how well an agent does at a task."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from investigator.asking.budget import BudgetSpent
from investigator.cli.ask_options import Overrides, PromptsFolder, SettingsFile, WorkspaceFolder
from investigator.cli.output import is_terminal, print_json, print_styled
from investigator.dialogue.metrics import Report, report_table
from investigator.dialogue.registry import create_agent
from investigator.dialogue.worlds import World, create_world
from investigator.errors import RunError
from investigator.tasks.commands.display import find_in_current_folder
from investigator.tasks.evaluating import evaluate
from investigator.tasks.loading import Tasks


def eval_task(
    task: Annotated[str, typer.Argument(metavar="TASK", help="For example folder:datafile=q.jsonl, or a,b for two.")],
    folder: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The documents that the agent knows.")] = None,
    agent: Annotated[
        str,
        typer.Option(metavar="NAME", help="investigator, bb3_chat, repeat_label, or your own package.module:Class."),
    ] = "investigator",
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="[ROLE=]PROVIDER:NAME", help="The language model, as for ask; repeatable."),
    ] = None,
    datafile: Annotated[Path | None, typer.Option(metavar="PATH", help="The file or folder of the data.")] = None,
    datatype: Annotated[str, typer.Option(help="train, valid or test.")] = "valid",
    num: Annotated[
        int | None, typer.Option("--num", metavar="N", min=1, help="Only the first N examples, to the next full batch.")
    ] = None,
    batchsize: Annotated[int, typer.Option(metavar="B", min=1, help="Examples that are answered at once.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON object.")] = False,
    workspace: WorkspaceFolder = None,
    prompts: PromptsFolder = None,
    settings: SettingsFile = None,
    overrides: Overrides = None,
) -> None:
    """Let an agent answer what a task asks, and print how well it did: accuracy, F1, and what else the task measures.

    Each text of the task is put to the agent, and the replies are graded by the labels. Where it is stopped, the
    figures so far are printed. Exit codes: 0 done, 4 a ceiling was reached, 1 it failed.
    """

    for named in (task, agent):
        find_in_current_folder(named)
    places = {"folder": folder, "workspace": workspace, "prompts": prompts, "settings": settings}
    told = {name: str(path) for name, path in places.items() if path is not None}
    student = create_agent({"model": agent, "engine": model or [], "set": overrides or [], **told})
    data = {} if datafile is None else {"datafile": str(datafile)}
    named_folder = {} if folder is None else {"folder": str(folder)}
    opt = {"task": task, "datatype": datatype, "batchsize": batchsize, **data, **named_folder}
    try:
        world = create_world(opt, [student], Tasks())
    except BaseException:
        student.shutdown()
        raise
    with world:
        _evaluate(world, None if num is None else -(-num // batchsize), as_json)


def _evaluate(world: World, turns: int | None, as_json: bool) -> None:

    try:
        evaluate(world, turns, on_turn=_counter(world))
    except BudgetSpent as spent:
        _show(world.report(), as_json)
        typer.echo(f"stopped({spent.reason}): the ceiling of the settings is reached", err=True)
        raise typer.Exit(4) from spent
    except (KeyboardInterrupt, RunError):
        _show(world.report(), as_json)
        raise
    _show(world.report(), as_json)


def _counter(world: World) -> Callable[[int], None]:
    """Shows on a terminal how far the evaluation is."""
    if not is_terminal(sys.stderr):
        return lambda _: None
    whole = world.num_examples()

    def show(_: int) -> None:
        sys.stderr.write(f"\r\x1b[K{world.total_exs:,}{'' if whole is None else f' of {whole:,}'} examples")
        sys.stderr.flush()

    return show


def _show(report: Report, as_json: bool) -> None:
    from rich.text import Text

    if is_terminal(sys.stderr):
        sys.stderr.write("\r\x1b[K")
    if as_json:
        print_json(json.dumps({name: float(metric) for name, metric in report.items()}, indent=2))
    elif report:
        print_styled(Text(f"{report_table(report)}\n"))
