"""Files of JSON records, one a line, read with the number of the line in every complaint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from reprlib import Repr
from typing import TypeVar

from pydantic import ConfigDict, ValidationError

from investigator.errors import EvaluationDataError
from investigator.records import Record


class ForeignRow(Record):
    """A row of a file that others made: fields that are not known here are left out, and numbers may be ids."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True, populate_by_name=True)


Row = TypeVar("Row", bound=Record)

GIST = 80
"""How much of a value an error shows, in characters."""

_shown = Repr()
_shown.maxstring = _shown.maxother = GIST


def text_lines(file: Path) -> Iterator[tuple[int, str]]:
    """(number, line) of the lines that are not empty, from 1. Raises EvaluationDataError if it cannot be read."""
    try:
        with file.open(encoding="utf-8-sig", newline="\n") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except OSError as error:
        hint = "Name a file that exists."
        raise EvaluationDataError(f"the file {file} cannot be read: {error.strerror}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise EvaluationDataError(f"the file {file} is not UTF-8 text", hint="Save it as UTF-8.") from error


def rows_of(file: Path, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    """(number, row) of a JSONL file. Raises EvaluationDataError, which names the line."""
    for number, line in text_lines(file):
        try:
            yield number, kind.model_validate_json(line)
        except ValidationError as error:
            raise EvaluationDataError(f"line {number} of {file} cannot be used: {first_fault(error)}") from error


def first_fault(error: ValidationError) -> str:
    """Return where the first thing is wrong, what, and the gist of the value that is there."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "json_invalid":
        return first["msg"]
    return f"{f'{where}: ' if where else ''}{first['msg']}, in {_shown.repr(first['input'])[:GIST]}"
