"""Reads conversations one at a time from files with one JSON object per line, and writes such files atomically."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from investigator.bb3.bb3x.records import Conversation
from investigator.errors import DialogueFormatError, FolderError
from investigator.files import write_private
from investigator.files.text_lines import text_lines

_GIST = 60


def conversation_of(line: str, place: str = "the line") -> Conversation:
    """Parse a conversation from a line of JSON. Raises DialogueFormatError, whose message contains the place, the field
    and the problem.
    """
    try:
        return Conversation.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
        problem = f"{field}: {first['msg']}" if field else first["msg"]
        value = line.strip() if first["type"] == "json_invalid" else str(first["input"]).strip()
        gist = value if len(value) <= _GIST else f"{value[:_GIST]}…"
        raise DialogueFormatError(f"{place} is not a valid conversation: {problem}; found {gist!r}") from error


def conversations_in(path: Path) -> Iterator[Conversation]:
    """Yield the conversations in a file; `text_lines` splits it into lines.

    Raises DialogueFormatError, with the line number, for a line that cannot be parsed, and DialogueError if the file
    cannot be read.
    """
    return (conversation_of(line, f"line {number} of {path}") for number, line in text_lines(path))


def as_json_line(conversation: Conversation) -> str:
    """Return a conversation as one line of JSON, without a newline; `conversation_of` parses it. Lone surrogates, which
    UTF-8 cannot encode, become U+FFFD.
    """
    line = json.dumps(conversation.wire(), ensure_ascii=False)
    return line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def write_conversations(path: Path, conversations: Iterable[Conversation]) -> None:
    """Write conversations to a file; a concurrent reader sees either the old file or the new one.

    Consent is not checked here: see `release.publish`. Raises FolderError if the file cannot be written.
    """
    lines = "".join(f"{as_json_line(conversation)}\n" for conversation in conversations)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_private(path, lines.encode())
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> FolderError:
    """Return the error for a file or folder that cannot be written."""
    hint = "Choose a writable folder on a disk with free space."
    return FolderError(f"{path} cannot be written: {error.strerror or error}", hint=hint)
