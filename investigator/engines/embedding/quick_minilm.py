"""The embedding model in NumPy, for the few texts that one question needs, because importing PyTorch takes two seconds;
`minilm.py` handles many: docs/decisions/0025-query-vectors-in-numpy.md. The weights are memory-mapped from the
safetensors file, so only the layers and the embeddings of the text's own tokens are read. Everything is float32. The
texts in a call are computed together, without padding.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from investigator.engines.base import Vectors
from investigator.engines.embedding.minilm import (
    AFTER_ATTENTION,
    ATTENTION,
    DAMAGED,
    DIMENSIONS,
    EPSILON,
    HEADS,
    LAYERS,
    open_tokenizer,
)
from investigator.errors import EngineError

Matrix: TypeAlias = npt.NDArray[np.float32]

_HEAD = DIMENSIONS // HEADS
_ROWS = 8  # number of rows, of 6 KB each, that are activated at a time
_FEW_TOKENS, _PART = 20, 32  # BLAS takes two thirds of the time for few tokens if it multiplies parts of the weights


class _Weights(NamedTuple):
    weight: Matrix
    bias: Matrix


class QuickMiniLM:
    """The model loaded from a folder that contains `model.safetensors` and `tokenizer.json`; threads take turns.

    NumPy uses only one core: on a busy machine its threads wait for each other far longer than they compute.
    Raises EngineError if the files are missing or do not belong to this model.
    """

    def __init__(self, folder: Path) -> None:
        from threadpoolctl import ThreadpoolController

        try:
            tensors = mapped_tensors(folder / "model.safetensors")
            self._word = tensors["embeddings.word_embeddings.weight"]
            self._place = tensors["embeddings.position_embeddings.weight"]
            self._type = tensors["embeddings.token_type_embeddings.weight"][0]
            self._norm = _weights(tensors, "embeddings.LayerNorm")
            self._layers = [
                [_weights(tensors, f"encoder.layer.{index}.{name}") for name in (*ATTENTION, *AFTER_ATTENTION)]
                for index in range(LAYERS)
            ]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EngineError(f"the embedding model in {folder} cannot be loaded: {error}", hint=DAMAGED) from error
        self._tokenizer = open_tokenizer(folder)
        self._threads = ThreadpoolController()
        self._turn = Lock()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (texts, 384), in the order of the texts, whose weights are read only once."""
        if not texts:
            return np.empty((0, DIMENSIONS), dtype=np.float32)
        with self._turn, self._threads.limit(limits=1, user_api="blas"):
            tokens = [self._tokenizer.encode(text).ids for text in texts]
            spans = [slice(end - len(ids), end) for ids, end in zip(tokens, accumulate(map(len, tokens)), strict=True)]
            words = [self._word[ids] + self._place[: len(ids)] for ids in tokens]
            states = _normed(np.concatenate(words) + self._type, self._norm)
            for query, key, value, attended, attended_norm, inner, outer, outer_norm in self._layers:
                mixed = _attention(states, spans, query, key, value)
                states = _normed(states + _linear(mixed, attended), attended_norm)
                states = _normed(states + _linear(_gelu(_linear(states, inner)), outer), outer_norm)
            totals = [states[span].sum(axis=0) for span in spans]  # normalised below, so sums serve as means
            return np.array([total / np.linalg.norm(total) for total in totals], dtype=np.float32)


def _weights(tensors: Mapping[str, Matrix], name: str) -> _Weights:
    return _Weights(tensors[f"{name}.weight"], tensors[f"{name}.bias"])


def mapped_tensors(path: Path) -> dict[str, Matrix]:
    """Return the float32 tensors in a safetensors file, keyed by name; each is read from the file when it is used.
    Raises OSError, ValueError, KeyError or TypeError.
    """
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    return {
        name: np.ndarray(tensor["shape"], dtype="<f4", buffer=data, offset=start + tensor["data_offsets"][0])
        for name, tensor in header.items()
        if name != "__metadata__" and tensor["dtype"] == "F32"
    }


def _linear(states: Matrix, weights: _Weights) -> Matrix:
    columns, rows = states.T, len(weights.weight)  # in this order BLAS is faster for few tokens
    if len(states) <= _FEW_TOKENS:
        columns = np.ascontiguousarray(columns)
        parts = [weights.weight[start : start + _PART] @ columns for start in range(0, rows, _PART)]
        made: Matrix = np.concatenate(parts).T
    else:
        made = (weights.weight @ columns).T
    made = np.ascontiguousarray(made)
    made += weights.bias
    return made


def _normed(states: Matrix, weights: _Weights) -> Matrix:
    centred = states - states.mean(axis=1, keepdims=True)
    scale = np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + np.float32(EPSILON))
    normed: Matrix = centred / scale * weights.weight + weights.bias
    return normed


def _attention(states: Matrix, spans: Sequence[slice], query: _Weights, key: _Weights, value: _Weights) -> Matrix:
    """Apply multi-head attention to the states of texts, of shape (tokens, 384); each text has a span of tokens."""
    queries, keys, values = (
        _linear(states, weights).reshape(-1, HEADS, _HEAD).transpose(1, 0, 2) for weights in (query, key, value)
    )
    mixed = np.empty_like(states)
    for span in spans:
        fits = queries[:, span] @ keys[:, span].transpose(0, 2, 1) / np.float32(_HEAD**0.5)
        shares = np.exp(fits - fits.max(axis=2, keepdims=True))
        of_text: Matrix = shares / shares.sum(axis=2, keepdims=True) @ values[:, span]
        mixed[span] = of_text.transpose(1, 0, 2).reshape(-1, DIMENSIONS)
    return mixed


def _gelu(states: Matrix) -> Matrix:
    """Apply the activation in place, to a few rows at a time, which fit into the processor's fast cache."""
    for start in range(0, len(states), _ROWS):
        rows = states[start : start + _ROWS]
        shares = _erf(rows * np.float32(0.5**0.5))
        shares += 1
        shares *= np.float32(0.5)
        rows *= shares
    return states


def _erf(values: Matrix) -> Matrix:
    """Return the error function, accurate to 1.5e-7: Abramowitz and Stegun 1964, formula 7.1.26. It is computed in
    place, because memory access takes longer than arithmetic.
    """
    size = np.abs(values)
    t = size * np.float32(0.3275911)
    t += 1
    np.divide(1, t, out=t)
    series = t * np.float32(1.061405429)
    series -= np.float32(1.453152027)
    for number in (1.421413741, -0.284496736, 0.254829592):
        series *= t
        series += np.float32(number)
    series *= t
    size *= size
    np.negative(size, out=size)
    series *= np.exp(size, out=size)
    signed: Matrix = np.copysign(np.subtract(1, series, out=series), values, out=series)
    return signed
