"""A causal language model of two layers with random weights, in a folder in the format of transformers."""

from __future__ import annotations

from pathlib import Path

import pytest

WORDS = [*"abcdefghijklmnopqrstuvw", ".", "?", "!", "\n"]
END = "</s>"


def write_tiny_model(path: Path, context: int) -> Path:
    """Write a model with a vocabulary of single letters, separated by blanks; every other word is unknown."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    torch.set_num_threads(1)
    vocabulary = {word: n for n, word in enumerate([END, "<unk>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "removed")
    tokenizer.decoder = decoders.Fuse()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, unk_token="<unk>")
    fast.save_pretrained(path)
    config = transformers.GPT2Config(
        vocab_size=len(vocabulary), n_positions=context, n_embd=32, n_layer=2, n_head=2, initializer_range=0.4
    )
    config.bos_token_id = config.eos_token_id = 0
    torch.manual_seed(5)
    transformers.GPT2LMHeadModel(config).save_pretrained(path)
    return path
