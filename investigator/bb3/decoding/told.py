"""Applies a module's decoding to the module's engine as far as the engine supports it, and reports unsupported options.
A decoding may be partial: only the fields that were set count. A number that only one method uses, such as `topk`,
implies that method.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Protocol, TypeVar, runtime_checkable

from pydantic import ValidationError

from investigator.bb3.records import Module
from investigator.engines.base import Engine
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings
from investigator.engines.gguf.engine import GgufEngine, GgufSettings
from investigator.engines.transformers.engine import TransformersEngine
from investigator.errors import SettingsError
from investigator.records import Record
from investigator.records.decoding import OFF, Decoding, Inference

Settings = TypeVar("Settings", bound=Record)

_ONLY_OF = {
    "topk": (Inference.TOPK,),
    "lambda_decay": (Inference.FACTUAL_NUCLEUS,),
    "omega_bound": (Inference.FACTUAL_NUCLEUS,),
    "p_reset": (Inference.FACTUAL_NUCLEUS,),
    "beam_size": (Inference.BEAM, Inference.SAMPLE_AND_RANK),
    "topp": (Inference.NUCLEUS, Inference.FACTUAL_NUCLEUS, Inference.SAMPLE_AND_RANK),
    "temperature": (Inference.NUCLEUS, Inference.FACTUAL_NUCLEUS, Inference.SAMPLE_AND_RANK, Inference.TOPK),
}
"""The methods that use a field; if only the field is given, it implies the first of these methods."""


@runtime_checkable
class Decodes(Protocol):
    """An engine from another package that accepts decoding options."""

    def decoding_as(self, decoding: Decoding) -> Engine:
        """Return the same engine, with the same loaded model and name, and another decoding.

        Only the fields that were set in `decoding` count; this engine's own settings decide the rest. The traits'
        `sampling` differs, so that cached replies of different decodings are not mixed up. Raises SettingsError for a
        method or a value that the engine does not support.
        """
        ...


def engine_as_told(engine: Engine, decoding: Decoding) -> Engine | None:
    """Return the same engine with another decoding; None if an engine of this kind cannot change it. The new engine
    shares the loaded model and the name, but its traits' `sampling` differs. Raises SettingsError for a method or a
    value that the engine does not support.
    """
    if isinstance(engine, ChatEngine):
        return engine.with_settings(changed(engine.settings, _changes(engine.settings, decoding, engine.name)))
    if isinstance(engine, GgufEngine):
        return engine.with_settings(changed(engine.settings, _changes(engine.settings, decoding, engine.name)))
    if isinstance(engine, TransformersEngine):
        own = engine.settings
        return engine.with_settings(changed(own, {"decoding": with_told(own.decoding, decoding)}))
    return engine.decoding_as(decoding) if isinstance(engine, Decodes) else None


def _changes(own: ChatSettings | GgufSettings, told: Decoding, name: str) -> dict[str, object]:
    """Return the settings that a decoding changes. Servers and llama.cpp support the maximum number of tokens and the
    methods greedy, nucleus and, for GGUF, top-k. Methods are not combined: choosing a method turns off the limits of
    all other methods.
    """
    changes: dict[str, object] = {}
    if "beam_max_length" in told.model_fields_set:
        changes["max_tokens"] = told.beam_max_length
    method = told_method(told)
    if method is None:
        return changes
    is_gguf = isinstance(own, GgufSettings)
    changes |= {"temperature": told_temperature(told, own.temperature), "top_p": None}
    if is_gguf:
        changes["top_k"] = told.topk if method is Inference.TOPK else None
    if method is Inference.GREEDY:
        changes["temperature"] = 0.0
    elif method is Inference.NUCLEUS:
        share = told_share(told, own.top_p)
        changes["top_p"] = 1.0 if is_gguf and share is None else share
    elif method is not Inference.TOPK or not is_gguf:
        raise SettingsError(
            f"{name} does not support {method}", hint="Engines named transformers:FOLDER support every method."
        )
    return changes


def told_method(told: Decoding, own: Inference | None = None) -> Inference | None:
    """Return a decoding's method or, if it has none, the method that its other fields imply; None if they imply none.
    If the engine's `own` method uses the field as well, that method is kept.
    """
    if "inference" in told.model_fields_set:
        return told.inference
    for field, methods in _ONLY_OF.items():
        if field in told.model_fields_set:
            return own if own in methods else methods[0]
    return None


def told_share(told: Decoding, own: float | None = None) -> float | None:
    """Return the probability mass for nucleus; None for no limit, e.g. if only a temperature is given.

    The engine's own value, `own`, applies if nucleus is chosen without a value.
    """
    if "topp" in told.model_fields_set:
        return None if told.topp == OFF else told.topp
    if "inference" not in told.model_fields_set:
        return None
    return told.topp if own is None else own


def told_temperature(told: Decoding, own: float | None = None) -> float:
    """Return the temperature for a sampling method; the engine's own value, `own`, applies if none is given, unless it
    is 0.
    """
    return own if own and "temperature" not in told.model_fields_set else told.temperature


def with_told(own: Decoding, told: Decoding) -> Decoding:
    """Return an engine's own decoding, updated with the fields that are set in another decoding."""
    changes: dict[str, object] = told.model_dump(exclude_unset=True)
    method = told_method(told, own.inference)
    if method is not None:
        changes["inference"] = method
    if method is Inference.NUCLEUS and method is not own.inference:
        share = told_share(told, own.topp)
        changes["topp"] = OFF if share is None else share
    return own.changed(**changes)


