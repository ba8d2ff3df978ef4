"""`investigator tasks [FILTER]`: list the tasks."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from investigator.cli.output import print_json, print_styled
from investigator.dialogue.task_strings import TaskEntry
from investigator.tasks.task_list import listed_tasks


def tasks(
    wanted: Annotated[
        str, typer.Argument(metavar="[FILTER]", help="Words that id, tags or description have; #tag for a tag.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON record for each task, one a line.")] = False,
) -> None:
    """List the tasks that can be displayed and evaluated. Your own is named by its module: my_package.my_task."""
    from rich.text import Text

    found = [entry for entry in listed_tasks() if _fits(entry, wanted)]
    if as_json:
        print_json("\n".join(json.dumps(entry._asdict(), ensure_ascii=False) for entry in found))
    elif found:
        print_styled(Text(_table(found)))
    else:
        typer.echo(f"no task has {wanted!r}; list all with: investigator tasks", err=True)


def _fits(entry: TaskEntry, wanted: str) -> bool:
    said = " ".join([entry.id, entry.task, *(f"#{tag}" for tag in entry.tags), entry.description]).casefold()
    return all(word in said for word in wanted.casefold().split())


def _table(entries: list[TaskEntry]) -> str:
    rows = [(entry.task, " ".join(f"#{tag}" for tag in entry.tags), entry.description) for entry in entries]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    return "".join("  ".join((*map(str.ljust, row, widths), row[2])) + "\n" for row in rows)
