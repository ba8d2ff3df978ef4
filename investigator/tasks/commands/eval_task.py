"""`investigator dialogue eval TASK`: measures how well an agent does a task."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from investigator.asking.budget import BudgetSpent
from investigator.cli.options import AsJson, CommonOptions
from investigator.cli.output import print_record, print_styled, tell
from investigator.cli.progress import shown
from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.metrics import Report, report_table
from investigator.dialogue.registry import WITHOUT_DOCUMENTS, create_agent
from investigator.dialogue.teachers import Teacher
from investigator.dialogue.worlds import MultiWorld, World, create_world
from investigator.dialogue.worlds.composed import WorldOfCopies
from investigator.errors import DialogueError
from investigator.evaluation.folder import turns
from investigator.records import Progressed
from investigator.reports.schemas import Printed
from investigator.tasks.commands.tasks import find_in_current_folder
from investigator.tasks.loading import Tasks
from investigator.tasks.printed import TaskReport


def eval_task(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="Task, for example folder:datafile=q.jsonl, or a,b for two tasks.")
    ],
    common: CommonOptions,
    folder: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder of documents for the agent.")] = None,
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Agent: investigator, bb3_chat, repeat_label, or your own package.module:Class."
        ),
    ] = "investigator",
    datafile: Annotated[
        Path | None, typer.Option(metavar="PATH", help="File or folder that contains the data.")
    ] = None,
    datatype: Annotated[str, typer.Option(help="Part of the data: train, valid or test.")] = "valid",
    num: Annotated[
        int | None,
        typer.Option("--num", metavar="N", min=1, help="Use only the first N examples, rounded up to full batches."),
    ] = None,
    batchsize: Annotated[int, typer.Option(metavar="B", min=1, help="Number of examples answered at once.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Let an agent do a task, and print accuracy, F1 and other measures.

    The agent gets each text of the task, and its replies are graded by the labels. If you interrupt the command, it
    prints the results so far. Exit codes: 0 done, 4 a limit was reached, 1 the evaluation failed.
    """
    for name in (task, agent):
        find_in_current_folder(name)
    paths = {"workspace": common.workspace, "prompts": common.prompts}
    given = {"model": common.model, **paths, "set": common.settings.given}
    unused = " and ".join(f"--{name}" for name, value in given.items() if value)
    if unused and agent in WITHOUT_DOCUMENTS:
        hint = f"Omit {unused}, or choose an agent that reads documents: --agent investigator"
        raise DialogueError(f"the agent {agent} cannot use {unused}", hint=hint)
    places = {"folder": folder, **paths, "settings": common.settings.file}
    named = {name: str(path) for name, path in places.items() if path is not None}
    changes = list(common.settings.changes)
    student = create_agent({**named, "model": agent, "engine": common.model or [], "set": changes})
    data = {name: str(path) for name, path in (("datafile", datafile), ("folder", folder)) if path is not None}
    opt = {"task": task, "datatype": datatype, "batchsize": batchsize, **data}
    try:
        world = create_world(opt, [student], Tasks())
    except BaseException:
        student.shutdown()
        raise
    with world:
        _evaluate(world, None if num is None else -(-num // batchsize), as_json)


def _evaluate(world: World, turns: int | None, as_json: bool) -> None:
    try:
        for _ in shown(progress(world, turns), sys.stderr):
            pass
    except BudgetSpent as spent:
        tell(f"stopped({spent.reason}): a limit in the settings was reached")
        raise typer.Exit(4) from spent
    finally:
        report = world.report()
        if as_json and report:
            figures = {name: float(metric) for name, metric in report.items()}
            print_record(Printed.TASK_EVALUATION, TaskReport(metrics=figures))
        elif report:
            print_styled(Text(f"{report_table(report)}\n"))


def evaluate(world: World, count: int | None = None) -> Report:
    """Return the metrics for one pass through the world's data, or for at most `count` turns. Raises DialogueError."""
    for _ in progress(world, count):
        pass
    return world.report()


def progress(world: World, count: int | None = None) -> Iterator[Progressed]:
    """Reset a world, let it run through its data or for at most `count` turns, and yield the number of examples so far.
    Raises DialogueError if the data never ends, as in training, and no `count` is given.
    """
    if count is None and _is_endless(world):
        hint = "Evaluate with datatype=valid or test, or give a count."
        raise DialogueError("training data repeats endlessly", hint=hint)
    world.reset()
    whole = world.num_examples()
    for _ in turns(world, count):
        yield Progressed(phase="examples", done=world.total_exs, total=max(whole or 0, world.total_exs))


def _is_endless(world: World) -> bool:
    """Return True if the data of any teacher repeats without end; each task string may set its own datatype."""
    parts = world.worlds if isinstance(world, MultiWorld) else [world.world] if isinstance(world, WorldOfCopies) else []
    asking = [agent.datatype for agent in world.get_agents() if isinstance(agent, Teacher)]
    asking = asking or [Datatype(world.opt.text("datatype", "train"))]
    return any(_is_endless(part) for part in parts) or any(datatype.cycles for datatype in asking)
