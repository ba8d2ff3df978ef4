"""Reads the body of a request within limits of length and time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus

from starlette.exceptions import HTTPException

from investigator.server.hosting import Receive, late

_MOST_DISCARDED = 10_000_000
"""Number of bytes of an overlong body that are read before closing, because a client misses the response if its
connection is closed at once.
"""
_SLICE = 0.1  # seconds after which a waiting request checks whether the server is closing


async def body_of(receive: Receive, most: int, seconds: float, is_closing: Callable[[], bool]) -> bytes:
    """Return a body, cut to its first `most` octets.

    Raises HTTPException if it is not complete within `seconds`.
    """
    ends_at, body, taken, more = time.monotonic() + seconds, b"", 0, True
    while more and taken <= _MOST_DISCARDED:
        if is_closing():
            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, "the server is shutting down")
        if time.monotonic() > ends_at:
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, late(seconds))
        try:
            async with asyncio.timeout(_SLICE):
                message = await receive()
        except TimeoutError:
            continue
        if message["type"] == "http.disconnect":
            raise HTTPException(HTTPStatus.BAD_REQUEST, "the body is shorter than its Content-Length")
        part = message.get("body", b"")
        taken += len(part)
        body += part[: most - len(body)]
        more = message.get("more_body", False)
    return body
