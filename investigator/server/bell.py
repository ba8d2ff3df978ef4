"""A signal that any thread can send, and that coroutines can wait for."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Lock


class Bell:
    """Wakes all waiting coroutines, which may run in different event loops."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def ring(self) -> None:
        """Wake all current waiters; callable from any thread."""
        with self._lock:
            waiting = tuple(self._waiting)
        for loop, event in waiting:
            with suppress(RuntimeError):  # the loop has ended, so nothing is waiting on it
                loop.call_soon_threadsafe(event.set)

    def listen(self) -> _Listener:
        """Return a listener: a context manager that receives every ring while it is active."""
        return _Listener(self)


class _Listener:
    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self._entry = (asyncio.get_running_loop(), asyncio.Event())

    def __enter__(self) -> _Listener:
        with self._bell._lock:
            self._bell._waiting.add(self._entry)
        return self

    def __exit__(self, *_: object) -> None:
        with self._bell._lock:
            self._bell._waiting.discard(self._entry)

    async def heard(self, seconds: float) -> None:
        """Wait for the next ring or until the time is up; return at once if the bell has rung since the last call."""
        _, event = self._entry
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), seconds)
        event.clear()
