"""`investigator completion SHELL`: prints the script that lets a shell complete commands and options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]

from investigator.cli.output import print_plain


class Shell(StrEnum):
    """A shell that can complete commands."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def completion(shell: Annotated[Shell, typer.Argument(help="The shell.")]) -> None:
    """Print the script that completes commands and options with the Tab key.

    bash: add `eval "$(investigator completion bash)"` to ~/.bashrc. zsh: the same with zsh, in ~/.zshrc after compinit.
    fish: write it to ~/.config/fish/completions/investigator.fish. PowerShell: add it to the file that $PROFILE names.
    """
    name = "investigator"
    print_plain(get_completion_script(prog_name=name, complete_var="_INVESTIGATOR_COMPLETE", shell=shell.value))
