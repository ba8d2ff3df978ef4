"""Files of conversations, one JSON object a line, read as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import ValidationError

from investigator.bb3.bb3x.records import Conversation
from investigator.dialogue.text_lines import LONGEST_LINE, numbered_lines
from investigator.errors import DialogueFormatError

_GIST = 60


def conversation_of(line: str, place: str = "the line") -> Conversation:
    """The conversation in one line of JSON.

    Raises DialogueFormatError, which names the place, the field, what is wrong with it and what stands there.
    """
    try:
        return Conversation.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
        told = f"{where.lstrip('.')}: {first['msg']}" if where else str(first["msg"])
        found = line if first["type"] == "json_invalid" else str(first["input"])
        raise DialogueFormatError(f"{place} holds no conversation: {told}; there is {_gist(found)}") from error


def conversations_in(
    path: Path, on_bad_line: Callable[[DialogueFormatError], None] | None = None
) -> Iterator[Conversation]:
    r"""The conversations of a file, one after another; lines end with \n alone, blank ones are passed over.

    A line that cannot be read raises DialogueFormatError, with its number; with `on_bad_line` that is given the error
    and the file goes on. Raises DialogueFormatError too where the file cannot be opened.
    """
    try:
        with path.open("rb") as stream:
            for number, line in numbered_lines(stream):
                if not line.strip():
                    continue
                try:
                    yield _decoded(line, f"line {number} of {path}")
                except DialogueFormatError as error:
                    if on_bad_line is None:
                        raise
                    on_bad_line(error)
    except OSError as error:
        hint = "Name a file that exists and can be read."
        raise DialogueFormatError(f"the file {path} cannot be read: {error.strerror}", hint=hint) from error


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
