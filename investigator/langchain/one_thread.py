"""An iterator for asynchronous callers, run by one thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


async def in_one_thread(begin: Callable[[], Iterator[Item]]) -> AsyncGenerator[Item, None]:
    """The items of the iterator that `begin` makes, from first to last taken by the same thread.

    Whoever stops looking on does not wait for the item under way: the thread closes the iterator after it.
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
