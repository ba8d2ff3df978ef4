"""A model that is loaded when it is first needed, and once, however many engines write with it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Model = TypeVar("Model")


class LoadedOnce(Generic[Model]):
    """Loads by `load` at the first call, and gives the same model from then on. Safe to call from several threads."""

    def __init__(self, load: Callable[[], Model]) -> None:
        self._load = load
        self._lock = Lock()
        self._models: list[Model] = []

    def __call__(self) -> Model:
        """The model; raises what `load` does, and then tries again at the next call."""
        with self._lock:
            if not self._models:
                self._models.append(self._load())
            return self._models[0]
