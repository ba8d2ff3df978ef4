"""Reads files with one JSON record per line, of users and of our own; errors name the line."""

from __future__ import annotations

import os
from collections.abc import Iterator
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


def rows_by_id(file: Path, kind: type[IdentifiedRow], what: str) -> dict[str, IdentifiedRow]:
    """Return the rows of a JSONL file, keyed by id; `what` names them in errors. Raises DataError for an invalid line,
    a duplicate id, or a file without rows.
    """
    rows: dict[str, IdentifiedRow] = {}
    for number, row in json_rows(file, kind):
        if row.id in rows:
            raise DataError(f"line {number} of {file}: the id {row.id} occurs twice")
        rows[row.id] = row
    if not rows:
        raise DataError(f"the file {file} contains no {what}")
    return rows


@contextmanager
def storing(place: Path) -> Iterator[None]:
    """Translate errors of files that we keep. Raises StoreError."""
    try:
        yield
    except OSError as error:
        hint = "Use --out to choose a place that you may write to."
        raise StoreError(f"{place} cannot be read or written: {error.strerror}", hint=hint) from error


@dataclass(frozen=True)
class RecordFile(Generic[Row]):
    """An append-only file of our own with a record per line; `what` names a record in errors. Raises StoreError."""

    path: Path
    kind: type[Row]
    what: str

    def read(self) -> Iterator[Row]:
        """Yield the records, and remove a last line that a killed process left. Raises DataError for other lines."""
        with storing(self.path):
            content = self.path.read_bytes() if self.path.exists() else b""
            whole = content[: content.rfind(b"\n") + 1]
            if whole != content:
                os.truncate(self.path, len(whole))
        for number, line in enumerate(whole.split(b"\n")[:-1], start=1):
            try:
                yield self.kind.model_validate_json(line)
            except ValidationError as error:
                problem = f"line {number} of {self.path} is not {self.what}"
                raise DataError(problem, hint="Choose another place with --out.") from error

    def append(self, record: Row) -> None:
        """Store one record immediately, in a private file."""
        with storing(self.path):
            make_private_folder(self.path.parent)
            with open(self.path, "a", encoding="utf-8", newline="\n", opener=for_owner) as file:
                file.write(record.model_dump_json(exclude_defaults=True) + "\n")
