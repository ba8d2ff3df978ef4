"""Reads data files into strict records; errors name the file, the place and the value. FileTeacher reports empty files,
for all tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from investigator.dialogue.text_lines import BYTE_ORDER_MARK, decoded, malformed, text_lines
from investigator.errors import DialogueError, DialogueFormatError
from investigator.evaluation.lines import first_fault
from investigator.records import Record


class TaskRow(Record):
    """A row of a data set. Each field must have the declared type, and unknown fields are ignored. If an object
    contains a key twice, the last value is used.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, populate_by_name=True)


Id = Annotated[str, BeforeValidator(lambda value: str(value) if type(value) is int else value)]
"""An id in a data set; some data sets use numbers, which become strings."""

Row = TypeVar("Row", bound=TaskRow)
Form = TypeVar("Form")

_HEAD = 65_536  # number of bytes read from the start of a file to find its format


def json_rows(file: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the rows of a JSONL file. Raises DialogueFormatError, with the number of an invalid line."""
    for number, line in text_lines(file):
        try:
            yield kind.model_validate_json(line)
        except ValidationError as error:
            raise malformed(file, number, first_fault(error), line) from error


def json_array(file: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the rows of a file that is either a JSON array or JSONL. Raises DialogueFormatError, whose message contains
    the location of the error.
    """
    if _first_character(file) == b"[":
        for rows in _document(file, TypeAdapter(tuple[kind, ...])):  # type: ignore[valid-type]
            yield from rows
    else:
        yield from json_rows(file, kind)


def json_document(file: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the JSON object in a file, or nothing if the file is blank. Raises DialogueFormatError, whose message
    contains the location of the error.
    """
    yield from _document(file, TypeAdapter(kind))


def _document(file: Path, form: TypeAdapter[Form]) -> Iterator[Form]:
    content = _content(file)
    if not content or content.isspace():
        return
    try:
        yield form.validate_json(content)
    except ValidationError as error:
        raise DialogueFormatError(f"{file} cannot be used: {first_fault(error)}") from error


def _first_character(file: Path) -> bytes:
    """Return the first non-blank byte of a file."""
    try:
        with file.open("rb") as stream:
            return stream.read(_HEAD).removeprefix(BYTE_ORDER_MARK).lstrip()[:1]
    except OSError as error:
        raise _unreadable(file, error) from error


def _content(file: Path) -> bytes:
    """Return the contents of a file, without a byte order mark. Raises DialogueFormatError if the file is not UTF-8."""
    try:
        content = file.read_bytes().removeprefix(BYTE_ORDER_MARK)
    except OSError as error:
        raise _unreadable(file, error) from error
    decoded(file, content)
    return content


def _unreadable(file: Path, error: OSError) -> DialogueError:
    hint = "Choose a file that exists and can be read."
    return DialogueError(f"the data file {file} cannot be read: {error.strerror or error}", hint=hint)
