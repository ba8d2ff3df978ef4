"""Recorded behaviour of messages, agents and their names from which our code deviates on purpose."""

from __future__ import annotations

from typing import Any

from golden_rows import Deviation, Ground, Row


def crashes(row: Row) -> bool:
    """Return True if a row or one of its steps expects an error that nobody raised on purpose."""
    steps: Any = row.expected.get("ok", [row.expected])
    errors = [step.get("error", {}) for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    return any(error.get("type", "RuntimeError") != "RuntimeError" for error in errors)


_KINDS = [
    ("agents", kind) for kind in ("respond", "batch_respond", "create_agent", "builtin", "history", "torch_agent")
]
DEVIATIONS: tuple[Deviation, ...] = tuple(
    Deviation(
        file,
        kind,
        "wrong use that raises a Python error (TypeError, ModuleNotFoundError ...) raises a DialogueError with a hint",
        crashes,
        Ground.CRASH,
    )
    for file, kind in [*_KINDS, ("task_strings", "load_agent")]
)
