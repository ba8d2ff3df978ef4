"""What of a decoding each kind of engine can be told, and what to say of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from investigator.bb3.decoding.told import engine_as_told
from investigator.bb3.records import Module
from investigator.engines.base import Engine
from investigator.errors import SettingsError
from investigator.records.decoding import Decoding, Inference


class EngineKind(StrEnum):
    """What a module is answered by, by the first part of the engine's name."""

    EXTRACTIVE = "extractive"
    CHAT = "chat"
    GGUF = "gguf"
    TRANSFORMERS = "transformers"
    COMPLETIONS = "completions"


LINES = frozenset({"generation_take_last_newline", "generation_allow_newline"})
"""The fields that say which of several lines are taken."""

_SUPPORTED: Mapping[EngineKind, frozenset[Inference]] = {
    EngineKind.EXTRACTIVE: frozenset({Inference.GREEDY}),  # its one reply to a prompt
    EngineKind.CHAT: frozenset({Inference.GREEDY, Inference.NUCLEUS}),
    EngineKind.GGUF: frozenset({Inference.GREEDY, Inference.NUCLEUS, Inference.TOPK}),
    EngineKind.TRANSFORMERS: frozenset(Inference),
    EngineKind.COMPLETIONS: frozenset(
        {Inference.GREEDY, Inference.NUCLEUS, Inference.FACTUAL_NUCLEUS, Inference.SAMPLE_AND_RANK}
    ),
}
_OF_SERVERS = frozenset({"inference", "topp", "temperature", "beam_max_length"})
_NOT_OF_COMPLETIONS = frozenset(
    {"topk", "p_reset", "beam_block_ngram", "beam_context_block_ngram", "beam_block_full_context"}
)
_FOLLOWED: Mapping[EngineKind, frozenset[str]] = {
    EngineKind.EXTRACTIVE: frozenset(),
    EngineKind.CHAT: _OF_SERVERS,
    EngineKind.GGUF: _OF_SERVERS | {"topk"},
    EngineKind.TRANSFORMERS: frozenset(Decoding.model_fields) - {"beam_block_full_context"},
    EngineKind.COMPLETIONS: frozenset(Decoding.model_fields) - _NOT_OF_COMPLETIONS,
}
"""The fields of a decoding that an engine of the kind goes by; of the method only what is supported.

No engine of ours cuts a prompt, so none has a longer context that `beam_block_full_context` could mean.
"""


def kind_of(engine_name: str) -> EngineKind:
    """Return the kind of the engine of that name; any name without a kind of its own is a chat model's."""
    first = engine_name.partition(":")[0]
    return EngineKind(first) if first in set(EngineKind) else EngineKind.CHAT


def not_followed(kind: EngineKind, told: Decoding) -> Mapping[str, object]:
    """Return the fields set in a decoding that an engine of the kind does not go by, with their values."""
    given: Mapping[str, object] = told.model_dump(exclude_unset=True)
    followed = _FOLLOWED[kind] - {"inference"}
    if told.inference in _SUPPORTED[kind]:
        followed |= {"inference"}
    return {name: value for name, value in given.items() if name not in followed}


def engines_as_told(
    engines: Mapping[Module, Engine], decodings: Mapping[Module, Decoding]
) -> tuple[Mapping[Module, Engine], tuple[str, ...]]:
    """Return the engines of modules, writing as told, and a notice for each that cannot be told all of it.

    Only the fields that are set in a decoding count; what an engine cannot be told is left to its own settings.
    """
    made: dict[Module, Engine] = {}
    left: dict[str, dict[str, list[Module]]] = {}
    for module, told in decodings.items():
        engine = engines[module]
        made[module], beyond, why = _as_told(engine, told)
        of_engine = left.setdefault(f"{engine.name} is left to its own settings{why} in ", {}) if beyond else {}
        for name, value in beyond.items():
            of_engine.setdefault(f"{name} {value}", []).append(module)
    return made, tuple(f"{beginning}{', '.join(_options(fields))}" for beginning, fields in left.items())


def _options(fields: Mapping[str, Sequence[Module]]) -> Iterator[str]:
    """Yield the options as they are written: one that all modules are told once, without a prefix."""
    for field, modules in fields.items():
        if len(modules) == len(Module):
            yield field
        else:
            yield from (f"{module}_{field}" for module in modules)


def _as_told(engine: Engine, told: Decoding) -> tuple[Engine, Mapping[str, object], str]:
    """Return the engine as told, what it cannot be told, and why, if the engine says so."""
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
