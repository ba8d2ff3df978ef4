"""Guards every page and API call before routing: checks the host, the origin and the identity, and limits the size of a
request body and the time to read it. Programs have a token; a browser has a cookie, which a link sets once.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request, cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse, Response

from investigator.server.hosting import Application, Receive, Scope, Send
from investigator.server.problems import ServerError

MOST_OCTETS = 1_250_000
"""Size limit for a request body: enough for the longest accepted text in a form that encodes each character as twelve
bytes.
"""
_MOST_DISCARDED = 10_000_000
"""Number of bytes of an overlong body that are read before closing, because a client misses the response if its
connection is closed at once.
"""
_LONGEST_PATH = 8_000
_UPLOAD = re.compile(r"/f/[^/]+/files")
_MOST_LINKS = 10  # if more are unopened, the oldest stop working
_BEARER = "bearer "
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Access:
    """Decides who may use the server on a port, based on a token that only the server's user can read. Clients that
    cannot send a token may search below `search_path`, which contains a key.
    """

    def __init__(self, token: str, port: int) -> None:
        self._token = token
        self._cookie_name = f"investigator-{port}"
        self._cookie = _code(token, f"page {port}")
        self.search_path = f"/bb3/{_code(token, 'search')}"
        self._links: list[str] = []

    def new_link(self) -> str:
        """Return a key that opens the page once."""
        self._links = [*self._links[-_MOST_LINKS + 1 :], secrets.token_urlsafe()]
        return self._links[-1]

    def opened_by(self, key: str) -> bool:
        """Return True if the key belongs to an unused link, and invalidate the key."""
        unused = [link for link in self._links if not _same(link, key)]
        is_opened, self._links = len(unused) < len(self._links), unused
        return is_opened

    def cookie(self) -> str:
        """Return the cookie header for a browser: scripts cannot read it, and other sites cannot send it."""
        return f"{self._cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"

    def may_search(self, path: str) -> bool:
        """Return True if a path begins with the search path and the correct key."""
        own = f"{self.search_path}/"
        return _same(path[: len(own)], own)

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Return True if a request carries the token for programs."""
        given = headers.get("authorization", "")
        return given[: len(_BEARER)].lower() == _BEARER and _same(given[len(_BEARER) :].strip(), self._token)

    def has_cookie(self, headers: Mapping[str, str]) -> bool:
        """Return True if a request carries the cookie of the page."""
        return _same(cookie_parser(headers.get("cookie", "")).get(self._cookie_name, ""), self._cookie)


def allowed_hosts(host: str, port: int, names: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the accepted values of the Host header: the names of this machine, and the names that the user configured,
    also without a port, as a proxy sends them. Any other name for this machine (DNS rebinding) is rejected.
    """
    own = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host, *names} - {"0.0.0.0", "[::]"}
    return frozenset(name.lower() for name in (*names, *(f"{name}:{port}" for name in own)))


def _code(token: str, purpose: str) -> str:
    return hmac.digest(token.encode(), purpose.encode(), hashlib.sha256).hex()


def _same(first: str, second: str) -> bool:
    """Return True if two secrets are equal, in constant time."""
    return hmac.compare_digest(first.encode("utf-8", "replace"), second.encode("utf-8", "replace"))


@dataclass(frozen=True)
class Guard:
    """Wraps the application in all checks. `hosts` contains the accepted values of the `Host` header; `closed` is
    the page for an unauthorised browser; a request body must arrive within `patience` seconds.
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

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            reply = self._reply(scope)
            if reply is None and is_upload(scope):
                await self.app(scope, receive, guarded)
                return
            body = await _body_of(Request(scope, receive), self.patience) if reply is None else b""
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
        """Return None if the application is to answer a request, otherwise the answer. Raises ServerError."""
        headers, path = Headers(scope=scope), scope["path"]
        if headers.get("host", "").lower() not in self.hosts:
            raise ServerError(HTTPStatus.MISDIRECTED_REQUEST, "this host name does not belong to the server")
        if not self._is_own(headers):
            raise ServerError(HTTPStatus.FORBIDDEN, "requests from other web pages are rejected")
        if len(scope["raw_path"]) + len(scope["query_string"]) > _LONGEST_PATH:
            detail = f"an address may have at most {_LONGEST_PATH:,} characters"
            raise ServerError(HTTPStatus.REQUEST_URI_TOO_LONG, detail)
        key = path.removeprefix("/open/")
        if key != path and (self.access.opened_by(key) or self.access.has_cookie(headers)):
            return RedirectResponse("/", HTTPStatus.SEE_OTHER, {"Set-Cookie": self.access.cookie()})
        if path.startswith("/static/") or self.access.has_token(headers) or self.access.may_search(path):
            return None
        if not self.access.has_cookie(headers):
            if not path.startswith(("/v1", "/mcp")):
                return HTMLResponse(self.closed, HTTPStatus.UNAUTHORIZED)
            hint = "Send the header Authorization: Bearer TOKEN; investigator serve prints the path of the token."
            raise ServerError(HTTPStatus.UNAUTHORIZED, "the request has no valid token for this server", hint)
        is_sent_by_page = "origin" in headers or headers.get("sec-fetch-site") == "same-origin"
        if scope["method"] not in ("GET", "HEAD") and not is_sent_by_page:
            detail = "the request does not prove that it comes from this server's page"
            raise ServerError(HTTPStatus.FORBIDDEN, detail)
        return None

    def _is_own(self, headers: Mapping[str, str]) -> bool:
        """Return True unless the headers show that a page on another site sent the request; programs do not send such
        headers. A browser that sends no referrer, as our pages require, sends `Origin: null`.
        """
        site, origin = headers.get("sec-fetch-site", "none"), headers.get("origin")
        own = {f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https")}
        own |= {"null"} if site == "same-origin" else set()
        return site in ("same-origin", "none") and (origin is None or origin.lower() in own)


def is_upload(scope: Scope) -> bool:
    """Return True if the body of a request is a file: its handler writes it to disk, and limits its size and time."""
    return scope["method"] == "PUT" and _UPLOAD.fullmatch(scope["path"]) is not None


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that replays a body already read, and then waits until the client disconnects."""
    given = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def replay() -> MutableMapping[str, Any]:
        return next(given, None) or await receive()

    return replay


async def _body_of(request: Request, seconds: float) -> bytes:
    """Return the body of a request. Raises ServerError if it is too long, or not complete within `seconds`."""
    body, taken = b"", 0
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                taken += len(part)
                body += part if taken <= MOST_OCTETS else b""
                if taken > _MOST_DISCARDED:
                    break
    except TimeoutError:
        detail = f"the request was not finished within {seconds:g} seconds"
        raise ServerError(HTTPStatus.REQUEST_TIMEOUT, detail) from None
    except ClientDisconnect:
        raise ServerError(HTTPStatus.BAD_REQUEST, "the body is shorter than its Content-Length") from None
    if taken > MOST_OCTETS:
        raise ServerError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request may have at most {MOST_OCTETS:,} bytes")
    return body
