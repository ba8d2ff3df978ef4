"""Everything that is accepted is used: a setting or an option that nothing reads would be a false promise."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import typer
from typer.core import TyperGroup

from investigator.cli.lazy_command import LazyCommand
from investigator.cli.main import app
from investigator.records import Record
from investigator.settings import Settings

PACKAGE = Path(__file__).parent.parent / "investigator"


@cache
def read() -> frozenset[str]:
    """Return the names of all attributes that are read somewhere."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in PACKAGE.rglob("*.py")]
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return frozenset(node.attr for node in nodes if isinstance(node.ctx, ast.Load))


def fields(kind: type, part: str = "") -> Iterator[str]:
    """Yield the full names of all settings below a record of settings."""
    for name, field in kind.model_fields.items():  # type: ignore[attr-defined]
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Record):
            yield from fields(inner, f"{part}{name}.")
        else:
            yield f"{part}{name}"


def test_every_setting_is_read_somewhere() -> None:
    assert [setting for setting in fields(Settings) if setting.rpartition(".")[2] not in read()] == []


def commands(group: TyperGroup, before: str = "") -> Iterator[tuple[str, Callable[..., None]]]:
    """Yield each command by its full name, with its function."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, f"{name} ")
        elif isinstance(command, LazyCommand):
            module, _, function = command.place.partition(":")
            yield f"{before}{name}", getattr(import_module(module), function)


def options_of(kind: object) -> Iterator[str]:
    """Return the names of all options in a group of options."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        for name in (field.name for field in dataclasses.fields(kind)):
            yield name
            yield from options_of(hints[name])


def test_every_option_of_a_command_is_used() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    unused = {}
    for command, function in commands(group):
        body = ast.parse(textwrap.dedent(inspect.getsource(function)))
        used = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)}
        arguments = inspect.signature(function).parameters
        grouped = {name for hint in get_type_hints(function).values() for name in options_of(hint)}
        unused[command] = {*(arguments.keys() - used), *(grouped - read())}
    assert len(unused) >= 17
    assert {command: names for command, names in unused.items() if names} == {}
