"""Calls that come side by side are taken one after the other: a workspace has one writer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from investigator.errors import WorkspaceLockedError
from investigator.investigator import Investigator

LONGEST_WAIT = 3600.0
"""Seconds that a call waits for those before it."""

_LOCKS: dict[Path, Lock] = {}


@contextmanager
def turn(investigator: Investigator, longest_wait: float = LONGEST_WAIT) -> Iterator[None]:
    """Wait until no other call of this process is under way in the folder, at most `longest_wait` seconds.

    Raises WorkspaceLockedError where that takes longer, also for a call that waits for itself: one that is made while
    the steps of another are being looked at.
    """
    lock = _LOCKS.setdefault(investigator.folder.resolve(), Lock())
    if not lock.acquire(timeout=longest_wait):
        raise WorkspaceLockedError(f"another call was busy with {investigator.folder} for {longest_wait:g} seconds")
    try:
        yield
    finally:
        lock.release()
