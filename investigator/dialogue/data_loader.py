"""Defines DataLoader, which loads data in background threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError, DialogueValueError

Loaded = TypeVar("Loaded")


class DataLoader:
    """A pool of threads that run requests in the order in which they were made. The `num_load_threads` option (default
    1) sets the number of threads. The threads start with the first request and end with `shutdown`.
    """

    def __init__(self, opt: Mapping[str, object] | None = None) -> None:
        size = Opt.of(opt).number("num_load_threads", 1)
        if size < 1:
            raise DialogueValueError(f"num_load_threads must be 1 or more, not {size}")
        self._pool = ThreadPoolExecutor(max_workers=size, thread_name_prefix="data-loader")

    def request_load(
        self,
        receive_fn: Callable[[Future[Loaded]], object],
        load_fn: Callable[..., Loaded],
        args: Sequence[object] | Mapping[str, object] = (),
    ) -> Future[Loaded]:
        """Call `load_fn` with the arguments on a thread, and then `receive_fn` with the completed future. The future
        holds the result or the error of `load_fn`; it is also returned. Raises DialogueError after `shutdown`.
        """
        load = partial(load_fn, **args) if isinstance(args, Mapping) else partial(load_fn, *args)
        try:
            future = self._pool.submit(load)
        except RuntimeError as error:
            raise DialogueError(f"nothing more can be loaded: {error}", hint="Create a new DataLoader.") from error
        future.add_done_callback(receive_fn)
        return future

    def shutdown(self) -> None:
        """Finish the requests and end the threads; safe to call again."""
        self._pool.shutdown(wait=True)
