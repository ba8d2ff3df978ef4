"""A cache of vectors, so that passages from earlier searches need not be embedded again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TypeAlias

import numpy as np

from investigator.engines.base import Embedder, Vectors

Kept: TypeAlias = Callable[[Sequence[str]], Mapping[str, Vectors]]
"""Returns the stored vectors of the given texts; thread-safe."""

_MOST = 20_000  # maximum number of cached vectors: 30 MB at 384 dimensions


class CachedEmbedder:
    """Wraps an embedder and caches its most recent vectors in memory. Thread-safe."""

    def __init__(self, embedder: Embedder, most: int = _MOST) -> None:
        self.name = embedder.name
        """The name of the wrapped embedder, whose vectors are returned unchanged."""
        self._embedder = embedder
        self._most = most
        self._known: OrderedDict[str, Vectors] = OrderedDict()
        self._kept: tuple[Kept, ...] = ()
        self._lock = Lock()

    @contextmanager
    def backed_by(self, kept: Kept) -> Iterator[None]:
        """Until the context manager exits, also look up vectors in this store before embedding texts."""
        with self._lock:
            self._kept = (*self._kept, kept)
        try:
            yield
        finally:
            with self._lock:
                self._kept = tuple(other for other in self._kept if other is not kept)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector for each text, in order. Raises EngineError."""
        wanted = dict.fromkeys(texts)
        with self._lock:
            known = {text: self._known[text] for text in wanted if text in self._known}
            sources = self._kept
        new: dict[str, Vectors] = {}
        for kept in sources:
            if unknown := [text for text in wanted if text not in known and text not in new]:
                new |= kept(unknown)
        missing = [text for text in wanted if text not in known and text not in new]
        if missing or not wanted:
            made = self._embedder.embed(missing)
            if len(missing) == len(texts):
                self._keep(dict(zip(missing, made, strict=True)))
                return made
            new |= zip(missing, made, strict=True)
        self._keep(new)
        known |= new
        return np.stack([known[text] for text in texts])

    def _keep(self, rows: Mapping[str, Vectors]) -> None:
        with self._lock:
            self._known.update(rows)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
