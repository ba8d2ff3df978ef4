"""Files that come with the package: inside it when it is installed, in `data/` beside it in a checkout."""

from __future__ import annotations

from pathlib import Path


def shipped_text(name: str) -> str:
    """The text of a file of `data/` that the package brings."""
    package = Path(__file__).parents[1]
    installed = package / "_data" / name
    return (installed if installed.is_file() else package.parent / "data" / name).read_text(encoding="utf-8")
