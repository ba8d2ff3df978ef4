"""Keeps a workspace open for reading between uses, because opening one takes longer than most reads from it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Self

from investigator.errors import InvestigatorError, StoreError
from investigator.store.workspace import DAMAGED_MARK, DATABASE_NAME, RUNS_NAME, Workspace, has_database

_Stamp = tuple[tuple[int, ...] | None, ...]


@dataclass
class _Held:
    workspace: Workspace
    stamp: _Stamp
    users: int = 0


class KeptWorkspace:
    """Provides the workspace that `open_for_reading` opens; use it as a context manager, from any number of threads.
    The workspace is reopened, with all checks, after `renew`, and if a database was replaced, has new permissions, or
    is damaged. New commits are visible immediately.
    """

    def __init__(self, open_for_reading: Callable[[], Workspace]) -> None:
        self._open = open_for_reading
        self._changing = Lock()
        self._held: _Held | None = None

    @contextmanager
    def use(self) -> Iterator[Workspace]:
        """Yield the workspace, which stays open until the context manager exits. Raises the same errors as opening the
        workspace.
        """
        held = self._acquire()
        try:
            yield held.workspace
        except StoreError:
            self.renew()
            raise
        finally:
            with self._changing:
                held.users -= 1
                self._close_unused(held)

    def renew(self) -> None:
        """Close the workspace as soon as nothing uses it; the next use reopens it."""
        with self._changing:
            self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.renew()

    def _acquire(self) -> _Held:
        with self._changing:
            if self._held is not None and self._held.stamp != _stamp(self._held.workspace.directory):
                self._release()
            if self._held is None:
                self._held = _opened(self._open())
            self._held.users += 1
            return self._held

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            self._close_unused(held)

    def _close_unused(self, held: _Held) -> None:
        if held is not self._held and not held.users:
            held.workspace.close()


def _opened(workspace: Workspace) -> _Held:
    """Open the databases in advance; otherwise the first two threads could both open them at the same time."""
    with suppress(InvestigatorError):  # the error is raised again when the workspace is used
        _ = workspace.runs
    with suppress(InvestigatorError):
        _ = workspace.index if has_database(workspace.directory) else None
    return _Held(workspace, _stamp(workspace.directory))


def _stamp(directory: Path) -> _Stamp:
    """Return the identity of a directory's databases, and their permissions."""
    names = (DATABASE_NAME, RUNS_NAME, DAMAGED_MARK)
    return tuple(_identity(path) for path in (directory, *(directory / name for name in names)))


def _identity(path: Path) -> tuple[int, ...] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    names = 0 if stat.S_ISDIR(status.st_mode) else status.st_nlink
    return status.st_dev, status.st_ino, status.st_mode, status.st_uid, names
