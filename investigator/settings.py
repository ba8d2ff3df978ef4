"""All settings in one place; command-line options override the environment, which overrides the file, which overrides
the defaults. Each part defines its own fields, and never imports this module.
"""

from __future__ import annotations

import functools
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from enum import Enum, StrEnum
from pathlib import Path
from types import NoneType
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict
from pydantic_settings import SettingsError as UnreadableVariable

from investigator.asking.budget import BudgetSettings
from investigator.cluster.cluster_settings import ClusterSettings
from investigator.documents.chunks import ChunkSettings
from investigator.documents.folder import FolderSettings
from investigator.documents.readers.base import ReaderSettings
from investigator.engines.chat.models import KEY_VARIABLES, ChatSettings
from investigator.engines.embedding.verifiers import CheckSettings
from investigator.engines.transformers.engine import TransformersSettings
from investigator.errors import SettingsError, expect, in_words
from investigator.research.research_settings import DEFAULT_MISSION, DEFAULT_STRATEGY, ResearchSettings
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.secrets import is_secret, register
from investigator.store.store_settings import StoreSettings
from investigator.tracing.base import TraceSettings

_SHOWN = 60  # maximum number of characters in a displayed value
_BOUNDS = {"ge": "of at least", "gt": "above", "le": "of at most", "lt": "below"}
_KINDS: Mapping[object, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text",
    SecretStr: "text",
    date: "a day, such as 2024-05-31",
    tuple: 'a list of strings, such as ["*.md", "drafts"]',
}


PREFIX = "INVESTIGATOR_"
_OTHER_VARIABLES = {f"{PREFIX}DEBUG"}


class SettingSource(StrEnum):
    """The source of a setting's value."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    OPTION = "option"


class Settings(BaseSettings):
    """All settings. The environment variable of a setting is named INVESTIGATOR_PART__FIELD."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
    )

    mission: str = Field(default=DEFAULT_MISSION, min_length=1, description="purpose of the investigation")
    strategy: str = Field(default=DEFAULT_STRATEGY, min_length=1, description="approach of the investigation")
    as_of: date | None = Field(default=None, description="the day as of which questions are asked; null: today")
    embedder: str = Field(default="all-MiniLM-L6-v2", description="sentence-transformers model for the vectors")
    research: ResearchSettings = ResearchSettings()
    budget: BudgetSettings = BudgetSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    folder: FolderSettings = FolderSettings()
    reader: ReaderSettings = ReaderSettings()
    chunks: ChunkSettings = ChunkSettings()
    chat: ChatSettings = ChatSettings()
    transformers: TransformersSettings = TransformersSettings()
    store: StoreSettings = StoreSettings()
    # excluded, because the cluster does not affect answers
    cluster: ClusterSettings = Field(default=ClusterSettings(), exclude=True)
    trace: TraceSettings = TraceSettings()
    check: CheckSettings = CheckSettings()


def load_settings(file: str | Path | None = None, overrides: Sequence[str] = ()) -> Settings:
    """Return the settings from a TOML or JSON file, the environment and `part.field=value` overrides; later sources
    take precedence.

    Raises SettingsError, which names the setting.
    """
    expect(file, (Path, str, type(None)), "the settings file", SettingsError)
    if isinstance(overrides, str):
        raise SettingsError("overrides must be a list, not a string", hint='For example: ["research.rounds=2"]')
    expect(overrides, Sequence, "overrides", SettingsError)
    for override in overrides:
        expect(override, str, "each override", SettingsError)
    values = functools.reduce(_merged, settings_by_source(file, overrides).values())
    for secret in (*_secrets_in(values), *(os.environ.get(variable, "") for variable in KEY_VARIABLES.values())):
        register(secret)
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise _first_problem(error) from error


def settings_by_source(file: str | Path | None, overrides: Sequence[str]) -> Mapping[SettingSource, dict[str, Any]]:
    """Return the values that each source gives, not yet validated; later sources take precedence.

    Raises SettingsError.
    """
    return {
        SettingSource.FILE: _read(Path(file)) if file is not None else {},
        SettingSource.ENVIRONMENT: _environment(),
        SettingSource.OPTION: _parsed(overrides),
    }


