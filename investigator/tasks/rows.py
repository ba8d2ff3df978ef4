"""Reads data files into strict records; errors name the file, the place and the value. FileTeacher reports empty files,
for all tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from investigator.errors import DialogueError, DialogueFormatError, in_words
from investigator.files.text_lines import decoded, first_fault, json_rows
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


def json_array(file: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the rows of a file that is either a JSON array or JSONL. Raises DialogueFormatError, whose message contains
    the location of the error.
    """
    if _content(file).lstrip().startswith("["):
        for rows in _document(file, TypeAdapter(tuple[kind, ...])):  # type: ignore[valid-type]
            yield from rows
    else:
        for _, row in json_rows(file, kind):
            yield row


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


def _content(file: Path) -> str:
    try:
        return decoded(file, file.read_bytes())
    except OSError as error:
        hint = "Choose a file that exists and can be read."
        raise DialogueError(f"the data file {file} cannot be read: {in_words(error)}", hint=hint) from error
