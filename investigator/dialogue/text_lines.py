"""The lines of data files: numbered, and named in errors by file, number and gist."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from investigator.errors import DialogueError, DialogueFormatError

GIST = 80
"""How much of a line an error shows, in characters."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def text_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    r"""The lines of a UTF-8 file that are not blank, each with its number from 1.

    Lines end with `\n` or `\r\n` and with nothing else, so other line separators may stand in a text. The file is read
    line by line. Raises DialogueError where it cannot be read, DialogueFormatError where a line is not UTF-8.
    """
    try:
        with Path(path).open("rb") as file:
            for number, raw in enumerate(file, start=1):
                line = _decoded(path, number, raw)
                if line.strip():
                    yield number, line
    except OSError as error:
        raise DialogueError(
            f"the data file {path} cannot be read: {error.strerror or error}", hint="Name a file that exists."
        ) from error


def json_lines(path: str | Path) -> Iterator[tuple[int, str, object]]:
    """The values of a file with one JSON value a line, each with its line's number and text.

    Raises DialogueError where the file cannot be read, DialogueFormatError where a line is not JSON.
    """
    for number, line in text_lines(path):
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise malformed(path, number, f"it is not JSON ({error})", line) from error
        yield number, line, value


def malformed(path: str | Path, number: int, problem: str, line: str) -> DialogueFormatError:
    """The error that says which line of a file cannot be used, and why."""
    gist = line if len(line) <= GIST else line[: GIST - 1] + "…"
    return DialogueFormatError(f"{path}, line {number}: {problem}; the line is: {gist!r}")


def _decoded(path: str | Path, number: int, raw: bytes) -> str:
    if number == 1:
        raw = raw.removeprefix(_BYTE_ORDER_MARK)
    raw = raw.removesuffix(b"\n").removesuffix(b"\r")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        shown = raw.decode("utf-8", errors="replace")
        raise malformed(path, number, f"byte {error.start + 1} is not UTF-8", shown) from error
