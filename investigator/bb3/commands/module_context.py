"""Reads the context of a single module: lines from a text file or standard input."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from investigator.bb3.exchange import ModuleRequest
from investigator.bb3.folder_chat import LONGEST_TURN
from investigator.bb3.records import Module
from investigator.errors import DialogueError, in_words

_LONGEST = 2_000_000  # maximum number of characters
_NAMES = (
    "Person 1",
    "Person 2",
    "Person 1's Persona",
    "Person 2's Persona",
    "External Knowledge",
    "Previous Topic",
    "Personal Fact",
    "Interesting Fact",
)
_NEAR = 0.8
_JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{"\]])')
_HINT = "Give the conversation, one turn per line, e.g. Person 1: Hello"


def read_context(path: Path | None, on_notice: Callable[[str], None]) -> str:
    """Return the text of a file, or of standard input if it is None or `-`; `on_notice` reports lines whose prefix
    looks misspelled. Raises DialogueError if the text cannot be read, is empty, or is not a conversation.
    """
    shown = "the input" if path is None or str(path) == "-" else str(path)
    try:
        text = _read(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DialogueError(
            f"{shown} cannot be read: {in_words(error)}", hint="Choose a text file in UTF-8."
        ) from error
    if what := _what_else(text):
        raise DialogueError(f"{shown} contains {what}", hint=_HINT)
    for number, line in enumerate(text.splitlines(), 1):
        name = line.partition(":")[0].strip() if ":" in line else ""
        if near := _near(name):
            on_notice(f"line {number} of {shown} is read as a turn; did you mean {near}: instead of {name}:?")
    return text


def check_request(request: ModuleRequest) -> None:
    """Raise DialogueError if the context lacks a turn that the module needs, or a turn is too long.

    Only the module that opens a conversation needs no turn.
    """
    if not request.turns and request.module is not Module.ORM:
        raise DialogueError("the module needs a turn, but the context has none", hint=_HINT)
    longest = max((len(turn.text) for turn in request.turns), default=0)
    if longest > LONGEST_TURN:
        raise DialogueError(
            f"a turn in the context has {longest:,} characters; the limit is {LONGEST_TURN:,}",
            hint="Write long text as a document: External Knowledge: Title | text",
        )


def _read(path: Path | None) -> bytes:
    if path is not None and str(path) != "-":
        with path.expanduser().open("rb") as file:
            return file.read(4 * _LONGEST + 1)
    return b"" if sys.stdin is None else sys.stdin.buffer.read(4 * _LONGEST + 1)


def _what_else(text: str) -> str:
    """Describe what the text is if it cannot be a context, for example "nothing"; otherwise, return ""."""
    if not text.strip():
        return "nothing"
    if len(text) > _LONGEST:
        return f"more than {_LONGEST:,} characters"
    if "\0" in text:
        return "no text"
    if _JSON.match(text):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return "text that begins like JSON, not the lines of a conversation"
        return "JSON, not the lines of a conversation"
    return ""


def _near(name: str) -> str:
    """Return the known line type closest to a misspelled name, or "" if none is close."""
    names = {known.lower(): known for known in _NAMES}
    near = get_close_matches(name.lower(), names, n=1, cutoff=_NEAR)
    return names[near[0]] if near and name.lower() not in names else ""
