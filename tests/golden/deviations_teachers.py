"""Recorded behaviour of datatypes, formats and teachers from which our code deviates on purpose, with the reasons."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from golden_rows import Deviation, Ground, Row

KNOWN_FIELDS = {"text", "id", "labels", "eval_labels", "label_candidates", "text_candidates", "reward", "episode_done"}
FALSE = {"false", "0", "no"}
OUR_ESCAPES = re.compile(r"\\\\|\\u000d|\\_(?=_PIPE)")
NEEDS_OUR_ESCAPES = re.compile(r"[\\\r]|__PIPE(?:__|_?\|)")


def lines(row: Row) -> list[str]:
    """Return the lines that the row reads, except blank ones."""
    given = row.input.get("content", row.input.get("line", ""))
    return [line for line in given.split("\n") if line.strip()]


def fields(row: Row) -> Iterator[tuple[str, str, str]]:
    """Return the fields of these lines: name, colon, value."""
    return (field.partition(":") for line in lines(row) for field in line.split("\t") if field)


def texts(value: Any) -> Iterator[str]:
    """Return all texts inside a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


def succeeds(row: Row) -> bool:
    return "ok" in row.expected


def fails_with(*types: str) -> Callable[[Row], bool]:
    return lambda row: isinstance(row.expected, dict) and row.expected.get("error", {}).get("type") in types


def says_false(row: Row) -> bool:
    """Return True if a line states explicitly that it does not end an episode."""
    considered = [row.expected["ok"]["line"]] if row.kind == "roundtrip" and succeeds(row) else lines(row)
    if "content" in row.input:
        considered = considered[:-1]
    found = (re.search(r"(?:^|\t)episode_done:([^\t]*)", line) for line in considered)
    return succeeds(row) and any(match is not None and match[1].strip().lower() in FALSE for match in found)


def reads_escapes(row: Row) -> bool:
    return succeeds(row) and any(OUR_ESCAPES.search(line) for line in lines(row))


def reads_escapes_in_other_fields(row: Row) -> bool:
    escapes = ("\\n", "\\t", "__PIPE__")
    others = (value for name, _, value in fields(row) if name not in KNOWN_FIELDS)
    return succeeds(row) and any(escape in value for value in others for escape in escapes)


def names_no_field(row: Row) -> bool:
    return succeeds(row) and any(not colon or not name for name, colon, _ in fields(row))


def skips_blank_lines(row: Row) -> bool:
    given = row.input["content"].split("\n")
    return fails_with("ValueError")(row) and any(line and not line.strip() for line in given)


def keeps_line_ends(row: Row) -> bool:
    return "\r\n" in row.input["content"] and any(text.endswith("\r") for text in texts(row.expected))


def writes_escapes(row: Row) -> bool:
    parts = (
        part for value in row.input["message"].values() for part in (value if isinstance(value, list) else [value])
    )
    return succeeds(row) and any(NEEDS_OUR_ESCAPES.search(str(part)) for part in parts)


def writes_other_fields(row: Row) -> bool:
    others = (str(value) for name, value in row.input["message"].items() if name not in KNOWN_FIELDS)
    return succeeds(row) and any(set(text) & set("\t\n|") for text in others if text)


def writes_nothing_as_none(row: Row) -> bool:
    values = row.input["message"].values()
    return succeeds(row) and any(value is None or (isinstance(value, list) and None in value) for value in values)


def has_an_unwritable_name(row: Row) -> bool:
    return succeeds(row) and any(not name or set(name) & set(":\t\n\r") for name in row.input["message"])


def labels_nobody(row: Row) -> bool:
    chosen = row.input.get("label_turns", "secondspeaker")
    return succeeds(row) and chosen not in ("secondspeaker", "firstspeaker", "both")


def says_no_text(row: Row) -> bool:
    parsed = (json.loads(line) for line in lines(row)) if succeeds(row) else ()
    turns = (
        turn for each in parsed for part in each["dialog"] for turn in (part if isinstance(part, list) else [part])
    )
    return any(not isinstance(turn.get("text", ""), str | None) for turn in turns)


def names_late_padding(row: Row) -> bool:
    return succeeds(row) and any(act["padding"] and act["id"] is not None for act in row.expected["ok"]["acts"])


