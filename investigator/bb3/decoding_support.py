"""Which methods of decoding each kind of engine can be told, and what to say of the others."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from investigator.bb3.decoding_options import ModuleOptions
from investigator.records import Module
from investigator.records.decoding import Inference


class EngineKind(StrEnum):
    """What a module is answered by, by the first part of the engine's name."""

    EXTRACTIVE = "extractive"
    CHAT = "chat"
    GGUF = "gguf"
    TRANSFORMERS = "transformers"
    COMPLETIONS = "completions"


_ONE = frozenset({Inference.GREEDY})
_SUPPORTED: Mapping[EngineKind, frozenset[Inference]] = {
    EngineKind.EXTRACTIVE: _ONE,
    EngineKind.CHAT: _ONE,
    EngineKind.GGUF: _ONE,
    EngineKind.TRANSFORMERS: frozenset(Inference),
    EngineKind.COMPLETIONS: frozenset(
        {Inference.GREEDY, Inference.NUCLEUS, Inference.FACTUAL_NUCLEUS, Inference.SAMPLE_AND_RANK}
    ),
}


def supported(kind: EngineKind) -> frozenset[Inference]:
    """The methods that an engine of this kind can be told, besides its own settings."""
    return _SUPPORTED[kind]


def kind_of(engine_name: str) -> EngineKind:
    """The kind of the engine of that name; one that is not known otherwise is a chat model."""
    first = engine_name.partition(":")[0]
    return EngineKind(first) if first in set(EngineKind) else EngineKind.CHAT


def unsupported_notice(options: Mapping[Module, ModuleOptions], kind: EngineKind) -> str:
    """What of the options an engine of this kind cannot do, for whoever asked for it; empty where it can do all."""
    beyond = [
        f"{module}_inference {told.decoding.inference}"
        for module, told in options.items()
        if told.decoding.inference not in _SUPPORTED[kind]
    ]
    if not beyond:
        return ""
    able = ", ".join(sorted(_SUPPORTED[kind]))
    return (
        f"engines of the kind {kind} can be told {able}, so these are left to their own settings: {', '.join(beyond)}"
    )
