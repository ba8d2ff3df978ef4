"""Records which data was used for a test, because a test set proves less each time it is used."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from investigator.errors import StoreError
from investigator.files.lines import append_line, whole_lines
from investigator.records import Record


class Opening(Record):
    """One use of a test set: its data, the templates or settings under test, and the tuning run."""

    data: str
    subject: str
    run: str
    opened: str


class Openings:
    """The recorded uses of test sets in a workspace, stored in an append-only file. Raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def before(self, data: str, subject: str, run: str) -> tuple[Opening, ...]:
        """Return other runs' uses of the same data for the same subject."""
        same = (one for one in self._read() if (one.data, one.subject) == (data, subject))
        return tuple({one.run: one for one in same if one.run != run}.values())

    def record(self, data: str, subject: str, run: str, now: datetime) -> None:
        """Record that a run uses the test set, once per run."""
        if any(one.run == run and one.data == data and one.subject == subject for one in self._read()):
            return
        opening = Opening(data=data, subject=subject, run=run, opened=now.isoformat(timespec="seconds"))
        try:
            append_line(self._path, opening.model_dump_json())
        except OSError as error:
            raise StoreError(f"the use of the test set cannot be recorded in {self._path}: {error.strerror}") from error

    def _read(self) -> list[Opening]:
        try:
            return [Opening.model_validate_json(line) for line in whole_lines(self._path)]
        except (OSError, ValidationError) as error:
            hint = "Restore the file, or tune with new questions and another --workspace DIR."
            raise StoreError(f"{self._path} cannot be read, so earlier tests are unknown", hint=hint) from error
