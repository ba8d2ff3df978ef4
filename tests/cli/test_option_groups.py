"""Groups of options: the fields of a record parameter become options of the command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from investigator.cli.lazy_command import with_groups


@dataclass(frozen=True)
class Inner:
    depth: Annotated[int, typer.Option(help="Depth in metres.")] = 3
    changes: Annotated[list[str] | None, typer.Option("--set")] = None


@dataclass(frozen=True)
class Outer:
    name: str = "well"
    inner: Inner = Inner()


def dig(where: Annotated[str, typer.Argument()], outer: Outer, quick: bool = False) -> None:
    """Dig a hole."""
    typer.echo(f"{where} {outer.name} {outer.inner.depth} {outer.inner.changes or []} {quick}")


def typed(*words: str) -> str:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(with_groups(dig))
    return CliRunner().invoke(app, list(words)).output


def test_each_field_is_an_option_also_of_a_group_inside_a_group() -> None:
    assert typed("here") == "here well 3 [] False\n"
    given = typed("here", "--name", "pit", "--depth", "4", "--set", "a=1", "--set", "b=2", "--quick")
    assert given == "here pit 4 ['a=1', 'b=2'] True\n"


def test_options_keep_their_order_their_help_and_their_types() -> None:
    shown = typed("--help")
    assert "Dig a hole." in shown
    assert "Depth in metres." in shown
    places = [shown.index(option) for option in ("--name", "--depth", "--set", "--quick")]
    assert places == sorted(places)
    assert "Invalid value for '--depth'" in typed("here", "--depth", "deep")


def test_two_options_of_one_name_are_refused() -> None:
    def twice(depth: int, inner: Inner) -> None: ...

    with pytest.raises(ValueError, match="depth"):
        with_groups(twice)
