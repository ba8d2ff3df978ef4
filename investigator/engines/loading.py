"""Helpers for engines and embedders that load a model into this process."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Generic, TypeVar

Model = TypeVar("Model")

_NO_WIDTH = "\u200b"


class LoadedOnce(Generic[Model]):
    """Calls `load` once, and then always returns the same model. Thread-safe."""

    def __init__(self, load: Callable[[], Model]) -> None:
        self._load = load
        self._lock = Lock()
        self._models: list[Model] = []

    def __call__(self) -> Model:
        """Return the model. If `load` raises an error, pass it on; the next call tries again."""
        with self._lock:
            if not self._models:
                self._models.append(self._load())
            return self._models[0]


@contextmanager
def without_progress_bars() -> Iterator[None]:
    """Stop transformers and libraries based on it from showing progress bars."""
    from transformers.utils import logging

    shows_progress = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shows_progress:
            logging.enable_progress_bar()


def here_or_fetched(kind: Callable[..., Model], name: str) -> Model:
    """Return a sentence-transformers model from the local cache or folder; ask the hub only if it is missing."""
    with suppress(OSError, ValueError):
        return kind(name, local_files_only=True)
    return kind(name)


class ControlTokens:
    """Tokens with a special meaning for a model, such as the end of a turn or the name of a speaker."""

    def __init__(self, tokens: Iterable[str]) -> None:
        longest_first = sorted(tokens, key=len, reverse=True)
        self._pattern = re.compile("|".join(re.escape(token) for token in longest_first) or r"(?!)")

    def defused(self, text: str) -> str:
        """Return the text with a zero-width character inside each control token."""
        return self._pattern.sub(lambda token: token[0][0] + _NO_WIDTH + token[0][1:], text)
