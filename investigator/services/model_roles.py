"""Which engine answers in which role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from investigator.engines.base import Engine, traits_of
from investigator.engines.catalogue import parse_model_options
from investigator.engines.recorded import RecordedEngine
from investigator.engines.roles import Role
from investigator.errors import SettingsError

_PLANNING = (Role.THINK, Role.PLAN, Role.REFLECT)


def roster(
    model: str | Engine | Sequence[str] | None, open_engine: Callable[[str], Engine]
) -> tuple[dict[Role, Engine], tuple[Role, ...]]:
    """The engine of each role, and the roles that were set apart by name; an engine of two roles is opened once.

    Raises SettingsError where the names cannot be understood, and what `open_engine` raises.
    """
    if model is not None and not isinstance(model, str | Sequence):
        return {role: model for role in Role}, ()
    models = parse_model_options([model] if isinstance(model, str) else model or ())
    names = {role: models.name_for(role) for role in Role}
    opened = {name: open_engine(name) for name in dict.fromkeys(names.values())}
    return {role: opened[name] for role, name in names.items()}, tuple(role for role, _ in models.apart)


def relieved(
    engines: Mapping[Role, Engine], apart: Sequence[Role], embedded: Engine, on_notice: Callable[[str], None]
) -> dict[Role, Engine]:
    """The engines, with the planning of a small model done by the embedded one, where no role was set apart for it."""
    left = [role for role in _PLANNING if traits_of(engines[role]).is_small and role not in apart]
    if left:
        on_notice(
            f"{engines[Role.ASK].name} is small: {', '.join(left)} is left to the embedded engine. "
            "To have the model do that too, name it for the role, as --model plan=gguf:PATH"
        )
    return {role: embedded if role in left else engine for role, engine in engines.items()}


def recorded(engines: Mapping[Role, Engine], record: Path | None, folder: Path) -> dict[Role, Engine]:
    """The engines, with a recording around the language model.

    Raises SettingsError where there are several models, or the recording would lie among the documents of `folder`.
    """
    models = {engine.name: engine for engine in engines.values() if traits_of(engine).is_model}
    if record is None or not models:
        return dict(engines)
    if record.resolve().is_relative_to(folder.resolve()):
        raise SettingsError(
            f"the recording {record} would lie among the documents, and be read as one of them",
            hint="Name a file outside the folder: --record ../recording.jsonl",
        )
    if len(models) > 1:
        raise SettingsError(
            f"{record} cannot hold the replies of several models ({', '.join(models)})",
            hint="Record with one model for all roles.",
        )
    around = {name: RecordedEngine(record, engine) for name, engine in models.items()}
    return {role: around.get(engine.name, engine) for role, engine in engines.items()}
