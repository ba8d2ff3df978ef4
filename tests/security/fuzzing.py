"""Damages a workspace at random from a seed: changed bytes, other lengths, other kinds of files, links."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path, random.Random], str]


def damaged(workspace: Path, seed: int) -> str:
    """Damage a workspace in one of many ways, and return the kind of damage."""
    dice = random.Random(seed)
    kinds: tuple[Damage, ...] = (_bytes, _bytes, _cut, _kind, _link)
    return dice.choice(kinds)(workspace, dice)


def _file(workspace: Path, dice: random.Random) -> Path:
    return dice.choice(sorted(path for path in workspace.rglob("*") if path.is_file()))


def _bytes(workspace: Path, dice: random.Random) -> str:
    """Change some bytes of a file, as often at its beginning as elsewhere."""
    path = _file(workspace, dice)
    data = bytearray(path.read_bytes() or b"\0")
    for _ in range(dice.choice((1, 1, 8, 200))):
        data[dice.randrange(min(len(data), dice.choice((100, len(data)))))] = dice.randrange(256)
    path.write_bytes(bytes(data))
    return f"bytes of {path.name}"


def _cut(workspace: Path, dice: random.Random) -> str:
    """Truncate a file, or append junk to it."""
    path = _file(workspace, dice)
    data = path.read_bytes()
    path.write_bytes(data[: dice.randint(0, len(data))] if dice.random() < 0.5 else data + dice.randbytes(5_000))
    return f"length of {path.name}"


def _kind(workspace: Path, dice: random.Random) -> str:
    """Replace a file with another kind of thing."""
    path = _file(workspace, dice)
    other = _file(workspace, dice)
    path.unlink()
    put = dice.choice((os.mkfifo, os.mkdir, lambda place: shutil.copyfile(other, place) if other != path else None))
    put(path)
    return f"kind of {path.name}"


def _link(workspace: Path, dice: random.Random) -> str:
    """Replace a file with a link to a file outside, or with a hard link."""
    path, outside = _file(workspace, dice), workspace.parent / "precious"
    path.unlink()
    dice.choice((os.symlink, os.link))(outside, path)
    return f"link as {path.name}"
