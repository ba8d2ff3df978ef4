"""Runs work concurrently, in threads."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(work: Callable[[Item], Result], items: Iterable[Item], workers: int) -> Generator[Result]:
    """Yield the results of `work` in the order of the items, running at most `workers` at once.

    An error is raised at its position, after all earlier results; later items are not started.
    """
    if workers == 1:  # a thread would only cost time
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="investigator")
    try:
        futures = [pool.submit(copy_context().run, work, item) for item in items]
        for future in futures:
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