def changed(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return the settings with some values changed. Raises SettingsError for an invalid value."""
    try:
        return type(settings).model_validate({**settings.model_dump(), **changes})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"]))
        told = f"{first['input']!r} cannot be set as {name}: {first['msg'].lower()}"
        raise SettingsError(told, hint="Use another value, or omit the option.") from error


class EngineKind(StrEnum):
    """The kind of engine behind a module, according to the first part of the engine's name."""

    EXTRACTIVE = "extractive"
    CHAT = "chat"
    GGUF = "gguf"
    TRANSFORMERS = "transformers"
    COMPLETIONS = "completions"


LINES = frozenset({"generation_take_last_newline", "generation_allow_newline"})
"""The fields that select one of several lines."""

_OF_SERVERS = frozenset({"inference", "topp", "temperature", "beam_max_length"})
_NOT_OF_COMPLETIONS = frozenset(
    {"topk", "p_reset", "beam_block_ngram", "beam_context_block_ngram", "beam_block_full_context"}
)
_SUPPORT: Mapping[EngineKind, tuple[frozenset[str], frozenset[Inference]]] = {
    EngineKind.EXTRACTIVE: (frozenset(), frozenset({Inference.GREEDY})),  # it is deterministic
    EngineKind.CHAT: (_OF_SERVERS, frozenset({Inference.GREEDY, Inference.NUCLEUS})),
    EngineKind.GGUF: (_OF_SERVERS | {"topk"}, frozenset({Inference.GREEDY, Inference.NUCLEUS, Inference.TOPK})),
    EngineKind.TRANSFORMERS: (frozenset(Decoding.model_fields) - {"beam_block_full_context"}, frozenset(Inference)),
    EngineKind.COMPLETIONS: (
        frozenset(Decoding.model_fields) - _NOT_OF_COMPLETIONS,
        frozenset(Inference) - {Inference.BEAM, Inference.TOPK},
    ),
}
"""The decoding fields and the methods that each kind of engine supports. None of our engines truncates a prompt, so
`beam_block_full_context` would make no difference.
"""


def kind_of(engine_name: str) -> EngineKind:
    """Return the kind of the named engine; an unknown kind counts as a chat model."""
    first = engine_name.partition(":")[0]
    return EngineKind(first) if first in set(EngineKind) else EngineKind.CHAT


def not_followed(kind: EngineKind, told: Decoding) -> Mapping[str, object]:
    """Return the fields set in a decoding that the kind of engine does not support, with their values."""
    fields, methods = _SUPPORT[kind]
    given = told.model_dump(exclude_unset=True)
    return {
        name: value
        for name, value in given.items()
        if (told.inference not in methods if name == "inference" else name not in fields)
    }


def engines_as_told(
    engines: Mapping[Module, Engine], decodings: Mapping[Module, Decoding]
) -> tuple[Mapping[Module, Engine], tuple[str, ...]]:
    """Return the modules' engines with their decodings applied, and a notice for each engine that does not support all
    of its options.

    Only the fields set in a decoding count; an engine's own settings apply to the rest.
    """
    made: dict[Module, Engine] = {}
    left: dict[str, dict[str, list[Module]]] = {}
    for module, told in decodings.items():
        engine = engines[module]
        made[module], beyond, why = _as_told(engine, told)
        of_engine = left.setdefault(f"{engine.name} uses its own settings{why} for ", {}) if beyond else {}
        for name, value in beyond.items():
            of_engine.setdefault(f"{name} {value}", []).append(module)
    return made, tuple(f"{beginning}{', '.join(_options(fields))}" for beginning, fields in left.items())


def _options(fields: Mapping[str, Sequence[Module]]) -> Iterator[str]:
    """Yield the options as written; an option shared by all modules appears once, without a prefix."""
    for field, modules in fields.items():
        if len(modules) == len(Module):
            yield field
        else:
            yield from (f"{module}_{field}" for module in modules)


def _as_told(engine: Engine, told: Decoding) -> tuple[Engine, Mapping[str, object], str]:
    """Return the engine with the decoding applied, the unsupported options, and the engine's reason for rejecting them,
    or "".
    """
    kind = kind_of(engine.name)
    given: Mapping[str, object] = told.model_dump(exclude_unset=True)
    beyond = not_followed(kind, told)
    kept = {name: value for name, value in given.items() if name not in beyond}
    if not kept or kind is EngineKind.EXTRACTIVE:
        return engine, beyond, ""
    try:
        made = engine_as_told(engine, Decoding.model_validate(kept))
    except SettingsError as error:
        return engine, given, f" ({error.message})"
    return (engine, given, "") if made is None else (made, beyond, "")
