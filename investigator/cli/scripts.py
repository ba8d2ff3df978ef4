"""`investigator schema` and `completion`: what programs and shells need to know of the commands."""

from __future__ import annotations

import json
from difflib import get_close_matches
from enum import StrEnum
from typing import Annotated

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]

from investigator.cli.output import print_plain
from investigator.errors import UserError
from investigator.reports.schemas import Printed, json_schema


class Shell(StrEnum):
    """A shell that can complete commands."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def schema(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Kind of result, such as investigation.")] = "",
) -> None:
    """List the kinds of JSON that commands print, or print the JSON Schema of one.

    The first field of `--json` output, `schema`, contains its name and version: investigator/investigation/3.
    """
    if not name:
        print_plain("\n".join(kind.schema for kind in Printed))
        return
    known = {spelling: kind for kind in Printed for spelling in (kind.value, kind.schema)}
    if name not in known:
        near = "".join(f"Did you mean {kind}? " for kind in get_close_matches(name, known, n=1))
        raise UserError(f"unknown kind of result {name!r}", hint=f"{near}To list the kinds: investigator schema")
    print_plain(json.dumps(json_schema(known[name]), indent=2))


def completion(shell: Annotated[Shell, typer.Argument(help="The shell.")]) -> None:
    """Print the script that completes commands and options with the Tab key.

    bash: add `eval "$(investigator completion bash)"` to ~/.bashrc. zsh: the same with zsh, in ~/.zshrc after compinit.
    fish: write it to ~/.config/fish/completions/investigator.fish. PowerShell: add it to the file that $PROFILE names.
    """
    name = "investigator"
    print_plain(get_completion_script(prog_name=name, complete_var="_INVESTIGATOR_COMPLETE", shell=shell.value))
