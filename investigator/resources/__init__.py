"""Finds shipped files: inside the package if it is installed, or next to it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def data_text(name: str) -> str:
    """Return the text of a shipped file in `data/`."""
    return (_folder("_data", "data", name) / name).read_text(encoding="utf-8")


def prompts_folder() -> Path:
    """Return the folder of the shipped templates."""
    return _folder("_prompts", "prompts")


def _folder(installed: str, checkout: str, name: str = "") -> Path:
    """Return the folder inside the package if it contains `name`, otherwise the folder of the checkout."""
    inside = _PACKAGE / installed
    return inside if (inside / name).exists() else _PACKAGE.parent / checkout
