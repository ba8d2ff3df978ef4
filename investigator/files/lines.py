"""Append-only files of lines: if a process is killed, only the line that it was writing is lost."""

from __future__ import annotations

import os
from pathlib import Path

from investigator.files import for_owner, make_private_folder


def whole_lines(path: Path) -> list[bytes]:
    """Return the lines of a file, and remove a truncated last line; return () if the file does not exist. Raises
    OSError.
    """
    kept = path.read_bytes() if path.exists() else b""
    whole = kept[: kept.rfind(b"\n") + 1]
    if whole != kept:
        os.truncate(path, len(whole))
    return whole.split(b"\n")[:-1]


def append_line(path: Path, text: str) -> None:
    """Append a line to a private file, which is created with its folder if needed. Raises OSError."""
    make_private_folder(path.parent)
    with open(path, "a", encoding="utf-8", newline="\n", opener=for_owner) as file:
        file.write(text + "\n")
