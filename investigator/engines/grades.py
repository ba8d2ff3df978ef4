"""The grades of models, which `investigator doctor` gives and an investigation looks up: how far a model is trusted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_data_path
from pydantic import ValidationError

from investigator.engines.base import Engine, traits_of
from investigator.engines.roles import Role
from investigator.errors import StoreError
from investigator.files import make_private_folder, read_private, write_private
from investigator.records import Record, Trust

PASSES = 0.8
"""The lowest share of tasks solved at which a model passes in a role."""

GRADED: tuple[Role, ...] = (Role.ASK, Role.ANSWER, Role.CHECK)
"""The roles in which a model is graded."""


class _Kept(Record):
    """The file: the share of tasks that each engine solved, by role."""

    version: int = 1
    shares: Mapping[str, Mapping[Role, float]] = {}


class Grades:
    """The grades in one file, by the names of engines; without `path`, in the user's data directory.

    A file that is missing or damaged contains no grades.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or user_data_path("investigator", appauthor=False) / "grades.json"

    def trust_of(self, engine_name: str, role: Role) -> Trust:
        """Return whether an engine has passed in a role, failed, or was never graded. Raises ForeignFileError."""
        share = self._read().shares.get(engine_name, {}).get(role)
        if share is None:
            return Trust.UNGRADED
        return Trust.PASSED if share >= PASSES else Trust.FAILED

    def keep(self, engine_name: str, shares: Mapping[Role, float]) -> None:
        """Store the share of tasks (0..1) that an engine solved in each role; other roles keep their grades.

        Raises ForeignFileError and StoreError.
        """
        kept = self._read()
        own = {**kept.shares.get(engine_name, {}), **shares}
        text = kept.changed(shares={**kept.shares, engine_name: own}).model_dump_json(indent=1)
        try:
            make_private_folder(self._path.parent)
            write_private(self._path, text.encode())
        except OSError as error:
            raise StoreError(
                f"the grades cannot be stored in {self._path}: {error.strerror}",
                hint="Make that folder writable, or leave the grades out: --no-grade",
            ) from error

    def _read(self) -> _Kept:
        try:
            return _Kept.model_validate_json(read_private(self._path))
        except (OSError, ValidationError):
            return _Kept()


def trust_in(engine: Engine, role: Role, grades: Grades) -> Trust:
    """Return how far an engine is trusted in a role; the built-in finder, which goes by measures, does not read."""
    return Trust.UNREAD if traits_of(engine).goes_by_measures else grades.trust_of(engine.name, role)
