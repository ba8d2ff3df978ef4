"""Asks questions about folders in one process, or in several at once that each work on a copy of the workspace.

Several processes are worthwhile only if a server answers many prompts at a time; the measured seconds then say nothing
about a single question.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from investigator.engines.base import Engine
from investigator.engines.catalogue import open_engine
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.factories import EngineOptions
from investigator.investigator import Investigator
from investigator.settings import Settings, load_settings


@dataclass(frozen=True)
class Asking:
    """The options for asking: the model (None for the built-in engine), and settings as `PART.FIELD=VALUE`."""

    model: str | None
    overrides: tuple[str, ...]
    workspaces: Path


class Desk:
    """Opens each folder once with the model, and once without it."""

    def __init__(self, asking: Asking, *, copies: bool) -> None:
        self._asking = asking
        self._copies = copies
        self._open: dict[tuple[Path, bool], Investigator] = {}
        self._embedder = SentenceTransformerEmbedder()

    @cached_property
    def settings(self) -> Settings:
        """Return the settings for all folders."""
        return load_settings(None, list(self._asking.overrides))

    @cached_property
    def engine(self) -> Engine:
        """Return the model. Raises ValueError if there is none."""
        if self._asking.model is None:
            raise ValueError("no model was named")
        settings = self.settings
        own = lambda: ExtractiveEngine(self._embedder)  # noqa: E731 - a factory to pass on
        return open_engine(self._asking.model, EngineOptions(own, chat=settings.chat, gguf=settings.gguf))

    def investigator(self, folder: Path, *, with_model: bool = True) -> Investigator:
        """Return the investigator of a folder."""
        key = (folder, with_model)
        if key not in self._open:
            model = self.engine if with_model and self._asking.model is not None else None
            self._open[key] = Investigator(
                folder,
                model=model,
                settings=self.settings,
                workspace=self._workspace(folder),
                embedder=self._embedder,
            )
        return self._open[key]

    def index(self, folder: Path) -> None:
        """Update the workspace of a folder, with all vectors."""
        for _ in self.investigator(folder, with_model=False).index(vectors=True):
            pass

    def _workspace(self, folder: Path) -> Path:
        shared = self._asking.workspaces / f"folder-{folder.parent.name}"
        if not self._copies:
            return shared
        own = self._asking.workspaces / f"process-{os.getpid()}" / shared.name
        if not own.exists():
            shutil.copytree(shared, own)
        return own


Task = TypeVar("Task")
Found = TypeVar("Found")

_desk: list[Desk] = []  # the desk of this process


def each(
    asking: Asking, folders: Sequence[Path], answered: Callable[[Desk, Task], Found], tasks: Sequence[Task], jobs: int
) -> Iterator[Found]:
    """Index the folders, and yield the result of `answered` for each task, in order of completion if `jobs` > 1."""
    desk = Desk(asking, copies=False)
    for folder in dict.fromkeys(folders):
        desk.index(folder)
    if jobs == 1:
        yield from (answered(desk, task) for task in tasks)
        return
    with get_context("spawn").Pool(jobs, _sit_down, (asking,)) as pool:
        yield from pool.imap_unordered(_answered, [(answered, task) for task in tasks])


def _sit_down(asking: Asking) -> None:
    _desk.append(Desk(asking, copies=True))


def _answered(work: tuple[Callable[[Desk, Task], Found], Task]) -> Found:
    answered, task = work
    return answered(_desk[0], task)
