"""Reads text files line by line, and files with one JSON value, or one per line. Errors name the file and the line,
and show its text; callers choose their class.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from reprlib import Repr
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from investigator.errors import DataError, UserError, in_words

GIST = 80
"""Maximum number of characters to show from a line or a value in an error."""

LONGEST_LINE = 64 * 1024 * 1024
"""Maximum length of a line in bytes. A longer line is unlikely to be an example, and might not fit in memory."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Row = TypeVar("Row", bound=BaseModel)
Value = TypeVar("Value")

_shown = Repr()
_shown.maxstring = _shown.maxother = GIST


def text_lines(path: str | Path, error: type[UserError] = DataError) -> Iterator[tuple[int, str]]:
    r"""Yield the non-blank lines of a UTF-8 file with their numbers, counted from 1. Only `\n` and `\r\n` end a line,
    so text may contain other line separators. The file is read line by line. Raises `error` if it cannot be read, or
    a line is not UTF-8 or is longer than LONGEST_LINE.
    """
    try:
        with Path(path).open("rb") as file:
            for number, raw in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1):
                if len(raw) > LONGEST_LINE:
                    start = raw[: 2 * GIST].decode("utf-8", "replace")
                    raise malformed(path, number, f"it is longer than {LONGEST_LINE:,} bytes", start, error=error)
                line = decoded(path, raw.removesuffix(b"\n").removesuffix(b"\r"), number, error)
                if line.strip():
                    yield number, line
    except OSError as problem:
        raise _unreadable(path, problem, error) from problem


def json_lines(path: str | Path, error: type[UserError] = DataError) -> Iterator[tuple[int, str, object]]:
    """Yield (line number, text of the line, value) for each line of a file with one JSON value per line. Raises `error`
    if a line is not JSON, and as `text_lines` does.
    """
    for number, line in text_lines(path, error):
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError) as problem:
            raise malformed(path, number, f"it is not JSON ({problem})", line, error=error) from problem
        yield number, line, value


def json_rows(path: str | Path, kind: type[Row], error: type[UserError] = DataError) -> Iterator[tuple[int, Row]]:
    """Yield (line number, record) for each line of a file with one JSON object per line. Raises `error` if a line is
    not such a record, and as `text_lines` does.
    """
    for number, line in text_lines(path, error):
        try:
            yield number, kind.model_validate_json(line)
        except ValidationError as problem:
            raise malformed(path, number, first_fault(problem), line, error=error) from problem


def json_document(path: str | Path, form: TypeAdapter[Value], error: type[UserError] = DataError) -> Value | None:
    """Return the value in a file with one JSON value; None if the file is blank. Raises `error`, with the place of the
    fault, if the value has another form, and as `text_lines` does.
    """
    try:
        content = decoded(path, Path(path).read_bytes(), error=error)
        return form.validate_json(content) if content.strip() else None
    except OSError as problem:
        raise _unreadable(path, problem, error) from problem
    except ValidationError as problem:
        raise error(f"{path} cannot be used: {first_fault(problem)}") from problem


def _unreadable(path: str | Path, problem: OSError, error: type[UserError]) -> UserError:
    return error(f"the data file {path} cannot be read: {in_words(problem)}", hint="Choose a file that exists.")


def decoded(path: str | Path, raw: bytes, number: int = 1, error: type[UserError] = DataError) -> str:
    """Decode part of a file, which begins at line `number`, and drop a byte order mark at the beginning of the file.
    Raises `error`, with the line and the byte, if the part is not UTF-8.
    """
    try:
        return (raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw).decode("utf-8")
    except UnicodeDecodeError as problem:
        start = raw.rfind(b"\n", 0, problem.start) + 1
        gist = raw[start : start + 4 * GIST].partition(b"\n")[0].decode("utf-8", "replace")
        place = number + raw.count(b"\n", 0, problem.start)
        fault = f"byte {problem.start - start + 1} is not UTF-8"
        raise malformed(path, place, fault, gist, hint="Save the file as UTF-8.", error=error) from problem


def malformed(
    path: str | Path,
    number: int,
    problem: str,
    line: str,
    *,
    hint: str = "",
    error: type[UserError] = DataError,
) -> UserError:
    """Return the error for an unusable line of a file, with the reason."""
    gist = line if len(line) <= GIST else line[: GIST - 1] + "…"
    return error(f"{path}, line {number}: {problem}; the line is: {gist!r}", hint=hint)


def first_fault(error: ValidationError) -> str:
    """Return the place of the first error in a record, its message, and the value that caused it, shortened."""
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return first["msg"]
    place = ".".join(str(part) for part in first["loc"])
    return f"{f'{place}: ' if place else ''}{first['msg']}, in {_shown.repr(first['input'])[:GIST]}"
