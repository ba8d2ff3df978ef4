"""Lists the commands and their options, as defined by the parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import typer

from investigator.cli.lazy_command import LazyCommand
from investigator.cli.main import app


class Command(NamedTuple):
    """A command: its full name, its usage without `Usage:`, its help, and (form, help) of arguments and options."""

    name: str
    usage: str
    help: str
    arguments: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]


def commands() -> Iterator[Command]:
    """Yield the command `investigator` and then each of its commands, groups before their members."""
    yield from _below(typer.main.get_command(app), "investigator", None)


def _below(command: Any, name: str, parent: Any) -> Iterator[Command]:
    loaded = command.load() if isinstance(command, LazyCommand) else command
    context = loaded.make_context(name, [], resilient_parsing=True, parent=parent)
    shown = [(one, one.get_help_record(context)) for one in loaded.get_params(context)]
    yield Command(
        name=context.command_path,
        usage=loaded.get_usage(context).removeprefix("Usage: "),
        help=loaded.help or command.get_short_help_str(200),
        arguments=tuple(record for one, record in shown if record and one.param_type_name == "argument"),
        options=tuple(record for one, record in shown if record and one.param_type_name == "option"),
    )
    for below in getattr(loaded, "commands", {}).values():
        yield from _below(below, below.name, context)
