"""The Tab key completes commands and options in bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PRESS_TAB = """
eval "$(_INVESTIGATOR_COMPLETE=source_bash investigator)"
COMP_WORDS=(investigator $1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_investigator_completion investigator
echo "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("typed", "completed"), [("matr", "matrix"), ("ask --max-c", "--max-calls"), ("prompts sh", "show")]
)
def test_bash_completes_commands_and_their_options(typed: str, completed: str, tmp_path: Path) -> None:
    command = tmp_path / "investigator"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m investigator "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    variables = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    press = ["bash", "-c", PRESS_TAB, "bash", typed]
    done = subprocess.run(press, env=variables, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == [completed], done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish", "powershell"])
def test_other_shells_have_a_script_too(shell: str) -> None:
    variables = {**os.environ, "_INVESTIGATOR_COMPLETE": f"source_{shell}"}
    done = subprocess.run(
        [sys.executable, "-m", "investigator"], env=variables, capture_output=True, text=True, timeout=60
    )
    assert "_INVESTIGATOR_COMPLETE" in done.stdout
