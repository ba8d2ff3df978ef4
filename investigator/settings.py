"""All settings together: defaults < file < environment < flags. The parts own their fields and never import this."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

from investigator.documents.chunks import ChunkSettings
from investigator.documents.folder import FolderSettings
from investigator.documents.readers.base import ReaderSettings
from investigator.engines.chat_models import ChatSettings
from investigator.engines.gguf import GgufSettings
from investigator.errors import SettingsError
from investigator.research.budget import BudgetSettings
from investigator.research.defaults import DEFAULT_MISSION, DEFAULT_STRATEGY
from investigator.research.investigator import MethodSettings
from investigator.retrieval.library import RetrievalSettings


class Settings(BaseSettings):
    """Everything that can be set. Environment variables are named INVESTIGATOR_PART__FIELD."""

    model_config = SettingsConfigDict(
        env_prefix="INVESTIGATOR_",
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
        nested_model_default_partial_update=True,
    )

    mission: str = Field(default=DEFAULT_MISSION, min_length=1, description="what the investigation is for")
    strategy: str = Field(default=DEFAULT_STRATEGY, min_length=1, description="how to go about it")
    embedder: str = Field(default="all-MiniLM-L6-v2", description="sentence-transformers model that makes the vectors")
    method: MethodSettings = MethodSettings()
    budget: BudgetSettings = BudgetSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    folder: FolderSettings = FolderSettings()
    reader: ReaderSettings = ReaderSettings()
    chunks: ChunkSettings = ChunkSettings()
    chat: ChatSettings = ChatSettings()
    gguf: GgufSettings = GgufSettings()


def load_settings(file: Path | None = None, overrides: Sequence[str] = ()) -> Settings:
    """The settings from a TOML or JSON file, the environment, and overrides `part.field=value`, the later ones winning.

    Raises SettingsError, which names the setting.
    """
    values = _read(file) if file is not None else {}
    values = _merged(values, EnvSettingsSource(Settings)())
    values = _merged(values, _parsed(overrides))
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError(_worded(error), hint=f"The parts are: {', '.join(Settings.model_fields)}.") from error


def _read(file: Path) -> dict[str, Any]:
    try:
        source = file.read_text(encoding="utf-8")
        values = json.loads(source) if file.suffix.lower() == ".json" else tomllib.loads(source)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the settings file {file} cannot be read: {error}") from error
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"the settings file {file} is not valid: {error}", hint="Write TOML, or JSON.") from error
    if not isinstance(values, dict):
        raise SettingsError(f"the settings file {file} holds no table of settings", hint="Write TOML, or JSON.")
    return values


def _parsed(overrides: Iterable[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for override in overrides:
        name, equals, value = override.partition("=")
        if not equals or not name.strip():
            raise SettingsError(f"{override!r} is not of the form part.field=value")
        nested: Any = _literal(value.strip())
        for part in reversed(name.strip().split(".")):
            nested = {part: nested}
        values = _merged(values, nested)
    return values


def _literal(value: str) -> Any:
    """A JSON value where it is one (numbers, true, null, lists), else the text itself."""
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        return value


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(first)
    for key, value in second.items():
        below = merged.get(key)
        merged[key] = _merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def _worded(error: ValidationError) -> str:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    return f"the setting {name}: {first['msg'][0].lower()}{first['msg'][1:]}"
