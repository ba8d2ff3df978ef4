"""Defines the records that the commands for tasks print as JSON."""

from __future__ import annotations

from pydantic import ConfigDict

from investigator.records import Record


class ListedTask(Record):
    """A task in the list of tasks."""

    id: str
    task: str
    tags: tuple[str, ...]
    description: str


class TaskExample(Record):
    """An example of a task: its message, with any fields that the task adds."""

    model_config = ConfigDict(extra="allow")

    text: str = ""


class TaskReport(Record):
    """The measures of a task, keyed by name; NaN and infinity are printed as null."""

    metrics: dict[str, float | None]
