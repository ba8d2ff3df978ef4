"""Records which data was used for a test: a test set that was seen before proves less."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from investigator.errors import StoreError
from investigator.files import for_owner, make_private_folder
from investigator.records import Record


class Opening(Record):
    """A use of a test set: the data, the templates or settings, and the tuning run."""

    data: str
    subject: str
    run: str
    opened: str


class Openings:
    """The uses of test sets known in a workspace, in an append-only file. Raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def before(self, data: str, subject: str, run: str) -> tuple[Opening, ...]:
        """Return the uses of the same data for the same subject by other runs."""
        same = (one for one in self._read() if (one.data, one.subject) == (data, subject))
        return tuple({one.run: one for one in same if one.run != run}.values())

    def record(self, data: str, subject: str, run: str, now: datetime) -> None:
        """Record that a run uses the test set, once per run."""
        if any(one.run == run and one.data == data and one.subject == subject for one in self._read()):
            return
        opening = Opening(data=data, subject=subject, run=run, opened=now.isoformat(timespec="seconds"))
        try:
            make_private_folder(self._path.parent)
            with open(self._path, "a", encoding="utf-8", newline="\n", opener=for_owner) as file:
                file.write(opening.model_dump_json() + "\n")
        except OSError as error:
            raise StoreError(f"the opening cannot be kept in {self._path}: {error.strerror}") from error

    def _read(self) -> list[Opening]:
        try:
            lines = self._path.read_bytes().splitlines() if self._path.exists() else []
            return [Opening.model_validate_json(line) for line in lines]
        except (OSError, ValidationError) as error:
            raise StoreError(f"{self._path} cannot be read: what was tested before is not known") from error
