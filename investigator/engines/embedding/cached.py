"""A cache of vectors: reading what a search has just looked at costs nothing again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from investigator.engines.base import Embedder, Vectors

_MOST = 20_000  # vectors of 384 numbers: 30 MB


class CachedEmbedder:
    """Another embedder, whose last vectors are kept in memory by their texts. Safe to use from several threads."""

    def __init__(self, embedder: Embedder, most: int = _MOST) -> None:
        self._embedder = embedder
        self._most = most
        self._known: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The name of the other embedder: its vectors are the same."""
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector for each text, in order. Raises EmbedderError."""
        wanted = dict.fromkeys(texts)
        with self._lock:
            known = {text: self._known[text] for text in wanted if text in self._known}
        missing = [text for text in wanted if text not in known]
        if not missing and known:
            return np.stack([known[text] for text in texts])
        made = self._embedder.embed(missing)
        if not known and len(missing) == len(texts):
            self._keep(missing, made)
            return made
        known |= dict(zip(missing, made, strict=True))
        self._keep(missing, made)
        return np.stack([known[text] for text in texts])

    def _keep(self, texts: Sequence[str], rows: Vectors) -> None:
        with self._lock:
            self._known.update(zip(texts, rows, strict=True))
            while len(self._known) > self._most:
                self._known.popitem(last=False)
