"""The interface between the method and the engines, which answer prompts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt
from pydantic import Field

from investigator.records import Prompt, Record, Reply
from investigator.records import Traits as Traits

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one per row: shape (texts, dimensions), float32."""

Hear: TypeAlias = Callable[[str], None]
"""Called repeatedly with the text written so far; after a failed attempt the text starts over."""


class Sampling(Record):
    """How the tokens of a reply are chosen, and how many at most; None leaves a value to the model or its server."""

    temperature: float | None = Field(default=None, ge=0, le=2, description="a number from 0 to 2")
    max_tokens: int | None = Field(default=None, ge=1, description="maximum number of tokens in a reply")
    top_p: float | None = Field(default=None, ge=0, le=1, description="a probability from 0 to 1")
    top_k: int | None = Field(default=None, ge=1, description="number of most probable tokens to choose from")


@runtime_checkable
class Engine(Protocol):
    """Answers prompts, using a language model, rules, a recording or a script."""

    @property
    def name(self) -> str:
        """Return the engine's name, as `provider:name`; part of the key under which replies are stored."""

    def reply(self, prompt: Prompt) -> Reply:
        """Answer one prompt; the reply's text contains the fields of `prompt.reply_type`, as JSON if possible.

        Safe to call from several threads. Raises EngineError (or a subclass) if no reply is available.
        """


@runtime_checkable
class TokenCounter(Protocol):
    """An engine that can count tokens as its model does."""

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in the text."""


@runtime_checkable
class Streams(Protocol):
    """An engine that can stream its replies."""

    def reply_aloud(self, prompt: Prompt, hear: Hear) -> Reply:
        """Return the same reply as `reply`; `hear` may be called in the meantime, from any thread.

        After this has returned or raised, `hear` is not called again. Raises the same errors as `reply`.
        """


_CHARACTERS_PER_TOKEN = 3  # about 4 in English prose, but only 3 in text with many figures and names


def traits_of(engine: Engine) -> Traits:
    """Return the property `traits` of an engine, or the default traits if it declares none."""
    traits: Traits = getattr(engine, "traits", Traits())
    return traits


def tokens_of(engine: Engine, text: str) -> int:
    """Return the number of tokens in the text, counted by the engine if it can, or else estimated from the length."""
    return engine.count_tokens(text) if isinstance(engine, TokenCounter) else guessed_tokens(text)


def guessed_tokens(text: str) -> int:
    """Return an estimate of the number of tokens in the text."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their similarity."""

    @property
    def name(self) -> str:
        """Return a name for the model and its settings; vectors stored under different names are never compared."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector for each text, in order. Without texts, the result has the shape (0, dimensions)."""


_MATCH_OF_PASSAGES: Mapping[str, Any] = {"passages": {"__all__": {"match", "rank"}}}
_MEASURES: dict[str, Any] = {
    "passages": {"__all__": {"score", "similarity", "overlap", "document_match"}},
    "documents": {"__all__": {"match": True, **_MATCH_OF_PASSAGES}},
    "document": _MATCH_OF_PASSAGES,
}
"""The scores that a search gave to documents and passages, in the variables of all templates."""


def prompt_key(engine_name: str, prompt: Prompt, *, measures: bool = False, sampling: str = "") -> str:
    """Return the sha256, in hexadecimal, of everything that a reply depends on, the same on every machine.

    The journal and recordings store replies under this key. It leaves out the day of the run and, unless `measures` is
    True for an engine that uses them, the search scores, which depend on all documents in the folder. `sampling`
    contains the settings that affect the engine's replies.
    """
    parts = (
        f"{engine_name} {sampling}".rstrip(),
        prompt.template,
        prompt.undated or prompt.text,
        prompt.variables.model_dump(mode="json", exclude=None if measures else _MEASURES),
        prompt.reply_type.__name__,
    )
    wire = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(wire.encode("ascii")).hexdigest()
