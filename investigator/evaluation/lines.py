"""Reads files with one JSON record per line, of users and of our own; errors name the line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ConfigDict, Field, ValidationError

from investigator.errors import DataError, StoreError
from investigator.files import for_owner, make_private_folder
from investigator.files.text_lines import json_rows
from investigator.records import Record


class ForeignRow(Record):
    """A row in an external file: unknown fields are ignored, and numbers become strings, for example as ids."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True, populate_by_name=True)


class RowWithId(ForeignRow):
    """A row with an id."""

    id: str = Field(min_length=1)


Row = TypeVar("Row", bound=Record)
IdentifiedRow = TypeVar("IdentifiedRow", bound=RowWithId)


def rows_of(file: Path, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a JSONL file as (line number, row). Raises DataError for an invalid line."""
    return json_rows(file, kind)


def by_id(file: Path, what: str, rows: Iterable[tuple[int, IdentifiedRow]]) -> dict[str, IdentifiedRow]:
    """Collect the numbered rows of a file, keyed by id. Raises DataError for a duplicate id, or if there are
    no rows; `what` names the kind of row in the message.
    """
    collected: dict[str, IdentifiedRow] = {}
    for number, row in rows:
        if row.id in collected:
            raise DataError(f"line {number} of {file}: the id {row.id} occurs twice")
        collected[row.id] = row
    if not collected:
        raise DataError(f"the file {file} contains no {what}")
    return collected


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
        DataError for a line of another kind.
        """
        with storing(self.path):
            lines = whole_lines(self.path)
        for number, line in enumerate(lines, start=1):
            try:
                yield self.kind.model_validate_json(line)
            except ValidationError as error:
                problem = f"line {number} of {self.path} is not {self.what}"
                raise DataError(problem, hint="Choose another place with --out.") from error

    def append(self, record: Row) -> None:
        """Store one record immediately. Raises StoreError."""
        with storing(self.path):
            append_line(self.path, record.model_dump_json(exclude_defaults=True))


def whole_lines(path: Path) -> list[bytes]:
    """Return the lines of a file, and remove a last one that a killed process did not finish; none if there is no file.
    Raises OSError.
    """
    kept = path.read_bytes() if path.exists() else b""
    whole = kept[: kept.rfind(b"\n") + 1]
    if whole != kept:
        os.truncate(path, len(whole))
    return whole.split(b"\n")[:-1]


def append_line(path: Path, text: str) -> None:
    """Append a line to a private file, which is created with its folder if needed. Raises OSError."""
    make_private_folder(path.parent)
    with open(path, "a", encoding="utf-8", newline="\n", opener=for_owner) as file:
        file.write(text + "\n")
