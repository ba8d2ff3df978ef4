"""The lock file of tuned templates: records the conditions of the tuning, and warns if they have changed since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, ValidationError

from investigator.asking.template_check import SUFFIX
from investigator.asking.templates import source_of
from investigator.errors import TemplateError
from investigator.files import read_private, write_private
from investigator.records import Record

LOCK_NAME = "tuned.lock.json"


class LockedText(Record):
    """The name of a template, `owner/name`, and the sha256 of its text."""

    name: str
    sha256: str


class TuningLock(Record):
    """Describes a proven tuning result: the model, the data and the gain."""

    model: str
    templates: tuple[LockedText, ...] = ()
    settings: tuple[str, ...] = ()
    data: str = Field(description="hash of questions and documents")
    seed: int
    measure: str
    questions: int = Field(description="number of questions in the test set")
    baseline: float
    score: float
    low: float = Field(description="lower end of the 95 % confidence interval for the gain")
    high: float
    p: float


def locked(name: str, text: str) -> LockedText:
    """Return the lock entry for a template with this text."""
    return LockedText(name=name, sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def write_lock(folder: Path, lock: TuningLock) -> None:
    """Write the lock file of a folder. Raises OSError."""
    write_private(folder / LOCK_NAME, lock.model_dump_json(indent=2).encode())


def lock_warnings(folder: Path, model: str) -> Iterator[str]:
    """Yield a warning for each change since the templates in a folder were tuned; without a lock, yield nothing."""
    file = folder / LOCK_NAME
    if not file.exists():
        return
    try:
        lock = TuningLock.model_validate_json(read_private(file))
    except (OSError, ValidationError):
        yield f"{file} cannot be read, so it is unknown how its templates were tuned"
        return
    if lock.model != model:
        then, today = _apart(lock.model, model), _apart(model, lock.model)
        yield f"the templates in {folder} were tuned for {then}, and their gain is not proven for {today}"
    for one in lock.templates:
        try:
            now = locked(one.name, source_of(folder / f"{one.name}{SUFFIX}"))
        except TemplateError:
            now = None
        if now != one:
            yield f"the template {one.name} in {folder} differs from the template that was tuned"


def _apart(model: str, other: str) -> str:
    """Return a model's name; if it is a list with a name for each role, omit the names that also occur in `other`."""
    return ", ".join(one for one in model.split(", ") if one not in other.split(", ")) or model
