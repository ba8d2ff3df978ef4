"""Applies a module's decoding to the module's engine as far as the engine supports it, and reports unsupported options.
A decoding may be partial: only the fields that were set count. A number that only one method uses, such as `topk`,
implies that method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from investigator.bb3.records import Module
from investigator.engines.base import Engine, Sampling
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.gguf.engine import GgufEngine
from investigator.engines.transformers.engine import TransformersEngine
from investigator.errors import SettingsError
from investigator.language.lists import data_file
from investigator.records import Record
from investigator.records.decoding import OFF, Decoding, Inference

Settings = TypeVar("Settings", bound=Record)

LINES = frozenset({"generation_take_last_newline", "generation_allow_newline"})
"""The fields that select one of several lines."""


def _table() -> Mapping[str, Any]:
    return data_file("decoding_table", "investigator.bb3")


def not_followed(kind: str, decoding: Decoding) -> Mapping[str, object]:
    """Return the fields set in a decoding that the kind of engine does not support, with their values."""
    support: Mapping[str, Sequence[str]] = _table()["engines"][kind]
    options = support.get("options", Decoding.model_fields.keys() - set(support.get("all_options_except", ())))
    return {
        name: value
        for name, value in decoding.model_dump(exclude_unset=True).items()
        if (value not in support["methods"] if name == "inference" else name not in options)
    }


def engines_with_decodings(
    engines: Mapping[Module, Engine], decodings: Mapping[Module, Decoding], on_notice: Callable[[str], None]
) -> Mapping[Module, Engine]:
    """Return the modules' engines with their decodings applied; `on_notice` hears of each engine that does not support
    all of its options. Only the fields set in a decoding count; an engine's own settings apply to the rest.
    """
    made: dict[Module, Engine] = {}
    left: dict[str, dict[str, list[Module]]] = {}
    for module, decoding in decodings.items():
        engine = engines[module]
        made[module], beyond, why = _with_decoding(engine, decoding)
        for name, value in beyond.items():
            of_engine = left.setdefault(f"{engine.name} uses its own settings{why} for ", {})
            of_engine.setdefault(f"{name} {value}", []).append(module)
    for beginning, fields in left.items():
        on_notice(f"{beginning}{', '.join(_options(fields))}")
    return made


def _options(fields: Mapping[str, Sequence[Module]]) -> Iterator[str]:
    """Yield the options as written; an option shared by all modules appears once, without a prefix."""
    for field, modules in fields.items():
        yield from [field] if len(modules) == len(Module) else (f"{module}_{field}" for module in modules)


def _with_decoding(engine: Engine, decoding: Decoding) -> tuple[Engine, Mapping[str, object], str]:
    """Return the engine with the decoding applied, the unsupported options, and why the engine rejects them, or ""."""
    kind = engine.name.partition(":")[0]
    given: Mapping[str, object] = decoding.model_dump(exclude_unset=True)
    beyond = not_followed(kind if kind in _table()["engines"] else "chat", decoding)
    kept = {name: value for name, value in given.items() if name not in beyond}
    if not kept or isinstance(engine, ExtractiveEngine):
        return engine, beyond, ""
    try:
        made = engine_with_decoding(engine, Decoding.model_validate(kept))
    except SettingsError as error:
        return engine, given, f" ({error.message})"
    return (engine, given, "") if made is None else (made, beyond, "")


def engine_with_decoding(engine: Engine, decoding: Decoding) -> Engine | None:
    """Return the same engine with another decoding, all of which its kind supports; None if an engine of this kind has
    no such settings. The new engine shares the loaded model and the name, but its traits' `sampling` differs. Raises
    SettingsError for a value that the engine does not accept.
    """
    if isinstance(engine, ChatEngine | GgufEngine):
        return engine.with_sampling(changed(engine.sampling, _changes(engine.sampling, decoding)))
    if isinstance(engine, TransformersEngine):
        return engine.with_decoding(updated_decoding(engine.decoding, decoding))
    return None


def _changes(own: Sampling, decoding: Decoding) -> dict[str, object]:
    """Return the values that a decoding changes. A method turns off the limits of all other methods."""
    given = decoding.model_fields_set
    changes: dict[str, object] = {"max_tokens": decoding.beam_max_length} if "beam_max_length" in given else {}
    method = method_of(decoding)
    if method is None:
        return changes
    keeps_own = own.temperature and "temperature" not in given
    changes |= {"temperature": own.temperature if keeps_own else decoding.temperature, "top_p": None, "top_k": None}
    if method is Inference.GREEDY:
        changes["temperature"] = 0.0
    elif method is Inference.TOPK:
        changes["top_k"] = decoding.topk
    elif method is Inference.NUCLEUS and (share := _share(decoding, own.top_p)) != OFF:
        changes["top_p"] = share
    return changes


def method_of(decoding: Decoding, own: Inference | None = None) -> Inference | None:
    """Return a decoding's method or, if it has none, the method that its other fields imply; None if they imply none.
    If the engine's `own` method uses the field as well, that method is kept.
    """
    if "inference" in decoding.model_fields_set:
        return decoding.inference
    implied = (methods for field, methods in _table()["methods"].items() if field in decoding.model_fields_set)
    return next((own if own in methods else Inference(methods[0]) for methods in implied), None)


def _share(decoding: Decoding, own: float | None) -> float:
    """Return the probability mass for nucleus: the given one or the engine's own; OFF for a temperature alone."""
    if "topp" not in decoding.model_fields_set and "inference" not in decoding.model_fields_set:
        return OFF
    return decoding.topp if own is None or "topp" in decoding.model_fields_set else own


def updated_decoding(own: Decoding, decoding: Decoding) -> Decoding:
    """Return an engine's own decoding, updated with the fields that are set in another decoding."""
    changes: dict[str, object] = decoding.model_dump(exclude_unset=True)
    method = method_of(decoding, own.inference)
    if method is not None:
        changes["inference"] = method
    if method is Inference.NUCLEUS and method is not own.inference:
        changes["topp"] = _share(decoding, own.topp)
    return own.changed(**changes)


def changed(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return the settings with some values changed. Raises SettingsError for an invalid value."""
    try:
        return type(settings).model_validate({**settings.model_dump(), **changes})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"]))
        problem = f"{first['input']!r} is not a valid value of the option {name}: {first['msg'].lower()}"
        raise SettingsError(problem, hint=f"{name}: {type(settings).model_fields[name].description}.") from error
