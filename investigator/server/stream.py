"""Streams the events of a job as they happen, starting after any event number, until the job has ended."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable

from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request

from investigator.reports.inert import inert_json_prose
from investigator.server.chats import Chats
from investigator.server.desk import Desk
from investigator.server.problems import ServerError, problem
from investigator.server.records import ENDED, TURN, LoggedEvent

_SLICE = 1.0  # seconds between checks for a server that is closing
_SILENCE = 15  # after this many such intervals without an event, a comment is sent to keep the stream alive


async def happened(
    desk: Desk, job_id: str, after: int, is_closing: Callable[[], bool]
) -> AsyncIterator[LoggedEvent | None]:
    """Yield each event of a job after the one with the given number, and None at intervals while nothing happens. The
    stream ends with the job or with the server; a client then reconnects with the number of its last event.
    """
    ledger, silent = desk.folder_of(job_id).ledger, 0
    with desk.bell.listen() as listener:
        while not is_closing():
            events = await run_in_threadpool(ledger.events, job_id, after)
            for event in events:
                after, silent = event.number, 0
                yield event
                if event.kind == ENDED:
                    return
            if not events:
                await listener.heard(_SLICE)
                silent += 1
                if silent % _SILENCE == 0:
                    yield None


async def talked(
    chats: Chats, chat_id: str, after: int, is_closing: Callable[[], bool]
) -> AsyncIterator[LoggedEvent | None]:
    """Yield the last turn of a chat whenever it has changed since the version `after`, until its reply has ended. Each
    item is the newest state, so intermediate changes may be skipped. The outcome of the reply is always reported,
    because the version may come from another server.
    """
    silent = 0
    with chats.bell.listen() as listener:
        while not is_closing():
            version, chat = chats.version(chat_id), chats.chat(chat_id)
            if chat.turns and (version != after or not chat.is_busy):
                after, silent = version, 0
                kind = TURN if chat.is_busy else ENDED
                yield LoggedEvent(number=version, at=time.time(), kind=kind, body=chat.turns[-1].model_dump_json())
            if not chat.is_busy:
                return
            await listener.heard(_SLICE)
            silent += 1
            if silent % _SILENCE == 0:
                yield None


def first_after(request: Request) -> int:
    """Return the number of the last event that a client has received, from `Last-Event-ID`, or else from `after`.
    Raises ServerError.
    """
    last = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not (last.isascii() and last.isdigit() and len(last) < 10):
        wrong = problem(400, f"{last[:40]!r} is not an event id", "Send the id of the last event.")
        raise ServerError(wrong)
    return int(last)


async def as_lines(
    events: AsyncIterator[LoggedEvent | None], text: Callable[[LoggedEvent], str]
) -> AsyncIterator[bytes]:
    """Yield each event as a server-sent event, with the result of `text` as its data."""
    yield b"retry: 2000\n\n"
    async for event in events:
        if event is None:
            yield b": still here\n\n"
        elif data := text(event):
            lines = "\n".join(f"data: {line}" for line in data.splitlines())
            yield f"id: {event.number}\nevent: {event.kind}\n{lines}\n\n".encode("utf-8", "replace")


def json_of(event: LoggedEvent) -> str:
    """Return an event as inert JSON on one line."""
    return inert_json_prose(event.body)
