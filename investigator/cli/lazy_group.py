"""Commands whose modules are imported when they are called, not when the command line is set up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
        try:
            return self.load().make_context(*words, **extra)
        except typer.TyperException as error:
            if "unexpected extra argument" in error.message:
                error.message += ". Put several words that belong together in quotes."
            raise

    def load(self) -> Any:
        """Return the command itself, with its options; imports its module."""
        module, _, function = self.place.partition(":")
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command(self.name, context_settings=dict(self.context_settings))(
            self._shell(with_groups(getattr(import_module(module), function)))
        )
        return typer.main.get_command(alone)


def lazy_group(sections: Mapping[str, Iterable[TyperCommand | TyperGroup]]) -> type[TyperGroup]:
    """Return the class of a group with these commands, for `typer.Typer(cls=...)`, which takes no ready commands.

    Its help lists them section by section, each under its title.
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
                    formatter.write_dl([(f"{one.name:{width}}", one.get_short_help_str(200)) for one in commands])

    return LazyGroup
