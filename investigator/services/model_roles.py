"""Assigns an engine to each role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from investigator.engines.base import Engine, traits_of
from investigator.engines.catalogue import parse_model_options
from investigator.engines.roles import Role
from investigator.errors import SettingsError, expect

Model: TypeAlias = str | Engine | Sequence[str] | Mapping[Role, Engine]
"""`provider:name`, several `role=provider:name`, one open engine, or an open engine for every role."""


def engines_by_role(model: Model | None, engine_named: Callable[[str], Engine]) -> dict[Role, Engine]:
    """Return the engine for each role; an engine with several roles is opened once.

    Raises SettingsError if the names cannot be parsed, and the same errors as `engine_named`.
    """
    if isinstance(model, Mapping):
        if model.keys() < set(Role):
            missing = ", ".join(role for role in Role if role not in model)
            raise SettingsError(f"no engine given for {missing}", hint="Name an engine for each role.")
        for engine in model.values():
            _check_engine(engine)
        return dict(model)
    if model is not None and not isinstance(model, str | Sequence):
        _check_engine(model)
        return {role: model for role in Role}
    for name in () if model is None or isinstance(model, str) else model:
        expect(name, str, "each model", SettingsError)
    models = parse_model_options([model] if isinstance(model, str) else model or ())
    names = {role: models.name_for(role) for role in Role}
    opened = {name: engine_named(name) for name in dict.fromkeys(names.values())}
    return {role: opened[name] for role, name in names.items()}


def _check_engine(engine: object) -> None:
    if not callable(getattr(engine, "reply", None)):
        hint = (
            'Use a name such as "openai:gpt-4o", or pass an engine, which is an object with a name and reply(prompt).'
        )
        raise SettingsError(f"model must be a name or an engine, not {type(engine).__name__}", hint=hint)


def record_replies(engines: Mapping[Role, Engine], record: Path | None, folder: Path) -> dict[Role, Engine]:
    """Return the engines, with the language model's replies being appended to the file `record`.

    Raises SettingsError for several models, or if the file would be inside `folder`.
    """
    models = {engine.name: engine for engine in engines.values() if traits_of(engine).is_model}
    if record is None or not models:
        return dict(engines)
    if record.resolve().is_relative_to(folder.resolve()):
        raise SettingsError(
            f"the recording {record} would be inside the folder of documents, and be read as one of them",
            hint="Choose a file outside the folder: --record ../recording.jsonl",
        )
    if len(models) > 1:
        raise SettingsError(
            f"{record} cannot contain the replies of several models ({', '.join(models)})",
            hint="Record with one model for all roles.",
        )
    from investigator.engines.recorded import RecordedEngine  # imported here because few runs are recorded

    around = {name: RecordedEngine(record, engine) for name, engine in models.items()}
    return {role: around.get(engine.name, engine) for role, engine in engines.items()}
