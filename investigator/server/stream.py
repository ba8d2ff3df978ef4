"""Streams the events of a job or a chat as they happen, starting after any event, until it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from starlette.requests import Request

from investigator.reports.inert import inert_json_prose
from investigator.server.problems import ServerError
from investigator.server.records import ENDED, LoggedEvent

_SLICE = 0.2  # seconds between two looks for new events
_SILENCE = 75  # after this many looks without an event, a comment is sent to keep the stream alive


def streamed(
    read: Callable[[int], Sequence[LoggedEvent]],
    after: int,
    is_closing: Callable[[], bool],
    text: Callable[[LoggedEvent], str],
) -> StreamingResponse:
    """Return a stream of server-sent events, each with the result of `text` as its data. `read` returns the events
    after the one with a given number. The stream ends with the last event or with the server; a client then reconnects
    with the number of its last event.
    """
    return StreamingResponse(_lines(read, after, is_closing, text), media_type="text/event-stream")


async def _lines(
    read: Callable[[int], Sequence[LoggedEvent]],
    after: int,
    is_closing: Callable[[], bool],
    text: Callable[[LoggedEvent], str],
) -> AsyncIterator[bytes]:
    yield b"retry: 2000\n\n"
    silent = 0
    while not is_closing():
        events = await run_in_threadpool(read, after)
        for event in events:
            after = event.number
            if data := text(event):
                lines = "\n".join(f"data: {line}" for line in data.splitlines())
                yield f"id: {event.number}\nevent: {event.kind}\n{lines}\n\n".encode("utf-8", "replace")
            if event.kind == ENDED:
                return
        silent = 0 if events else silent + 1
        if silent:
            await asyncio.sleep(_SLICE)
        if silent and silent % _SILENCE == 0:
            yield b": still here\n\n"


def first_after(request: Request) -> int:
    """Return the number of the last event that a client has received, from `Last-Event-ID`, or else from `after`.
    Raises ServerError.
    """
    last = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not (last.isascii() and last.isdigit() and len(last) < 10):
        raise ServerError(400, f"{last[:40]!r} is not an event id", "Send the id of the last event.")
    return int(last)


def json_of(event: LoggedEvent) -> str:
    """Return an event as inert JSON on one line."""
    return inert_json_prose(event.body)
