"""The one seam: an engine answers prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from investigator.records import Prompt, Reply

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one a row: shape (texts, dimensions), float32."""


@runtime_checkable
class Engine(Protocol):
    """Whatever can judge: a language model, rules, a recording, a script."""

    @property
    def name(self) -> str:
        """Who answers, as `provider:name`; part of the key under which replies are kept."""
        ...

    def reply(self, prompt: Prompt) -> Reply:
        """Answer one prompt; the text holds the fields of `prompt.reply_type`, as JSON where the engine can.

        Safe to call from several threads. Raises EngineError (or a subclass) when there is no reply to be had.
        """
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their similarity."""

    @property
    def name(self) -> str:
        """Names model and settings; vectors of another name are never compared with these."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector for each text, in order. No texts give an array of shape (0, dimensions)."""
        ...
