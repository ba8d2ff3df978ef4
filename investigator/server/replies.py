"""The replies that routes share: pages, JSON, and streams of events; and what requests have in common."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from hashlib import sha256
from http import HTTPStatus
from threading import Event
from typing import Annotated
from urllib.parse import parse_qs, quote, urlencode

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from investigator.records import Passage, Quote, Record
from investigator.reports.html import pages_environment
from investigator.reports.inert import inert_json_prose
from investigator.secrets import redacted
from investigator.server.folders import ServedFolder
from investigator.server.problems import ServerError
from investigator.server.records import ENDED, LoggedEvent, Problem
from investigator.services.run_records import LONGEST_QUESTION

TEMPLATES = "server/templates"
_SLICE = 0.2  # seconds between two looks for new events
_SILENCE = 75  # after this many looks without an event, a comment is sent to keep the stream alive


def html(template: str, **values: object) -> str:
    """Render a template, with known secrets redacted."""
    text = pages_environment(TEMPLATES).get_template(template).render(longest_question=LONGEST_QUESTION, **values)
    return redacted(text)


def page(template: str, **values: object) -> HTMLResponse:
    """Return a page, with known secrets redacted; if it shows a problem, with the status of the problem."""
    problem = values.get("problem")
    return HTMLResponse(html(template, **values), problem.status if isinstance(problem, Problem) else HTTPStatus.OK)


def saved(data: bytes, name: str) -> Response:
    """Return a file to save."""
    kind, _ = mimetypes.guess_type(name)
    headers = {"Content-Disposition": f'attachment; filename="{quote(name)}"'}
    return Response(data, media_type=kind or "application/octet-stream", headers=headers)


def see(place: str) -> Response:
    """Send the browser to another page after its form was accepted."""
    return RedirectResponse(place, HTTPStatus.SEE_OTHER)


def json_response(record: Record, status: int = HTTPStatus.OK, location: str = "") -> Response:
    """Return a record as inert JSON, with known secrets redacted; `location` is the address of what was created."""
    body = inert_json_prose(redacted(record.model_dump_json()))
    return Response(body, status, {"Location": location} if location else None, media_type="application/json")


def streamed(
    read: Callable[[int], Sequence[LoggedEvent]],
    after: int,
    closing: Event,
    text: Callable[[LoggedEvent], str] = lambda event: inert_json_prose(event.body),
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


def _first_after(request: Request) -> int:
    """Return the number of the last event that a client has received. Raises ServerError."""
    last = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not (last.isascii() and last.isdigit() and len(last) < 10):
        raise ServerError(400, f"{last[:40]!r} is not an event id", "Send the id of the last event.")
    return int(last)


async def _form_fields(request: Request) -> Mapping[str, str]:
    """Return the first value of each field in a form. Raises ServerError if it cannot be parsed."""
    try:
        fields = parse_qs((await request.body()).decode(), max_num_fields=20, errors="strict")
    except ValueError:  # also raised for bytes that are not UTF-8
        raise ServerError(HTTPStatus.UNPROCESSABLE_ENTITY, "the form cannot be read") from None
    return {name: values[0] for name, values in fields.items()}


After = Annotated[int, Depends(_first_after)]
"""The number of the last event that a client has received (`Last-Event-ID` or `after`), as a parameter of a route."""
Fields = Annotated[Mapping[str, str], Depends(_form_fields)]
"""The fields of a form, as a parameter of a route."""


def digest(words: str) -> str:
    """Return what identifies the words of a quote in its address."""
    return sha256(words.encode("utf-8", "replace")).hexdigest()[:16]


def linking(served: ServedFolder) -> Callable[[Quote | Passage], str]:
    """Return the function that builds the address of a quote or passage in its document."""

    def link(passage: Quote | Passage) -> str:
        place = {"id": passage.document_id, "start": passage.start, "end": passage.end, "words": digest(passage.text)}
        return f"/f/{served.name}/document?{urlencode(place)}"

    return link
