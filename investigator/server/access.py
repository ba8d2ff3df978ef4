"""Authorises programs with a token and browsers with a cookie; the link that sets the cookie works once."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping

from starlette.requests import cookie_parser

SEARCHES = "/bb3"
"""The path for clients that cannot send a token; a key in a path below it gives access to searches only."""
_BEARER = "bearer "
_MOST_LINKS = 10
"""Maximum number of unopened links; if there are more, the oldest links stop working."""


class Access:
    """Decides who may use the server on a port, based on a token that only the server's user can read."""

    def __init__(self, token: str, port: int, fresh: Callable[[], str] = secrets.token_urlsafe) -> None:
        self.cookie_name = f"investigator-{port}"
        self._token = token
        self._cookie = _code(token, f"page {port}")
        self.search_path = f"{SEARCHES}/{_code(token, 'search')}"
        self._fresh = fresh
        self._links: list[str] = []

    def new_link(self) -> str:
        """Return a key that opens the page once."""
        self._links = [*self._links[-_MOST_LINKS + 1 :], self._fresh()]
        return self._links[-1]

    def opened_by(self, key: str) -> bool:
        """Return True if the key belongs to an unused link, and invalidate the key."""
        used = [link for link in self._links if _same(link, key)]
        self._links = [link for link in self._links if link not in used]
        return bool(used)

    def cookie(self) -> str:
        """Return the cookie header for a browser: scripts cannot read it, and other sites cannot send it."""
        return f"{self.cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"

    def may_search(self, path: str) -> bool:
        """Return True if a path begins with the search path and the correct key."""
        most = len(self.search_path) + 1
        return _same(path[:most], f"{self.search_path}/")

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Return True if a request carries the token for programs."""
        given = headers.get("authorization", "")
        return given[: len(_BEARER)].lower() == _BEARER and _same(given[len(_BEARER) :].strip(), self._token)

    def has_cookie(self, headers: Mapping[str, str]) -> bool:
        """Return True if a request carries the cookie of the page."""
        return _same(cookie_parser(headers.get("cookie", "")).get(self.cookie_name, ""), self._cookie)


def allowed_hosts(host: str, port: int, names: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the accepted values of the Host header: the names of this machine, and the names that the user configured.

    The configured names are also accepted without a port, as a proxy sends them. Any other name that resolves to this
    machine (DNS rebinding) is rejected.
    """
    own = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host, *names} - {"0.0.0.0", "[::]"}
    return frozenset(name.lower() for name in (*names, *(f"{name}:{port}" for name in own)))


def _code(token: str, purpose: str) -> str:
    return hmac.digest(token.encode(), purpose.encode(), hashlib.sha256).hex()


def _same(first: str, second: str) -> bool:
    """Return True if two secrets are equal, in constant time."""
    return hmac.compare_digest(first.encode("utf-8", "replace"), second.encode("utf-8", "replace"))
