"""Guards every page and API call: checks the host, origin and identity before routing, and limits both the size of a
request body and the time to read it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from investigator.server.access import Access
from investigator.server.hosting import Application, Receive, Scope, Send, late
from investigator.server.problems import problem

MOST_OCTETS = 250_000
"""Size limit for a request body: enough for the longest accepted text in a form that encodes each character as twelve
bytes.
"""
_LONGEST_PATH = 8_000
_READING = frozenset({"GET", "HEAD"})
_OPEN = ("/static/",)
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _PAGE_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_MOST_DISCARDED = 10_000_000
"""Number of bytes of an overlong body that are read before closing, because a client misses the response if its
connection is closed at once.
"""
_SLICE = 0.1  # seconds between checks for a server that is closing


@dataclass(frozen=True)
class Guard:
    """Wraps the application in all checks. `hosts` contains the accepted values of the `Host` header; `closed` is
    the page for an unauthorised browser.
    """

    app: Application
    access: Access
    hosts: frozenset[str]
    closed: str
    patience: float
    is_closing: Callable[[], bool]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or reject it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        guarded = _with_headers(send)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        try:
            body = await body_of(receive, MOST_OCTETS + 1, self.patience, self.is_closing)
        except HTTPException as error:
            await _refused(error.status_code, error.detail)(scope, receive, guarded)
            return
        if len(body) > MOST_OCTETS:
            too_large = _refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request may have at most {MOST_OCTETS:,} bytes"
            )
            await too_large(scope, receive, guarded)
            return
        await self.app(scope, _replaying(body, receive), guarded)

    def _refusal(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """Return the response that rejects a request, or None if the request is acceptable."""
        if headers.get("host", "").lower() not in self.hosts:
            return _refused(HTTPStatus.MISDIRECTED_REQUEST, "this host name does not belong to the server")
        if not self._is_own(headers):
            return _refused(HTTPStatus.FORBIDDEN, "requests from other web pages are rejected")
        path = scope["path"]
        if len(scope["raw_path"]) + len(scope["query_string"]) > _LONGEST_PATH:
            return _refused(
                HTTPStatus.REQUEST_URI_TOO_LONG, f"an address may have at most {_LONGEST_PATH:,} characters"
            )
        if path.startswith("/open/"):
            return self._opened(path.removeprefix("/open/"))
        if path.startswith(_OPEN) or self.access.has_token(headers) or self.access.may_search(path):
            return None
        if not self.access.has_cookie(headers):
            return self._unknown(path)
        sent_by_page = "origin" in headers or headers.get("sec-fetch-site") == "same-origin"
        if scope["method"] not in _READING and not sent_by_page:
            return _refused(HTTPStatus.FORBIDDEN, "the request does not prove that it comes from this server's page")
        return None

    def _is_own(self, headers: Mapping[str, str]) -> bool:
        """Return True unless the headers show that a page on another site sent the request; programs do not send such
        headers. A browser that sends no referrer, as our pages require, sends `Origin: null`.
        """
        site = headers.get("sec-fetch-site", "none")
        own = {f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https")}
        own |= {"null"} if site == "same-origin" else set()
        return site in ("same-origin", "none") and headers.get("origin", next(iter(own))).lower() in own

    def _opened(self, key: str) -> Response:
        if not self.access.opened_by(key):
            return self._unknown("/")
        return RedirectResponse("/", HTTPStatus.SEE_OTHER, {"Set-Cookie": self.access.cookie()})

    def _unknown(self, path: str) -> Response:
        """Return a response that tells an unauthorised client how to get access."""
        if path.startswith(("/v1", "/mcp")):
            hint = "Send the header Authorization: Bearer TOKEN; investigator serve prints the path of the token."
            return _refused(HTTPStatus.UNAUTHORIZED, "the request has no valid token for this server", hint)
        return HTMLResponse(self.closed, HTTPStatus.UNAUTHORIZED)


def _refused(status: int, detail: str, hint: str = "") -> Response:
    refusal = problem(status, detail, hint)
    challenge = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
    return Response(refusal.model_dump_json(), status, challenge, media_type="application/problem+json")


def _with_headers(send: Send) -> Send:
    """Return a `send` that adds the common headers to every response."""

    async def guarded(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return guarded


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that replays a body already read, and then waits until the client disconnects."""
    given = False

    async def replay() -> MutableMapping[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def body_of(receive: Receive, most: int, seconds: float, is_closing: Callable[[], bool]) -> bytes:
    """Return the request body, truncated to at most `most` bytes.

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