def ends_without_end(row: Row) -> bool:
    """Return True if data that repeats without end is reported to have ended."""
    cycles = row.input["datatype"] == "train:stream"
    return succeeds(row) and cycles and any(act["epoch_done"] for act in row.expected["ok"])


def _of(
    file: str, kinds: str, applies: Callable[[Row], bool], reason: str, ground: Ground = Ground.JUDGED
) -> list[Deviation]:
    return [Deviation(file, kind, reason, applies, ground) for kind in kinds.split()]


_PYTHON = ("JSONDecodeError", "KeyError", "TypeError", "AttributeError", "AssertionError", "IndexError")
_NAMED = "a Python error becomes a DialogueError or DataError with a hint, naming file and line if possible"
_TEXT = "str_to_msg file acts graded"
_FILES = "file acts graded"
_TALKS = "conversation acts missing_file"

DEVIATIONS: tuple[Deviation, ...] = (
    *_of("datatype", "split", fails_with("AssertionError"), _NAMED, Ground.CRASH),
    *_of("datatype", "helper_none", lambda row: "RuntimeError" not in json.dumps(row.expected), _NAMED, Ground.CRASH),
    *_of(
        "dialog_format",
        "str_to_msg file acts roundtrip",
        says_false,
        "the values False, 0 and no of episode_done are false",
        Ground.ASKED,
    ),
    *_of("dialog_format", _TEXT, reads_escapes, r"a backslash is written \\", Ground.ASKED),
    *_of(
        "dialog_format",
        "str_to_msg file acts",
        reads_escapes_in_other_fields,
        "other fields are unescaped in the same way as they were escaped",
        Ground.ASKED,
    ),
    *_of(
        "dialog_format",
        _TEXT,
        names_no_field,
        "a field without a name or a colon causes an error instead of a mutilated name",
    ),
    *_of(
        "dialog_format",
        _FILES,
        skips_blank_lines,
        "a line that contains only spaces counts as a blank line",
        Ground.ASKED,
    ),
    *_of("dialog_format", _FILES, keeps_line_ends, "Windows line ends are accepted", Ground.ASKED),
    *_of("dialog_format", "msg_to_str roundtrip", writes_escapes, r"a backslash is written \\", Ground.ASKED),
    *_of(
        "dialog_format",
        "roundtrip",
        writes_other_fields,
        "other fields are unescaped in the same way as they were escaped",
        Ground.ASKED,
    ),
    *_of(
        "dialog_format",
        "msg_to_str roundtrip",
        writes_nothing_as_none,
        "a missing value is not written as the text None",
    ),
    *_of(
        "dialog_format",
        "msg_to_str roundtrip",
        has_an_unwritable_name,
        "a field whose name could not be read again is not written",
    ),
    *_of("dialog_format", _TEXT, fails_with(*_PYTHON), _NAMED, Ground.CRASH),
    *_of("conversation_teacher", _TALKS, fails_with(*_PYTHON), f"{_NAMED}; blank lines are skipped", Ground.ASKED),
    *_of("conversation_teacher", _TALKS, labels_nobody, "an unknown value of label_turns causes an error"),
    *_of("conversation_teacher", _TALKS, says_no_text, "a text of the wrong type causes an error that names the line"),
    *_of(
        "teachers",
        "dialog_teacher dialog_teacher_error",
        fails_with("KeyError", "AssertionError"),
        _NAMED,
        Ground.CRASH,
    ),
    *_of("teachers", "fixed_dialog_teacher_error fixed_dialog_teacher", fails_with(*_PYTHON), _NAMED, Ground.CRASH),
    *_of("teachers", "fbdialog multitask_teacher chunk_teacher", fails_with(*_PYTHON), _NAMED, Ground.CRASH),
    *_of(
        "teachers",
        "dialog_teacher fixed_dialog_teacher multitask_teacher",
        fails_with("ZeroDivisionError"),
        "training without data ends at once with padding",
        Ground.CRASH,
    ),
    *_of("teachers", "dialog_teacher", ends_without_end, "data that starts over never ends, whether streamed or not"),
    *_of("teachers", "multitask_teacher", names_late_padding, "padding after the end of all tasks has no task id"),
)
