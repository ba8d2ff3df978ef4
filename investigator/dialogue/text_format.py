r"""Reads and writes ParlAI's text format: one example per line, `text:...<TAB>labels:a|b<TAB>episode_done:True`.

Inside a value, TAB, line break, bar and backslash are written as `\t`, `\n`, `__PIPE__` and `\\`, so that every text
survives a round trip. A carriage return is written `\u000d` and a literal `__PIPE__` is written `\__PIPE__`. A
backslash before anything else is an ordinary character, as in files without escapes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.options import number_in
from investigator.errors import DataError, DialogueError

LISTS = frozenset({"labels", "eval_labels", "label_candidates", "text_candidates"})
"""Fields that contain several texts."""

_FIRST_FIELDS = ("id", "text", "labels", "label_candidates", EPISODE_DONE, "reward")
_FALSE = frozenset({"", "false", "0", "no"})
_WRITTEN = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\u000d", "|": "__PIPE__", "_": "\\_"}
_READ = {written: char for char, written in _WRITTEN.items()}
_TO_WRITE = re.compile(r"[\\\t\n\r|]|_(?=_PIPE(?:__|_?\|))")
_TO_READ = re.compile(r"\\\\|\\t|\\n|\\u000d|\\_(?=_PIPE)|__PIPE__")


def str_to_msg(line: str, ignore_fields: str = "") -> Message | None:
    """Parse a line into an example; None for an empty line. `ignore_fields` are comma-separated names of fields to
    drop. `episode_done` is always set. Raises DataError if a field has no name or no colon, or the
    reward is not a number.
    """
    if not line:
        return None
    fields: dict[str, object] = {}
    for field in filter(None, line.split("\t")):
        key, colon, value = field.partition(":")
        if not colon or not key:
            raise DataError(
                f"the field {field[:40]!r} has no {'name' if colon else 'colon'}",
                hint=r"Write each field as name:value; a TAB inside a value is written as \t.",
            )
        if key not in ignore_fields.split(","):
            fields[key] = _value(key, value)
    fields.setdefault(EPISODE_DONE, False)
    return Message(fields)


def msg_to_str(message: Mapping[str, object], ignore_fields: str = "") -> str:
    """Format an example as a line, without fields that are None, a reward of 0 and an `episode_done` of False."""
    unwritten = {*filter(None, ignore_fields.split(",")), *(key for key, value in message.items() if value is None)}
    unwritten |= {key for key in ("reward", EPISODE_DONE) if not message.get(key)}
    keys = dict.fromkeys([*(key for key in _FIRST_FIELDS if key in message), *message])
    return "\t".join(f"{_name(key)}:{_text(message[key])}" for key in keys if key not in unwritten)


def _value(key: str, written: str) -> object:
    if key in LISTS:
        return [_unescaped(part) for part in written.split("|")]
    if key == EPISODE_DONE:
        return written.strip().lower() not in _FALSE
    if key != "reward":
        return _unescaped(written)
    if (reward := number_in(written)) is None:
        raise DataError(f"the reward {written!r} is not a number")
    return reward


def _name(key: str) -> str:
    if not key or set(key) & set(":\t\n\r"):
        raise DialogueError(f"a field named {key!r} cannot be written: names cannot contain a colon, TAB or line break")
    return key


def _text(value: object) -> str:
    parts = value if isinstance(value, list | tuple | set | frozenset) else [value]
    written = (_TO_WRITE.sub(lambda match: _WRITTEN[match[0]], str(part)) for part in parts if part is not None)
    return "|".join(written)


def _unescaped(written: str) -> str:
    return _TO_READ.sub(lambda match: _READ[match[0]], written)
