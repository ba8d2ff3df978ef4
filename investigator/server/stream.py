"""Streams the events of a job or a chat as they happen, starting after any event, until it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from threading import Event
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from investigator.reports.inert import inert_json_prose
from investigator.server.problems import ServerError
from investigator.server.records import ENDED, LoggedEvent

_SLICE = 0.2  # seconds between two looks for new events
_SILENCE = 75  # after this many looks without an event, a comment is sent to keep the stream alive


def streamed(
    read: Callable[[int], Sequence[LoggedEvent]], after: int, closing: Event, text: Callable[[LoggedEvent], str]
) -> StreamingResponse:
    """Return a stream of server-sent events, each with the result of `text` as its data. `read` returns the events
    after the one with a given number. The stream ends with the last event or when the server is closing; a client then
    reconnects with the number of its last event.
    """

    async def lines() -> AsyncIterator[bytes]:
        yield b"retry: 2000\n\n"
        last, silent = after, 0
        while not closing.is_set():
            events = await run_in_threadpool(read, last)
            for event in events:
                last = event.number
                if data := text(event):
                    body = "\n".join(f"data: {line}" for line in data.splitlines())
                    yield f"id: {event.number}\nevent: {event.kind}\n{body}\n\n".encode("utf-8", "replace")
                if event.kind == ENDED:
                    return
            silent = 0 if events else silent + 1
            if silent:
                await asyncio.sleep(_SLICE)
            if silent and silent % _SILENCE == 0:
                yield b": still here\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


def first_after(request: Request) -> int:
    """Return the number of the last event that a client has received, from `Last-Event-ID`, or else from `after`.
    Raises ServerError.
    """
    last = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not (last.isascii() and last.isdigit() and len(last) < 10):
        raise ServerError(400, f"{last[:40]!r} is not an event id", "Send the id of the last event.")
    return int(last)


After = Annotated[int, Depends(first_after)]
"""The number of the last event that a client has received, as a parameter of a route."""


def json_of(event: LoggedEvent) -> str:
    """Return an event as inert JSON on one line."""
    return inert_json_prose(event.body)
