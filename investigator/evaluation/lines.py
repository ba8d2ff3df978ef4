"""Reads files with one JSON record per line, of users and of our own; errors name the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from reprlib import Repr
from typing import Generic, TypeVar

from pydantic import ConfigDict, Field, ValidationError

from investigator.errors import EvaluationDataError, StoreError
from investigator.files.lines import append_line, whole_lines
from investigator.records import Record

_GIST = 80  # maximum number of characters from a value in an error message

_shown = Repr()
_shown.maxstring = _shown.maxother = _GIST


class ForeignRow(Record):
    """A row in an external file: unknown fields are ignored, and numbers become strings, for example as ids."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True, populate_by_name=True)


class RowWithId(ForeignRow):
    """A row with an id."""

    id: str = Field(min_length=1)


Row = TypeVar("Row", bound=Record)
IdentifiedRow = TypeVar("IdentifiedRow", bound=RowWithId)


def text_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines as (line number, line), counting from 1. Raises EvaluationDataError."""
    try:
        with file.open(encoding="utf-8-sig", newline="\n") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except OSError as error:
        hint = "Choose a file that exists."
        raise EvaluationDataError(f"the file {file} cannot be read: {error.strerror}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise EvaluationDataError(f"the file {file} is not UTF-8 text", hint="Save it as UTF-8.") from error


def rows_of(file: Path, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a JSONL file as (line number, row). Raises EvaluationDataError for an invalid line."""
    for number, line in text_lines(file):
        try:
            yield number, kind.model_validate_json(line)
        except ValidationError as error:
            raise EvaluationDataError(f"line {number} of {file} cannot be used: {first_fault(error)}") from error


def by_id(file: Path, what: str, rows: Iterable[tuple[int, IdentifiedRow]]) -> dict[str, IdentifiedRow]:
    """Collect the numbered rows of a file, keyed by id. Raises EvaluationDataError for a duplicate id, or if there are
    no rows; `what` names the kind of row in the message.
    """
    found: dict[str, IdentifiedRow] = {}
    for number, row in rows:
        if row.id in found:
            raise EvaluationDataError(f"line {number} of {file}: the id {row.id} occurs twice")
        found[row.id] = row
    if not found:
        raise EvaluationDataError(f"the file {file} contains no {what}")
    return found


def first_fault(error: ValidationError) -> str:
    """Return the place of the first error, its message, and the value that caused it, shortened."""
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "json_invalid":
        return first["msg"]
    return f"{f'{place}: ' if place else ''}{first['msg']}, in {_shown.repr(first['input'])[:_GIST]}"


@contextmanager
def storing(place: Path, hint: str = "Use --out to choose a place that you may write to.") -> Iterator[None]:
    """Translate errors of files that we keep. Raises StoreError."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{place} cannot be read or written: {error.strerror}", hint=hint) from error


@dataclass(frozen=True)
class RecordFile(Generic[Row]):
    """An append-only file of our own with a record per line; `what` names a record in errors."""

    path: Path
    kind: type[Row]
    what: str

    def read(self) -> Iterator[Row]:
        """Yield the records, and remove a truncated last line from the file. Raises StoreError, and
        EvaluationDataError for a line of another kind.
        """
        with storing(self.path):
            lines = whole_lines(self.path)
        for number, line in enumerate(lines, start=1):
            try:
                yield self.kind.model_validate_json(line)
            except ValidationError as error:
                problem = f"line {number} of {self.path} is not {self.what}"
                raise EvaluationDataError(problem, hint="Choose another place with --out.") from error

    def append(self, record: Row) -> None:
        """Store one record immediately. Raises StoreError."""
        with storing(self.path):
            append_line(self.path, record.model_dump_json(exclude_defaults=True))
