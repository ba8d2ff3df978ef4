"""Recorded behaviour of task strings from which our code deviates on purpose, with the reasons."""

from __future__ import annotations

from golden_rows import Deviation, Ground, Row

KNOWN_TAGS = frozenset({"squad", "babi1k", "babi10k"})
"""Ids of tasks, folded, that the adapter's list has under the names that ParlAI gives them."""


def _text(row: Row) -> str:
    return str(row.input.get("task", row.input.get("arg", "")) or "")


def _error(row: Row) -> str:
    return row.expected.get("error", {}).get("type", "") if isinstance(row.expected, dict) else ""


def _names_unlisted_tag(row: Row) -> bool:
    tags = [task[1:].lower().replace("-", "") for task in _text(row).split(",") if task.startswith("#")]
    return "ok" in row.expected and any(tag not in KNOWN_TAGS for tag in tags)


def _no_weight(row: Row) -> bool:
    odd = ("-", "+inf", "inf", "nan")
    return "ok" in row.expected and any(part.strip().lower().startswith(odd) for part in _text(row).split(","))


def _hides_world(row: Row) -> bool:
    task, further, _ = _text(row).partition(":")
    brings = task in {"interactive", "self_chat", "blended_skill_talk", "wizard_of_wikipedia"}
    return bool(further) and brings and str(row.expected.get("ok", "")).startswith("parlai.core.")


DEVIATIONS: tuple[Deviation, ...] = (
    Deviation(
        "task_strings",
        "task_flags",
        "the text after a second = belongs to the value: otherwise a path that contains = would be cut silently",
        lambda row: any(part.count("=") > 1 for part in _text(row).split(":")),
    ),
    Deviation(
        "task_strings",
        "ids_to_tasks",
        "a tag selects the tasks that we ship, not those of ParlAI",
        _names_unlisted_tag,
        Ground.SHIPPED,
    ),
    Deviation(
        "task_strings",
        "tag_counts",
        "a tag selects the tasks that we ship, not those of ParlAI",
        lambda _: True,
        Ground.SHIPPED,
    ),
    Deviation(
        "task_strings",
        "load_teacher",
        "an unknown task or teacher is a NotFoundError that names similar ones",
        lambda row: _error(row) in {"AttributeError", "ModuleNotFoundError", "ImportError"},
        Ground.CRASH,
    ),
    Deviation(
        "task_strings",
        "load_teacher",
        "an empty teacher name selects the default teacher instead of crashing",
        lambda row: _error(row) == "IndexError",
        Ground.CRASH,
    ),
    Deviation(
        "task_strings",
        "multitask_weights_arg",
        "a weight below 0, or one that is not finite, makes no sense for drawing tasks, so it is rejected",
        _no_weight,
    ),
    Deviation(
        "task_strings",
        "load_world",
        "a task's own world is used regardless of the options or teacher in its string",
        _hides_world,
    ),
)
