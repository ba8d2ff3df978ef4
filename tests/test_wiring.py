"""Whatever is accepted is used: a setting or an option that nothing reads would be a promise that is not kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from investigator.cli.main import COMMANDS, EVALUATIONS
from investigator.records import Record
from investigator.settings import Settings

PACKAGE = Path(__file__).parent.parent / "investigator"
TREES = {file: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(PACKAGE.rglob("*.py"))}
READ = {
    node.attr
    for tree in TREES.values()
    for node in ast.walk(tree)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
}
"""The names of all attributes that are read somewhere."""


def fields(kind: type, part: str = "") -> Iterator[str]:
    """The full names of all settings below a record of settings."""
    for name, field in kind.model_fields.items():  # type: ignore[attr-defined]
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Record):
            yield from fields(inner, f"{part}{name}.")
        else:
            yield f"{part}{name}"


def test_every_setting_is_read_somewhere() -> None:
    assert [setting for setting in fields(Settings) if setting.rpartition(".")[2] not in READ] == []


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Each command with its function."""
    for name, place in {**COMMANDS, **{f"eval {name}": place for name, place in EVALUATIONS.items()}}.items():
        tree = TREES[PACKAGE.parent / Path(*place.module.split(".")).with_suffix(".py")]
        found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == place.function]
        yield from ((name, function) for function in found)


def test_every_option_of_a_command_is_used_in_its_function() -> None:
    unused = {}
    for command, function in functions():
        arguments = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
        used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        unused[command] = arguments - used
    assert len(unused) >= 17
    assert {command: names for command, names in unused.items() if names} == {}
