"""An end to work that has none of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T]) -> T | TimeoutError:
    """The result of `work`, or a TimeoutError where it takes longer; then it is left alone, and its result thrown away.

    It runs in a thread of its own, with the caller's context variables. That thread does not keep the program from
    ending. `work` must return its errors, not raise them.
    """
    results: SimpleQueue[T] = SimpleQueue()
    context = copy_context()
    Thread(target=lambda: results.put(context.run(work)), name="investigator-call", daemon=True).start()
    try:
        return results.get(timeout=seconds)
    except Empty:
        return TimeoutError(f"no result within {seconds:g} seconds")
