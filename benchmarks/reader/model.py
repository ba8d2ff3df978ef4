"""The reader: the embedder's six layers over question and text together, with three heads.

`answers`: the text answers the question. `follows`: the claim follows from the text. `span`: where the answer begins
and ends. The layers start from the weights of all-MiniLM-L6-v2; only PyTorch is needed, so that it can be trained on a
machine that has nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

SIZE, LAYERS, HEADS, INNER = 384, 6, 12, 1536
WORDS, PLACES = 30522, 512
START, END, PADDING = 101, 102, 0


class Read(NamedTuple):
    """What the heads say of a batch, before any squashing. Shapes: (rows,), (rows,), (rows, tokens, 2)."""

    answers: Tensor
    follows: Tensor
    span: Tensor


class Layer(nn.Module):
    """A layer of BERT."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(SIZE, SIZE) for _ in range(3))
        self.attended, self.attended_norm = nn.Linear(SIZE, SIZE), nn.LayerNorm(SIZE, eps=1e-12)
        self.inner, self.outer = nn.Linear(SIZE, INNER), nn.Linear(INNER, SIZE)
        self.outer_norm = nn.LayerNorm(SIZE, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, seen: Tensor) -> Tensor:
        """Mix the states, shape (rows, tokens, 384); `seen`, shape (rows, 1, 1, tokens), is False for padding."""
        rows, tokens, _ = states.shape

        def heads(linear: nn.Module) -> Tensor:
            made: Tensor = linear(states)
            return made.view(rows, tokens, HEADS, -1).transpose(1, 2)

        mixed = scaled_dot_product_attention(heads(self.query), heads(self.key), heads(self.value), attn_mask=seen)
        mixed = mixed.transpose(1, 2).reshape(rows, tokens, SIZE)
        states = self.attended_norm(states + self.dropout(self.attended(mixed)))
        inner = nn.functional.gelu(self.inner(states))
        made: Tensor = self.outer_norm(states + self.dropout(self.outer(inner)))
        return made


class Reader(nn.Module):
    """The whole model; `forward` takes tokens and their kind (0 question, 1 text), both of shape (rows, tokens)."""

    def __init__(self, dropout: float = 0.1, layers: int = LAYERS) -> None:
        super().__init__()
        self.word, self.place, self.kind = nn.Embedding(WORDS, SIZE), nn.Embedding(PLACES, SIZE), nn.Embedding(2, SIZE)
        self.norm = nn.LayerNorm(SIZE, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.pooled = nn.Linear(SIZE, SIZE)
        self.verdicts = nn.Linear(SIZE, 2)
        self.span = nn.Linear(SIZE, 2)

    def forward(self, tokens: Tensor, kinds: Tensor) -> Read:
        """Return what the heads say."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        states = self.dropout(self.norm(self.word(tokens) + self.place(places) + self.kind(kinds)))
        seen = (tokens != PADDING)[:, None, None, :]
        for layer in self.layers:
            states = layer(states, seen)
        verdicts = self.verdicts(self.dropout(torch.tanh(self.pooled(states[:, 0]))))
        return Read(verdicts[:, 0].float(), verdicts[:, 1].float(), self.span(states).float())

    def start_from(self, path: Path) -> None:
        """Take the layers of a file with the names of BERT; the heads stay as they are."""
        own = self.state_dict()
        found = {renamed(name): tensor for name, tensor in tensors_of(path).items()}
        own.update({name: tensor.float() for name, tensor in found.items() if name in own})
        self.load_state_dict(own)


def opened(path: Path) -> Reader:
    """Return the reader that was trained, as it is used: without dropout."""
    found = tensors_of(path)
    reader = Reader(0.0, len({name.split(".")[1] for name in found if name.startswith("layers.")}))
    reader.load_state_dict({name: tensor.float() for name, tensor in found.items()})
    return reader.eval()


def tensors_of(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a safetensors or PyTorch file by name."""
    if path.suffix != ".safetensors":
        return dict(torch.load(path, weights_only=True, map_location="cpu"))
    from safetensors.torch import load_file

    return load_file(path)


def renamed(name: str) -> str:
    """Return the name here of a tensor of BERT."""
    for old, new in (
        ("embeddings.word_embeddings", "word"), ("embeddings.position_embeddings", "place"),
        ("embeddings.token_type_embeddings", "kind"), ("embeddings.LayerNorm", "norm"), ("encoder.layer", "layers"),
        ("attention.self.", ""), ("attention.output.dense", "attended"),
        ("attention.output.LayerNorm", "attended_norm"),
        ("intermediate.dense", "inner"), ("output.dense", "outer"), ("output.LayerNorm", "outer_norm"),
    ):  # fmt: skip
        name = name.replace(old, new)
    return name
