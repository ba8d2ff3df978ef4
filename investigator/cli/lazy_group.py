"""Commands whose modules are imported when they are called, not when the command line is set up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from investigator.cli.option_groups import with_groups

Shell = Callable[[Callable[..., None]], Callable[..., None]]
"""What is put around the function of each command, to report its errors."""


class LazyCommand(TyperCommand):
    """A command known by its name and its line of help. `place` is `module:function`, imported when it is called."""

    def __init__(self, name: str, place: str, summary: str, shell: Shell, **context_settings: bool) -> None:
        super().__init__(name, short_help=summary, context_settings=dict(context_settings))
        self.place = place
        self._shell = shell

    def make_context(self, *words: Any, **extra: Any) -> Any:
        """Return the context of the loaded command, which then runs in the place of this one."""
        return self._load().make_context(*words, **extra)

    def _load(self) -> Any:
        module, _, function = self.place.partition(":")
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command(self.name, context_settings=dict(self.context_settings))(
            self._shell(with_groups(getattr(import_module(module), function)))
        )
        return typer.main.get_command(alone)


def lazy_group(commands: Iterable[TyperCommand | TyperGroup]) -> type[TyperGroup]:
    """Return the class of a group with these commands, for `typer.Typer(cls=...)`, which takes no ready commands."""

    class LazyGroup(TyperGroup):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            for command in commands:
                self.add_command(command)

    return LazyGroup
