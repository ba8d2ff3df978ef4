"""Reads data files line by line; errors name the file and the line, and show its text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from investigator.errors import DialogueError, DialogueFormatError

GIST = 80
"""Maximum number of characters to show from a line in an error."""

LONGEST_LINE = 64 * 1024 * 1024
"""Maximum length of a line in bytes. A longer line is unlikely to be an example, and might not fit in memory."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def text_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    r"""Yield the non-blank lines of a UTF-8 file with their numbers, counted from 1. Only `\n` and `\r\n` end a line,
    so text may contain other line separators. The file is read line by line. Raises DialogueError if it cannot be read,
    and DialogueFormatError if a line is not UTF-8 or is longer than LONGEST_LINE.
    """
    try:
        with Path(path).open("rb") as file:
            for number, raw in _numbered_lines(file):
                if len(raw) > LONGEST_LINE:
                    told = f"it is longer than {LONGEST_LINE // 1024**2} MiB"
                    raise malformed(path, number, told, raw[: 2 * GIST].decode("utf-8", "replace"))
                line = decoded(path, raw.removesuffix(b"\n").removesuffix(b"\r"), number)
                if line.strip():
                    yield number, line
    except OSError as error:
        raise DialogueError(
            f"the data file {path} cannot be read: {error.strerror or error}", hint="Choose a file that exists."
        ) from error


def _numbered_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers, counted from 1. A line longer than LONGEST_LINE is truncated, and a
    byte order mark before the first line is dropped.
    """
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_LINE + 1)
        yield number, line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line


def json_lines(path: str | Path) -> Iterator[tuple[int, str, object]]:
    """Yield (line number, text of the line, value) for each line of a file with one JSON value per line.

    Raises DialogueError if the file cannot be read, and DialogueFormatError if a line is not JSON.
    """
    for number, line in text_lines(path):
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise malformed(path, number, f"it is not JSON ({error})", line) from error
        yield number, line, value


def malformed(path: str | Path, number: int, problem: str, line: str, *, hint: str = "") -> DialogueFormatError:
    """Return the error for an unusable line of a file, with the reason."""
    gist = line if len(line) <= GIST else line[: GIST - 1] + "…"
    return DialogueFormatError(f"{path}, line {number}: {problem}; the line is: {gist!r}", hint=hint)


def decoded(path: str | Path, raw: bytes, first_line: int = 1) -> str:
    """Decode part of a file, which begins at line number `first_line`.

    Raises DialogueFormatError with the line and the byte if the part is not valid UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        begins = raw.rfind(b"\n", 0, error.start) + 1
        line = raw[begins : begins + 4 * GIST].partition(b"\n")[0].decode("utf-8", errors="replace")
        number = first_line + raw.count(b"\n", 0, error.start)
        told = f"byte {error.start - begins + 1} is not UTF-8"
        raise malformed(path, number, told, line, hint="Save the file as UTF-8.") from error
