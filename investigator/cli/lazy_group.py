"""Commands that import their modules when they are called, not when the command line is set up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from pydantic import ValidationError
from typer.core import TyperCommand, TyperGroup

from investigator.cli.option_groups import with_groups
from investigator.cli.streams import StreamOptions

_WANTED: Mapping[str, str] = {
    "int_parsing": "a whole number",
    "float_parsing": "a number",
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
}
"""Descriptions of valid values, keyed by pydantic error type; typer parses options with pydantic."""
_EXTRA = re.compile(r"unexpected extra argument\(s\) \((.*)\)")

Shell = Callable[[Callable[..., None]], Callable[..., None]]
"""Wraps a command's function so that its errors are reported."""


class LazyCommand(TyperCommand):
    """A command whose name and one-line help are known before its module is imported. `place` is the `module:function`
    to import when the command is called. If `prints` is True, the command prints a result and so accepts `--quiet` and
    `--output`.
    """

    def __init__(
        self, name: str, place: str, summary: str, shell: Shell, *, prints: bool = True, **context_settings: bool
    ) -> None:
        super().__init__(name, short_help=summary, context_settings=dict(context_settings))
        self.place = place
        self._shell = shell
        self._prints = prints

    def make_context(self, *words: Any, **extra: Any) -> Any:
        """Return the context of the loaded command, which then runs in place of this command."""
        try:
            return self.load().make_context(*words, **extra)
        except typer.TyperException as error:
            error.message = _in_words(error)
            if unknown := _EXTRA.search(error.message):
                error.message += _help_for_extra(self.name or "", unknown[1])
            raise

    def load(self) -> Any:
        """Load and return the command with its options."""
        module, _, function = self.place.partition(":")
        command = getattr(import_module(module), function)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command(self.name, context_settings=dict(self.context_settings))(
            self._shell(with_groups(command, StreamOptions if self._prints else None))
        )
        return typer.main.get_command(alone)


def _in_words(error: typer.TyperException) -> str:
    """Return the message for a usage error, including the number if it is invalid or out of range."""
    problem = error.__cause__
    first = problem.errors(include_url=False)[0] if isinstance(problem, ValidationError) else None
    if first is None or first["type"] not in _WANTED:
        return error.message.replace("Value error, ", "")
    return f"must be {_WANTED[first['type']].format(**first.get('ctx', {}))}, not {first['input']!r}"


def _help_for_extra(command: str, words: str) -> str:
    """Return a hint about extra words that a command does not accept."""
    if Path(words).expanduser().exists():
        return f". It takes no file or folder here; see: investigator {command} --help"
    return '. Put a question or text in quotes: "What is the rent?"'


def lazy_group(sections: Mapping[str, Iterable[TyperCommand | TyperGroup]]) -> type[TyperGroup]:
    """Return the class of a group with these commands, for `typer.Typer(cls=...)`, which does not accept command
    objects.

    Its help lists the commands in titled sections.
    """

    class LazyGroup(TyperGroup):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            for commands in sections.values():
                for command in commands:
                    self.add_command(command)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            width = max(map(len, self.commands))
            for title, commands in sections.items():
                with formatter.section(title):
                    formatter.write_dl([(f"{each.name:{width}}", each.get_short_help_str(200)) for each in commands])

    return LazyGroup
