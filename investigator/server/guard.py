"""Guards every page and API call: checks the host, origin and identity before routing, and limits both the size of a
request body and the time to read it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response

from investigator.server.access import Access
from investigator.server.hosting import Application, Receive, Scope, Send
from investigator.server.problems import ServerError

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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or reject it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        guarded = _with_headers(send)
        try:
            reply = self._reply(scope)
            body = await _body_of(receive, self.patience) if reply is None else b""
        except ServerError as error:
            status = error.problem.status
            challenge = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
            text = error.problem.model_dump_json()
            reply = Response(text, status, challenge, media_type="application/problem+json")
        if reply is not None:
            await reply(scope, receive, guarded)
        else:
            await self.app(scope, _replaying(body, receive), guarded)

    def _reply(self, scope: Scope) -> Response | None:
        """Return None if the application is to answer a request, otherwise the answer. Raises ServerError if the
        request is unacceptable.
        """
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get("host", "").lower() not in self.hosts:
            raise ServerError(HTTPStatus.MISDIRECTED_REQUEST, "this host name does not belong to the server")
        if not self._is_own(headers):
            raise ServerError(HTTPStatus.FORBIDDEN, "requests from other web pages are rejected")
        path = scope["path"]
        if len(scope["raw_path"]) + len(scope["query_string"]) > _LONGEST_PATH:
            detail = f"an address may have at most {_LONGEST_PATH:,} characters"
            raise ServerError(HTTPStatus.REQUEST_URI_TOO_LONG, detail)
        key = path.removeprefix("/open/")
        if key != path and (self.access.opened_by(key) or self.access.has_cookie(headers)):
            return RedirectResponse("/", HTTPStatus.SEE_OTHER, {"Set-Cookie": self.access.cookie()})
        if path.startswith(_OPEN) or self.access.has_token(headers) or self.access.may_search(path):
            return None
        if not self.access.has_cookie(headers):
            if not path.startswith(("/v1", "/mcp")):
                return HTMLResponse(self.closed, HTTPStatus.UNAUTHORIZED)
            hint = "Send the header Authorization: Bearer TOKEN; investigator serve prints the path of the token."
            raise ServerError(HTTPStatus.UNAUTHORIZED, "the request has no valid token for this server", hint)
        sent_by_page = "origin" in headers or headers.get("sec-fetch-site") == "same-origin"
        if scope["method"] not in _READING and not sent_by_page:
            detail = "the request does not prove that it comes from this server's page"
            raise ServerError(HTTPStatus.FORBIDDEN, detail)
        return None

    def _is_own(self, headers: Mapping[str, str]) -> bool:
        """Return True unless the headers show that a page on another site sent the request; programs do not send such
        headers. A browser that sends no referrer, as our pages require, sends `Origin: null`.
        """
        site = headers.get("sec-fetch-site", "none")
        own = {f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https")}
        own |= {"null"} if site == "same-origin" else set()
        return site in ("same-origin", "none") and headers.get("origin", next(iter(own))).lower() in own


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
    given = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def replay() -> MutableMapping[str, Any]:
        return next(given, None) or await receive()

    return replay


async def _body_of(receive: Receive, seconds: float) -> bytes:
    """Return the body of a request. Raises ServerError if it is too long, or not complete within `seconds`."""
    body, taken, more = b"", 0, True
    try:
        async with asyncio.timeout(seconds):
            while more and taken <= _MOST_DISCARDED:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ServerError(HTTPStatus.BAD_REQUEST, "the body is shorter than its Content-Length")
                part = message.get("body", b"")
                taken += len(part)
                body += part if taken <= MOST_OCTETS else b""
                more = message.get("more_body", False)
    except TimeoutError:
        detail = f"the request was not finished within {seconds:g} seconds"
        raise ServerError(HTTPStatus.REQUEST_TIMEOUT, detail) from None
    if taken > MOST_OCTETS:
        raise ServerError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request may have at most {MOST_OCTETS:,} bytes")
    return body
