"""The embedding model for the few texts of a question, without PyTorch; `minilm.py` is for many.

`docs/decisions/0025-query-vectors-in-numpy.md` explains when each is used, and how they are kept equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from investigator.engines.base import Vectors
from investigator.engines.embedding.bert import DIMENSIONS
from investigator.engines.embedding.minilm import DAMAGED, open_tokenizer
from investigator.engines.embedding.numpy_bert import NumpyBert, mapped_tensors
from investigator.errors import EmbedderError


class QuickMiniLM:
    """The model in a folder with `model.safetensors` and `tokenizer.json`; threads take turns.

    NumPy uses only one core: on a busy machine its threads wait for each other far longer than they compute.
    Raises EmbedderError if the files are missing or do not belong to this model.
    """

    def __init__(self, folder: Path) -> None:
        from threadpoolctl import ThreadpoolController

        try:
            self._bert = NumpyBert(mapped_tensors(folder / "model.safetensors"))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EmbedderError(f"the embedding model in {folder} cannot be loaded: {error}", hint=DAMAGED) from error
        self._tokenizer = open_tokenizer(folder)
        self._threads = ThreadpoolController()
        self._turn = Lock()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (texts, 384), in the order of the texts."""
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        with self._turn, self._threads.limit(limits=1, user_api="blas"):
            for index, text in enumerate(texts):
                vectors[index] = self._bert.vector(self._tokenizer.encode(text).ids)
        return vectors
