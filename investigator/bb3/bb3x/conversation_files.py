"""Files of conversations, one JSON object per line: read as a stream, written atomically."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from investigator.bb3.bb3x.records import Conversation
from investigator.dialogue.text_lines import LONGEST_LINE, numbered_lines
from investigator.errors import DialogueFormatError, FolderError

_GIST = 60


def conversation_of(line: str, place: str = "the line") -> Conversation:
    """Parse a conversation from a line of JSON. Raises DialogueFormatError with the place, the field and the
    problem.
    """
    try:
        return Conversation.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
        told = f"{where.lstrip('.')}: {first['msg']}" if where else str(first["msg"])
        found = line if first["type"] == "json_invalid" else str(first["input"])
        raise DialogueFormatError(f"{place} contains no conversation: {told}; found {_gist(found)}") from error


def conversations_in(path: Path) -> Iterator[Conversation]:
    r"""Yield the conversations of a file; lines end with \n only, blank ones are skipped.

    Raises DialogueFormatError for a line that cannot be read, with its number, and if the file cannot be opened.
    """
    try:
        with path.open("rb") as stream:
            for number, line in numbered_lines(stream):
                if line.strip():
                    yield _decoded(line, f"line {number} of {path}")
    except OSError as error:
        hint = "Name a file that exists and can be read."
        raise DialogueFormatError(f"the file {path} cannot be read: {error.strerror}", hint=hint) from error


def line_of(conversation: Conversation) -> str:
    """Return a conversation as one line of JSON, without the end of the line; `conversation_of` parses it again. Lone
    surrogates, which UTF-8 cannot encode, become U+FFFD.
    """
    line = json.dumps(conversation.wire(), ensure_ascii=False)
    return line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def write_conversations(path: Path, conversations: Iterable[Conversation]) -> int:
    """Write a file of conversations and return their number; a concurrent reader sees the old file or the new one.

    Consent is not checked here: see `release.publish`. Raises FolderError if the file cannot be written.
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
    """Return the error for a file or a folder that cannot be written."""
    hint = "Name a folder that can be written to, on a disk with space left."
    return FolderError(f"{path} cannot be written: {error.strerror or error}", hint=hint)


def _decoded(line: bytes, place: str) -> Conversation:
    if len(line) > LONGEST_LINE:
        raise DialogueFormatError(f"{place} is longer than {LONGEST_LINE // 1024**2} MiB")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        gist = _gist(line.decode("utf-8", "replace"))
        raise DialogueFormatError(f"{place} is not UTF-8 text: {gist}", hint="Save the file as UTF-8.") from error
    return conversation_of(text, place)


def _gist(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= _GIST else f"{text[:_GIST]}…")
