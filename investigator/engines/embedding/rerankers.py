"""Rerankers score the results of a search more precisely."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from investigator.engines.base import Embedder
from investigator.engines.loading import here_or_fetched, without_progress_bars
from investigator.errors import EngineError
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

    @property
    def weight(self) -> float:
        """Return the weight of the reranker's score relative to the search score, both about 0..1."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return a score for each text, about 0..1; higher is better. Raises EngineError."""


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
        near = iter((vectors[1:] @ vectors[0]).tolist())
        return [float(max(islice(near, len(piece)))) for piece in pieces]


class CrossEncoderReranker:
    """A sentence-transformers cross-encoder, given by name or folder, that reads the query and the text together."""

    weight = 4.0  # more accurate than the search, whose score only breaks ties

    def __init__(self, model: str) -> None:
        self.name = model

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the model's scores, each in 0..1. Raises EngineError if it cannot be loaded or fails."""
        if not texts:
            return []
        model = load_cross_encoder(self.name, _HINT)
        if model.labels > 1:
            raise EngineError(f"{self.name} does not give a pair of texts a single score", hint=_HINT)
        return [row[0] for row in model.scores([(query, text) for text in texts])]


def open_reranker(name: str, embedder: Embedder) -> Reranker:
    """Return the reranker with that name; `sentences` needs no additional model."""
    return SentenceReranker(embedder) if name == SentenceReranker.name else CrossEncoderReranker(name)


def sentences(text: str) -> list[str]:
    """Return the sentences in the text for comparison with a query, or the whole text if it has none."""
    return [text[start:end] for start, end in sentence_spans(text) if end - start >= _SHORTEST_SENTENCE] or [text]


class PairModel:
    """A loaded cross-encoder, which reads the two texts of a pair together; threads take turns.

    `labels` is the number of scores for each pair; `names` maps their labels, in lower case, to their positions.
    """

    def __init__(self, model: CrossEncoder, name: str) -> None:
        self._model, self._name, self._turn = model, name, Lock()
        self.labels: int = model.model.config.num_labels
        self.names: dict[str, int] = {label.lower(): n for n, label in model.model.config.id2label.items()}

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        """Return one score in 0..1 per label for each pair. Raises EngineError if the model fails."""
        from torch.nn import Sigmoid, Softmax

        usual = Sigmoid() if self.labels == 1 else Softmax(dim=-1)  # some models bring one whose values are not in 0..1
        try:
            with self._turn:
                rows = self._model.predict(pairs, activation_fn=usual, show_progress_bar=False)
        except (RuntimeError, ValueError) as error:
            raise EngineError(f"the model {self._name} failed: {error}", hint="Choose another model.") from error
        scores: list[list[float]] = rows.reshape(len(pairs), self.labels).tolist()
        return scores


@cache
def load_cross_encoder(name: str, hint: str) -> PairModel:
    """Load a model that judges pairs of texts, given its name or folder; a model is loaded only once.

    Code that comes with a model is never run. Raises EngineError with the given hint if the model cannot be loaded or
    is of the wrong kind, because the weights that it lacks would be random.
    """
    from sentence_transformers import CrossEncoder

    try:
        with without_progress_bars():
            loaded = here_or_fetched(CrossEncoder, name)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise EngineError(f"the model {name} cannot be loaded: {error}", hint=hint) from error
    kinds = loaded.model.config.architectures or []
    if kinds and all(kind.endswith("Model") for kind in kinds):
        raise EngineError(f"{name} is not a model that judges pairs of texts", hint=hint)
    return PairModel(loaded, name)