def setting_fields(model: type[BaseModel] = Settings, before: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield the full name and the field of each setting."""
    for name, field in model.model_fields.items():
        below = field.annotation
        if isinstance(below, type) and issubclass(below, BaseModel):
            yield from setting_fields(below, f"{before}{name}.")
        else:
            yield before + name, field


def unknown_variables() -> tuple[str, ...]:
    """Return the environment variables that are named like settings, but name none, each with the nearest setting."""
    known = {PREFIX + name.replace(".", "__").upper() for name, _ in setting_fields()}
    known |= {PREFIX + name.upper() for name in Settings.model_fields}  # a whole part, as JSON
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known | _OTHER_VARIABLES)
    near = {name: _nearest(name.removeprefix(PREFIX).replace("__", ".").lower()) for name in unknown}
    return tuple(name + (f" (did you mean {near[name]}?)" if near[name] else "") for name in unknown)


def as_settings_file(overrides: Sequence[str]) -> str:
    """Return the text of a settings file (JSON) equivalent to the `part.field=value` overrides."""
    return json.dumps(_parsed(overrides), indent=2) + "\n"


def _read(file: Path) -> dict[str, Any]:
    try:
        source = file.read_text(encoding="utf-8")
        values = json.loads(source) if file.suffix.lower() == ".json" else tomllib.loads(source)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the settings file {file} cannot be read: {in_words(error)}") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"the settings file {file} is not valid: {error}", hint="Write it as TOML or JSON."
        ) from error
    if not isinstance(values, dict):
        raise SettingsError(f"the settings file {file} contains no table of settings", hint="Write it as TOML or JSON.")
    return values


def _parsed(overrides: Iterable[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for override in overrides:
        name, equals, value = override.partition("=")
        if not equals or not all(step.strip() for step in name.split(".")):
            raise SettingsError(f"{_named(override)} is not of the form part.field=value")
        nested: Any = _literal(value.strip())
        for part in reversed(name.strip().split(".")):
            nested = {part: nested}
        values = _merged(values, nested)
    return values


def _named(override: str) -> str:
    """Return an override in a form that is safe to print, because anything except the name of a setting may be a
    secret.
    """
    name = re.match(r"[\w.]*", override.strip())
    return f"{name[0]!r} ..." if name is not None and name[0] in _names() else "an override"


def _secrets_in(values: Mapping[str, Any], inside: bool = False) -> Iterator[str]:
    """Yield the values of settings whose names suggest secrets, even if misspelled."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _secrets_in(value, inside or is_secret(name))
        elif isinstance(value, str) and (inside or is_secret(name)):
            yield value


def _literal(value: str) -> Any:
    """Parse a string as JSON (number, true, null, list); return it unchanged if it is not JSON."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):  # also raised for a number that is too long for int
        return value


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(first)
    for key, value in second.items():
        below = merged.get(key)
        merged[key] = _merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def _environment() -> dict[str, Any]:
    try:
        return EnvSettingsSource(Settings)()
    except UnreadableVariable as error:
        part = str(error).partition('"')[2].partition('"')[0].upper()
        raise SettingsError(
            f"an environment variable that begins with INVESTIGATOR_{part} is not JSON",
            hint="""Lists are written as JSON, as in INVESTIGATOR_FOLDER__INCLUDE='["*.md"]'.""",
        ) from error


def _first_problem(error: ValidationError) -> SettingsError:
    """Return the first problem as a message, with the allowed values."""
    first = error.errors()[0]
    name = ".".join(step for step in first["loc"] if isinstance(step, str))
    part, field = _place(name)
    if first["type"] == "extra_forbidden" or field is None:
        near = _nearest(name)
        return SettingsError(f"unknown setting {name}" + (f"; did you mean {near}?" if near else ""), hint=_in(part))
    if first["type"] == "value_error":
        return SettingsError(f"the settings of {name} are invalid: {first['msg'].partition(', ')[2]}", hint=_in(part))
    if part[-1:] == name.split(".")[-1:]:
        return SettingsError(f"{name} is not a setting but a group of settings", hint=_in(part))
    given = "" if _kind(field) is SecretStr else f", not {shown_value(first['input'])}"
    return SettingsError(f"the setting {name} must be {_wanted(field, first['type'])}{given}", hint=_about(name, field))


def _place(name: str) -> tuple[list[str], FieldInfo | None]:
    """Return the path of the part that a setting belongs to, and the setting's field; None if the setting is
    unknown.
    """
    model: type[BaseModel] = Settings
    part: list[str] = []
    field: FieldInfo | None = None
    for step in name.split("."):
        field = model.model_fields.get(step)
        below = field.annotation if field is not None else None
        if not (isinstance(below, type) and issubclass(below, BaseModel)):
            return part, field
        model, part = below, [*part, step]
    return part, field


def _names() -> Iterator[str]:
    return (name for name, _ in setting_fields())


def _nearest(name: str) -> str:
    """Return the most similar setting name in any part; empty if none is similar."""
    names = list(_names())
    close = get_close_matches(name, names, n=1, cutoff=0.75)
    last = {known.rpartition(".")[2]: known for known in reversed(names)}
    close += [last[word] for word in get_close_matches(name.rpartition(".")[2], last, n=1, cutoff=0.75)]
    return close[0] if close else ""


def _in(part: Sequence[str]) -> str:
    """List the settings of a part."""
    model: type[BaseModel] = Settings
    for step in part:
        model = cast("type[BaseModel]", model.model_fields[step].annotation)
    fields = ", ".join(model.model_fields)
    return (
        f"The settings of {'.'.join(part)} are: {fields}." if part else f"The settings and their parts are: {fields}."
    )


def _about(name: str, field: FieldInfo) -> str:
    """Return the description of a setting, with its default if that is short."""
    default = shown_value(field.default)
    return f"{name}: {field.description}" + (f" (default {default})." if len(default) < _SHOWN else ".")


def _wanted(field: FieldInfo, problem: str) -> str:
    """Describe the values that a setting accepts."""
    if problem == "string_pattern_mismatch":
        return "in the form shown in its description"
    if problem == "string_too_short":
        return "text that is not empty"
    expected = _kind(field)
    if isinstance(expected, type) and issubclass(expected, Enum):
        return " or ".join(str(choice.value) for choice in expected)
    kind = _KINDS.get(expected, "of another kind")
    bounds = {name: at for rule in field.metadata for name in _BOUNDS if (at := getattr(rule, name, None)) is not None}
    if "ge" in bounds and "le" in bounds:
        return f"{kind} between {bounds['ge']} and {bounds['le']}"
    return " and ".join([kind, *(f"{_BOUNDS[name]} {at}" for name, at in bounds.items())]).replace(" and ", " ", 1)


def _kind(field: FieldInfo) -> object:
    """Return the type of a setting's value, ignoring None."""
    kinds = [kind for kind in get_args(field.annotation) if kind is not NoneType]
    if get_origin(field.annotation) is tuple:
        return tuple
    return kinds[0] if kinds else field.annotation


def shown_value(value: object) -> str:
    """Format a value as users write it, shortened if it is long."""
    written = json.dumps(value, default=str, ensure_ascii=False)
    return written if len(written) <= _SHOWN else written[: _SHOWN - 1] + "\N{HORIZONTAL ELLIPSIS}"
