"""The one seam: an engine answers prompts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from investigator.records import Prompt, Reply, Traits

__all__ = [
    "Described",
    "Embedder",
    "Engine",
    "Hear",
    "Streams",
    "TokenCounter",
    "Traits",
    "Vectors",
    "guessed_tokens",
    "prompt_key",
    "tokens_of",
    "traits_of",
]

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one a row: shape (texts, dimensions), float32."""

Hear: TypeAlias = Callable[[str], None]
"""Called repeatedly with the text so far; after a failed attempt the text starts over."""


@runtime_checkable
class Engine(Protocol):
    """Whatever can judge: a language model, rules, a recording, a script."""

    @property
    def name(self) -> str:
        """The engine's name, as `provider:name`; part of the key under which replies are kept."""
        ...

    def reply(self, prompt: Prompt) -> Reply:
        """Answer one prompt; the text holds the fields of `prompt.reply_type`, as JSON if the engine can.

        Safe to call from several threads. Raises EngineError (or a subclass) if no reply is available.
        """
        ...


@runtime_checkable
class Described(Protocol):
    """An engine that says more of itself than its name."""

    @property
    def traits(self) -> Traits:
        """The traits that set this engine apart."""
        ...


@runtime_checkable
class TokenCounter(Protocol):
    """An engine that can count the tokens of a text as its model does."""

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of the text."""
        ...


@runtime_checkable
class Streams(Protocol):
    """An engine whose replies can be heard while they are being written."""

    def reply_aloud(self, prompt: Prompt, hear: Hear) -> Reply:
        """Return the reply that `reply` would give; `hear` may be called on the way, from any thread.

        After this has returned or raised, `hear` is not called again. Raises what `reply` does.
        """
        ...


_CHARACTERS_PER_TOKEN = 3  # English prose has about 4; text full of figures and names was measured at 3


def traits_of(engine: Engine) -> Traits:
    """Return the traits of an engine; the defaults if it declares none."""
    return engine.traits if isinstance(engine, Described) else Traits()


def tokens_of(engine: Engine, text: str) -> int:
    """Return the tokens of a text: counted if the engine can, else guessed from its length."""
    return engine.count_tokens(text) if isinstance(engine, TokenCounter) else guessed_tokens(text)


def guessed_tokens(text: str) -> int:
    """Return the number of tokens that a text is likely to have."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their similarity."""

    @property
    def name(self) -> str:
        """Names model and settings; vectors of another name are never compared with these."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector for each text, in order. No texts give an array of shape (0, dimensions)."""
        ...


_MEASURES = {"passages": {"__all__": {"score", "similarity", "overlap", "document_match"}}}


def prompt_key(engine_name: str, prompt: Prompt, *, measures: bool = False, sampling: str = "") -> str:
    """Return the sha256, in hexadecimal, of everything that a reply depends on: the engine and the whole prompt.

    Journal and recordings keep replies under it, so it is the same in every process and on every machine. What a search
    measured of the passages changes with every other document of the folder; it counts with `measures` only, for an
    engine that follows it. `sampling` are the settings that shape the engine's replies.
    """
    parts = (
        f"{engine_name} {sampling}".rstrip(),
        prompt.template,
        prompt.text,
        prompt.variables.model_dump(mode="json", exclude=None if measures else _MEASURES),
        prompt.reply_type.__name__,
    )
    wire = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(wire.encode("ascii")).hexdigest()
