"""Measures how well an agent does a task, for `investigator dialogue tasks TASK --agent NAME`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from investigator.asking.budget import BudgetSpent
from investigator.cli.options import CommonOptions
from investigator.cli.output import print_record, print_styled, tell
from investigator.cli.progress import show_all
from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.metrics import Report, report_table
from investigator.dialogue.registry import WITHOUT_DOCUMENTS, create_agent
from investigator.dialogue.teachers import Teacher
from investigator.dialogue.worlds import MultiWorld, World, create_world
from investigator.dialogue.worlds.composed import WorldOfCopies
from investigator.errors import DialogueError
from investigator.records import Progressed
from investigator.reports.schemas import Printed
from investigator.tasks.loading import Tasks
from investigator.tasks.printed import TaskReport


@dataclass(frozen=True)
class AgentOptions:
    """An agent that does a task, and how."""

    common: CommonOptions
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Let this agent do the task: investigator (the default with --model), bb3_chat, repeat_label, or your "
            "own package.module:Class.",
        ),
    ] = ""
    folder: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder of documents for the agent.")] = None
    batchsize: Annotated[int, typer.Option(metavar="B", min=1, help="Number of examples answered at once.")] = 1

    @property
    def given(self) -> list[str]:
        """Return the names of the options that only an agent can use, if they were given."""
        common = self.common
        values = {"model": common.model, "workspace": common.workspace, "prompts": common.prompts}
        return [f"--{name}" for name, value in (values | {"set": common.settings.given}).items() if value]

    def measure(self, task: str, data: Mapping[str, str], num: int | None, *, as_json: bool) -> None:
        """Let the agent do the task, and print the measures. Raises DialogueError."""
        agent, common = self.agent or "investigator", self.common
        for name in (task, agent):
            find_in_current_folder(name)
        if self.given and agent in WITHOUT_DOCUMENTS:
            unused = " and ".join(self.given)
            hint = f"Omit {unused}, or choose an agent that reads documents: --agent investigator"
            raise DialogueError(f"the agent {agent} cannot use {unused}", hint=hint)
        places = {"folder": self.folder, "workspace": common.workspace, "prompts": common.prompts}
        named = {name: str(path) for name, path in (places | {"settings": common.settings.file}).items() if path}
        changes = list(common.settings.changes)
        student = create_agent({**named, "model": agent, "engine": common.model or [], "set": changes})
        of_task = {} if self.folder is None else {"folder": str(self.folder)}
        opt = {"task": task, "datatype": "valid", "batchsize": self.batchsize, **of_task, **data}
        try:
            world = create_world(opt, [student], Tasks())
        except BaseException:
            student.shutdown()
            raise
        with world:
            _evaluate(world, None if num is None else -(-num // self.batchsize), as_json)


def find_in_current_folder(task: str) -> None:
    """If a task string names a module, add the current folder to the end of the import path."""
    folder = os.getcwd()
    if any("." in each.partition(":")[0] for each in task.split(",")) and folder not in sys.path:
        sys.path.append(folder)


def _evaluate(world: World, turns: int | None, as_json: bool) -> None:
    try:
        show_all(progress(world, turns))
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
    for _ in repeat(None) if count is None else range(count):
        if world.epoch_done():
            return
        world.parley()
        yield Progressed(phase="examples", done=world.total_exs, total=max(whole or 0, world.total_exs))


def _is_endless(world: World) -> bool:
    """Return True if the data of any teacher repeats without end; each task string may set its own datatype."""
    parts = world.worlds if isinstance(world, MultiWorld) else [world.world] if isinstance(world, WorldOfCopies) else []
    asking = [agent.datatype for agent in world.get_agents() if isinstance(agent, Teacher)]
    asking = asking or [Datatype(world.opt.text("datatype", "train"))]
    return any(_is_endless(part) for part in parts) or any(datatype.cycles for datatype in asking)
