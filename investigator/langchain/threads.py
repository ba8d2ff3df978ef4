"""Serialises calls that use the same folder, and adapts iterators for asynchronous callers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TypeVar

from investigator.errors import WorkspaceLockedError
from investigator.investigator import Investigator

LONGEST_WAIT = 3600.0
"""Maximum number of seconds that a call waits for earlier calls."""

_LOCKS: dict[Path, Lock] = {}

Item = TypeVar("Item")


@contextmanager
def folder_turn(investigator: Investigator, longest_wait: float = LONGEST_WAIT) -> Iterator[None]:
    """Wait until no other call of this process uses the folder, because a workspace has one writer. Raises
    WorkspaceLockedError after `longest_wait` seconds. A call also fails in this way if it is made while the events of
    another call on the same folder are being read, because the two calls would wait for each other.
    """
    lock = _LOCKS.setdefault(investigator.folder.resolve(), Lock())
    if not lock.acquire(timeout=longest_wait):
        raise WorkspaceLockedError(f"another call has been using {investigator.folder} for {longest_wait:g} seconds")
    try:
        yield
    finally:
        lock.release()


async def thread_items(begin: Callable[[], Iterator[Item]]) -> AsyncGenerator[Item, None]:
    """Yield the items of the iterator that `begin` returns; one thread produces all of them. If the caller stops early,
    it does not wait for the item in progress: the thread finishes the item, and then closes the iterator.
    """
    loop, context = asyncio.get_running_loop(), copy_context()
    thread = ThreadPoolExecutor(1, thread_name_prefix="investigator-stream")
    iterator: Iterator[Item] = iter(())

    def advance() -> tuple[Item, ...]:
        return tuple(islice(iterator, 1))

    try:
        iterator = await loop.run_in_executor(thread, context.run, begin)
        while items := await loop.run_in_executor(thread, context.run, advance):
            yield items[0]
    finally:
        if isinstance(iterator, Generator):
            thread.submit(context.run, iterator.close)
        thread.shutdown(wait=False)
