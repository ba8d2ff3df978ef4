"""Pulled models: their locations in the user's data directory, and their metadata."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from platformdirs import user_data_path
from pydantic import Field, ValidationError

from investigator.errors import ForeignFileError, SettingsError
from investigator.files import check_private_folder, is_plain_file, make_private_folder, read_private, write_private
from investigator.records import Record
from investigator.resources import data_text

_NOTE = "model.json"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_REPO_FILE = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+):(?P<file>[\w.-]+(?:/[\w.-]+)*\.gguf)", re.IGNORECASE)
_HINT = "Pull one with: investigator model pull"


class LocalModel(Record):
    """A model that can be pulled: a GGUF file in a repository of a model hub.

    `licence` and `gigabytes` come from the shipped table, until the hub's own data replaces them during a pull.
    `sha256` and `revision` pin the file if they are set. `measured` is the model's result in our benchmarks.
    """

    name: str = Field(pattern=_NAME.pattern)
    repo: str
    file: str
    licence: str = ""
    gigabytes: float | None = None
    revision: str | None = None
    sha256: str | None = None
    measured: str = "not measured"


class LocalModels(Record):
    """The recommended models and the date of the table; the first model is pulled if none is named."""

    as_of: str
    models: tuple[LocalModel, ...] = Field(min_length=1)


class PulledModel(Record):
    """A pulled model: its commit on the hub, and the checksum and size of its file."""

    name: str = Field(pattern=_NAME.pattern)
    repo: str
    file: str
    commit: str
    sha256: str
    size: int
    licence: str = ""
    pulled: datetime

    @property
    def path(self) -> Path:
        """Return the path of the GGUF file."""
        return folder_of(self.name) / Path(self.file).name


class ModelList(Record):
    """The pulled models, followed by the recommended models that were not pulled."""

    models: tuple[PulledModel | LocalModel, ...]


@cache
def recommended_models() -> tuple[LocalModel, ...]:
    """Return the shipped table of recommended models."""
    return LocalModels.model_validate_json(data_text("local_models.json")).models


def model_named(name: str) -> LocalModel:
    """Return a model: from the table by name, or from any repository as `owner/repository:file.gguf`.

    An empty name selects the first model in the table. Raises SettingsError for any other name.
    """
    known = {model.name: model for model in recommended_models()}
    if not name:
        return recommended_models()[0]
    if name.lower() in known:
        return known[name.lower()]
    if found := _REPO_FILE.fullmatch(name):
        stem = re.sub(r"[^a-z0-9._-]+", "-", Path(found["file"]).stem.lower()).strip("-._")
        return LocalModel(name=stem, repo=found["repo"], file=found["file"])
    raise SettingsError(
        f"unknown model {name!r}",
        hint=f"Choose one of {', '.join(known)}, or a file of any repository as OWNER/REPOSITORY:FILE.gguf",
    )


def models_folder() -> Path:
    """Return the folder of pulled models in the user's data directory."""
    return user_data_path("investigator", appauthor=False) / "models"


def folder_of(name: str) -> Path:
    """Return the folder of one pulled model."""
    return models_folder() / name


def note_pulled(model: PulledModel) -> None:
    """Record that a model was pulled. Raises OSError."""
    write_private(folder_of(model.name) / _NOTE, model.model_dump_json(indent=2).encode("utf-8"))


def pulled_models() -> tuple[PulledModel, ...]:
    """Return the pulled models, latest first."""
    try:
        names = sorted(entry.name for entry in models_folder().iterdir() if _NAME.fullmatch(entry.name))
    except OSError:
        return ()
    found = (_noted(name) for name in names)
    known = [model for model in found if model is not None and is_plain_file(model.path)]
    return tuple(sorted(known, key=lambda model: model.pulled.astimezone(UTC), reverse=True))


def pulled_names() -> frozenset[str]:
    """Return the names of the pulled models."""
    return frozenset(model.name for model in pulled_models())


def pulled_model(name: str) -> PulledModel:
    """Return a pulled model by name; without a name, the latest. Raises SettingsError if none is found."""
    pulled = pulled_models()
    for model in pulled:
        if not name or model.name == name.lower():
            return model
    if not pulled:
        raise SettingsError("no model was pulled", hint=_HINT)
    raise SettingsError(
        f"no model named {name!r} was pulled",
        hint=f"Pulled: {', '.join(one.name for one in pulled)}. {_HINT} {name}",
    )


def remove_pulled(name: str) -> PulledModel:
    """Delete a pulled model, and return it. Raises SettingsError if no pulled model has that name."""
    if not name:
        raise SettingsError("no model name given", hint="List them with: investigator model list")
    model = pulled_model(name)
    shutil.rmtree(folder_of(model.name))
    return model


def made_folder(name: str) -> Path:
    """Create the folder of a model, for this user only. Raises ForeignFileError and OSError."""
    folder = folder_of(name)
    make_private_folder(folder)
    check_private_folder(folder)
    return folder


def _noted(name: str) -> PulledModel | None:
    """Return the metadata of a model; None if it is missing or was written by another user."""
    try:
        check_private_folder(folder_of(name))
        model = PulledModel.model_validate_json(read_private(folder_of(name) / _NOTE))
    except (OSError, ForeignFileError, ValidationError):
        return None
    return model if model.name == name else None
