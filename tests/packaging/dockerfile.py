"""The Dockerfile for tests without Docker: its instructions, and the files in a build."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Instruction(NamedTuple):
    """One instruction: its name, its arguments, and its stage, counted from 0."""

    word: str
    text: str
    stage: int


def instructions() -> list[Instruction]:
    """Return the instructions of the Dockerfile in order."""
    found: list[Instruction] = []
    stage = -1
    for line in re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines():
        if line.strip() and not line.startswith("#"):
            word, _, text = line.partition(" ")
            stage += word == "FROM"
            found.append(Instruction(word, text.strip(), stage))
    return found


def copy_context(folder: Path) -> None:
    """Copy the files that .dockerignore admits to a build; it excludes everything that it does not name."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert lines[0] == "*"
    for name in (line[1:] for line in lines if line.startswith("!")):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name)
