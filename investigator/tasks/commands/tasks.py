"""`investigator tasks [FILTER]`: list the tasks."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from investigator.cli.options import AsJsonLines
from investigator.cli.output import print_json, print_styled
from investigator.dialogue.task_strings import TaskEntry
from investigator.reports.columns import columns
from investigator.tasks.task_list import listed_tasks


def tasks(
    wanted: Annotated[
        str, typer.Argument(metavar="[FILTER]", help="Words in id, tags or description; #tag for a tag.")
    ] = "",
    as_json: AsJsonLines = False,
) -> None:
    """List the tasks that can be displayed and evaluated. Name your own by its module: my_package.my_task."""
    found = [entry for entry in listed_tasks() if _fits(entry, wanted)]
    if as_json:
        print_json("\n".join(json.dumps(entry._asdict(), ensure_ascii=False) for entry in found))
    elif found:
        print_styled(columns([_row(entry) for entry in found], left=range(3)).append("\n"))
    else:
        typer.echo(f"no task matches {wanted!r}; list all with: investigator tasks", err=True)


def _fits(entry: TaskEntry, wanted: str) -> bool:
    said = " ".join([entry.id, entry.task, *(f"#{tag}" for tag in entry.tags), entry.description]).casefold()
    return all(word in said for word in wanted.casefold().split())


def _row(entry: TaskEntry) -> tuple[str, str, str]:
    return entry.task, " ".join(f"#{tag}" for tag in entry.tags), entry.description
