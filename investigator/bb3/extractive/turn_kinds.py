"""Classifies the turns in a conversation by their similarity to examples. The examples are general but in English, so
with the default embedder they work best for English conversations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from investigator.engines.base import Embedder, Vectors

Vector = npt.NDArray[np.float32]
"""One unit vector, shape (dimensions,)."""


class Kind(StrEnum):
    """The kind of a turn: it asks for a fact, asks what is offered or allowed, requests an action, is polite, describes
    the speaker's own life, or asks about the partner's life.
    """

    FACT = "fact"
    OFFER = "offer"
    ACT = "act"
    SOCIAL = "social"
    OWN = "own"
    PARTNER = "partner"


_EXAMPLES: Mapping[Kind, Sequence[str]] = {
    Kind.FACT: (
        "Who wrote this book?",
        "When did the war end?",
        "What is the name of the capital?",
        "How many people live there?",
        "Which films did she make?",
    ),
    Kind.OFFER: (
        "Do they allow this?",
        "Is it included in the price?",
        "Does it have one?",
        "Is that possible there?",
        "Do they accept it?",
        "Are there rules about that?",
    ),
    Kind.ACT: (
        "Please book one for me.",
        "Could you send it to me?",
        "I would like to order this.",
        "Can you find me another one?",
        "Let us take the second one.",
    ),
    Kind.SOCIAL: (
        "Hello, how are you?",
        "Thank you very much.",
        "That sounds great.",
        "I am sorry to hear that.",
        "Goodbye!",
    ),
    Kind.OWN: (
        "I like to play with my dog.",
        "I work as a nurse.",
        "My favorite food is pizza.",
        "When I was a child, I lived in the country.",
        "I am tired today.",
    ),
    Kind.PARTNER: (
        "What do you like to do?",
        "Do you have a family?",
        "Where are you from?",
        "What is your favorite color?",
    ),
}


class TurnKinds:
    """Measures how similar turns are to the examples for each kind. The examples are embedded once, when the first turn
    is classified.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder

    def near(self, vector: Vector) -> Mapping[Kind, float]:
        """Return, for each kind, the cosine similarity of a vector, shape (dimensions,), to the nearest example."""
        cosines = self._examples @ vector
        found: dict[Kind, float] = {}
        start = 0
        for kind, texts in _EXAMPLES.items():
            found[kind] = float(cosines[start : start + len(texts)].max())
            start += len(texts)
        return found

    @cached_property
    def _examples(self) -> Vectors:
        return self.embedder.embed([text for texts in _EXAMPLES.values() for text in texts])
