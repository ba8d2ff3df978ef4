"""Reads conversations one at a time from files with one JSON object per line, and writes such files atomically."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from investigator.bb3.bb3x.records import Conversation
from investigator.errors import FolderError
from investigator.files import write_private
from investigator.files.text_lines import json_rows


def conversations_in(path: Path) -> Iterator[Conversation]:
    """Yield the conversations in a file. Raises DataError, with line number, field and problem."""
    return (conversation for _, conversation in json_rows(path, Conversation))


def as_json_line(conversation: Conversation) -> str:
    """Return a conversation as one line of JSON, without a newline; lone surrogates become U+FFFD."""
    line = json.dumps(conversation.wire(), ensure_ascii=False)
    return line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def write_conversations(path: Path, conversations: Iterable[Conversation]) -> None:
    """Write conversations atomically, without a check of consent. Raises FolderError."""
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
