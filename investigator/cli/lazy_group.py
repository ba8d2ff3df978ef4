"""A group of commands whose modules are imported when a command is called, not when the group is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup


@dataclass(frozen=True)
class LazyCommand:
    """Where a command is: its module, the name of its function, and the one line that the help shows of it."""

    module: str
    function: str
    summary: str
    context_settings: dict[str, Any] = field(default_factory=dict)


class LazyCommands(MutableMapping[str, Any]):
    """The commands of a group by name. `guard` is put around the function of each when it is loaded."""

    def __init__(
        self, places: dict[str, LazyCommand], guard: Callable[[Callable[..., None]], Callable[..., None]]
    ) -> None:
        self._places = places
        self._guard = guard
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            place = self._places[name]
            found = getattr(import_module(place.module), place.function)
            if isinstance(found, typer.Typer):
                self._loaded[name] = typer.main.get_command(found)
            else:
                alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
                alone.command(name, context_settings=dict(place.context_settings))(self._guard(found))
                self._loaded[name] = typer.main.get_command(alone)
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._places[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def summaries(self) -> list[tuple[str, str]]:
        """Each name with its one line; loads nothing."""
        return [(name, place.summary) for name, place in self._places.items()]


def lazy_group(commands: LazyCommands) -> type[TyperGroup]:
    """The class of a group with these commands, for `typer.Typer(cls=...)`."""

    class LazyGroup(TyperGroup):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            self.commands = commands

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            with formatter.section("Commands"):
                formatter.write_dl(commands.summaries())

    return LazyGroup
