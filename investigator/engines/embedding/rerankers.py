"""Rerankers score the results of a search more precisely."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from investigator.engines.base import Embedder
from investigator.engines.loading import here_or_fetched, without_progress_bars
from investigator.errors import EmbedderError
from investigator.language.sentences import sentence_spans

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_SHORTEST_SENTENCE = 12
_HINT = "Choose a sentence-transformers cross-encoder, given by name or folder, or set retrieval.reranker=sentences."


class Reranker(Protocol):
    """Scores texts for a query more precisely, and more slowly, than a search. Thread-safe."""

    @property
    def name(self) -> str:
        """Return the name of the scorer, which is part of an investigation's identity."""
        ...

    @property
    def weight(self) -> float:
        """Return the weight of the reranker's score relative to the search score, both about 0..1."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text, about 0..1; higher is better. Raises EmbedderError."""
        ...


class SentenceReranker:
    """Scores a text by the cosine similarity of its best sentence, so that the rest of a chunk does not lower the
    score.
    """

    name = "sentences"
    weight = 0.43  # 1.5 / 3.5, the weight of the same similarity in the search score; see benchmarks

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return, for each text, the cosine similarity of its best sentence to the query."""
        pieces = [sentences(text) for text in texts]
        vectors = self._embedder.embed([query, *(sentence for piece in pieces for sentence in piece)])
        near = (vectors[1:] @ vectors[0]).tolist()
        scores, start = [], 0
        for piece in pieces:
            scores.append(float(max(near[start : start + len(piece)], default=0.0)))
            start += len(piece)
        return scores


class CrossEncoderReranker:
    """A sentence-transformers cross-encoder, given by name or folder, that reads the query and the text together."""

    weight = 4.0  # more accurate than the search, whose score only breaks ties

    def __init__(self, model: str) -> None:
        self.name = model
        self._lock = Lock()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the model's scores, each in 0..1. Raises EmbedderError if it cannot be loaded or fails."""
        if not texts:
            return []
        with self._lock:
            model = _load_reranker(self.name)
            return self._predicted(model, [(query, text) for text in texts])

    def _predicted(self, model: CrossEncoder, pairs: Sequence[tuple[str, str]]) -> list[float]:
        from torch.nn import Sigmoid

        try:  # some models bring their own activation, whose values are not in 0..1
            return [float(score) for score in model.predict(pairs, activation_fn=Sigmoid(), show_progress_bar=False)]
        except (RuntimeError, ValueError) as error:
            raise EmbedderError(f"the reranker {self.name} failed: {error}", hint="Choose another reranker.") from error


def open_reranker(name: str, embedder: Embedder) -> Reranker:
    """Return the reranker with that name; `sentences` needs no additional model."""
    return SentenceReranker(embedder) if name == SentenceReranker.name else CrossEncoderReranker(name)


def sentences(text: str) -> list[str]:
    """Return the sentences in the text for comparison with a query, or the whole text if it has none."""
    found = [text[start:end] for start, end in sentence_spans(text) if end - start >= _SHORTEST_SENTENCE]
    return found or [text]


@cache
def load_cross_encoder(model: str, hint: str) -> CrossEncoder:
    """Load a model that judges pairs of texts, given its name or folder; a model is loaded only once.

    Code that comes with a model is never run. Raises EmbedderError with the given hint if the model cannot be loaded or
    is of the wrong kind, because the weights that it lacks would be random.
    """
    from sentence_transformers import CrossEncoder

    try:
        with without_progress_bars():
            loaded = here_or_fetched(CrossEncoder, model)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise EmbedderError(f"the model {model} cannot be loaded: {error}", hint=hint) from error
    kinds = loaded.model.config.architectures or []
    if kinds and all(kind.endswith("Model") for kind in kinds):
        raise EmbedderError(f"{model} is not a model that judges pairs of texts", hint=hint)
    return loaded


def _load_reranker(model: str) -> CrossEncoder:
    loaded = load_cross_encoder(model, _HINT)
    if loaded.model.config.num_labels != 1:
        raise EmbedderError(f"{model} does not give a pair of texts a single score", hint=_HINT)
    return loaded
