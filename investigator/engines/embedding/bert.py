"""BERT as in all-MiniLM-L6-v2: six layers, then the mean of the token vectors, scaled to length 1.

From Devlin et al. 2019 (arXiv:1810.04805), Wang et al. 2020 (arXiv:2002.10957) and Reimers and Gurevych 2019
(arXiv:1908.10084). Matrices are multiplied in the given precision; the states between them stay float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from investigator.engines.base import Vectors

if TYPE_CHECKING:
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


class Precision(Enum):
    """The number type for multiplying matrices; everything else is float32."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"


class _Weights(NamedTuple):
    weight: Tensor
    bias: Tensor


class Bert:
    """The layers, built from the named tensors of a safetensors file, all on one device.

    Raises KeyError or RuntimeError if the tensors belong to another model. Thread-safe.
    """

    def __init__(self, weights: Mapping[str, Tensor], precision: Precision) -> None:
        self._word = weights["embeddings.word_embeddings.weight"]
        types = weights["embeddings.token_type_embeddings.weight"]
        self._place = weights["embeddings.position_embeddings.weight"] + types[0]
        self._norm = _Weights(weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"])
        self._layers = [_layer(weights, f"encoder.layer.{index}", precision) for index in range(LAYERS)]

    def vectors(self, batch: Sequence[Sequence[int]]) -> Vectors:
        """Return unit vectors, shape (texts, 384), for non-empty texts given as token ids; they are padded to the
        length of the longest.

        Apart from rounding, a vector does not depend on the other texts. Raises RuntimeError if memory runs out.
        """
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
    """Apply attention within each text: (texts, tokens, 3 * 384), for scaled queries, keys and values, becomes (texts,
    tokens, 384).
    """
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
