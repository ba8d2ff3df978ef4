"""Conversations are written: one JSON object a line, a whole file or none."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from investigator.bb3.bb3x.records import Conversation
from investigator.errors import FolderError


def line_of(conversation: Conversation) -> str:
    """A conversation as one line of JSON, without the end of the line; `reading.conversation_of` gives it back.

    Half a surrogate pair, which no UTF-8 text can hold, becomes U+FFFD.
    """
    line = json.dumps(conversation.wire(), ensure_ascii=False)
    return line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def write_conversations(path: Path, conversations: Iterable[Conversation]) -> int:
    """Write a file of conversations, and say how many; whoever reads it meanwhile finds the old one or the new.

    Nothing is asked about consent here: see `release.export`. Raises FolderError where it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise unwritable(path, error) from error
    count = 0
    try:
        with os.fdopen(number, "w", encoding="utf-8", newline="\n") as file:
            for conversation in conversations:
                file.write(line_of(conversation) + "\n")
                count += 1
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        Path(name).unlink(missing_ok=True)
    return count


def unwritable(path: Path, error: OSError) -> FolderError:
    """What to say where a file or a folder cannot be written."""
    hint = "Name a folder that can be written to, on a disk with space left."
    return FolderError(f"{path} cannot be written: {error.strerror or error}", hint=hint)
