"""Serves an application from a separate thread: one request per connection, each with a time limit."""

from __future__ import annotations

import ipaddress
import socket
import threading
from asyncio import Transport
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from investigator.errors import SettingsError, in_words

SLOWEST_CLIENT = 10.0
"""Maximum number of seconds until a request has arrived completely."""
_MOST_CONNECTIONS = 200
_LONGEST_END = 30  # maximum number of seconds that requests in progress may take after shutdown begins

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An ASGI application; its messages are the untyped dicts of that standard."""


def listening_at(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address of this machine; port 0 chooses a free one. Raises SettingsError."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    # raised, for example, for a host name that cannot be encoded
    except (OSError, OverflowError, ValueError, TypeError) as error:
        raise SettingsError(
            f"a server cannot listen at {host}:{port}: {in_words(error)}",
            hint="Choose another port, or 0 for any; the address must belong to this machine.",
        ) from error


def address_of(listening: socket.socket, name: str = "") -> str:
    """Return the address at which clients reach a listening socket, with the given host name; without a name, return an
    address that works on this machine.
    """
    host, port = listening.getsockname()[:2]
    host = name or {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Hosting:
    """Serves an application with uvicorn until it is closed. The headers of a request must arrive within `patience`
    seconds. Each connection serves one request, so that closing never waits for idle clients.
    """

    def __init__(self, app: Application, listening: socket.socket, *, patience: float = SLOWEST_CLIENT) -> None:
        self._socket = listening
        self.address = address_of(listening)
        config = uvicorn.Config(
            app,
            http=_in_time(patience),
            ws="none",
            log_config=None,
            log_level="critical",
            access_log=False,  # no access log, because queries are private
            server_header=False,
            headers=[("Connection", "close")],
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_LONGEST_END,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), daemon=True)

    def start(self) -> None:
        """Start accepting requests."""
        self._thread.start()

    def wait(self) -> None:
        """Wait until another thread closes the server."""
        # wait at short intervals, because an interrupt in another thread does not wake a blocking wait
        while self._thread.is_alive():
            self._thread.join(0.2)

    def close(self) -> None:
        """Stop accepting requests, and finish requests in progress."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()


def _in_time(seconds: float) -> type[H11Protocol]:
    """Return uvicorn's protocol with a time limit for the headers of a request, which uvicorn lacks."""

    class InTime(H11Protocol):
        def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.loop.call_later(seconds, self._give_up)

        def _give_up(self) -> None:
            request: object = self.cycle  # None until the headers have arrived; uvicorn does not declare this
            if request is None:
                self.transport.close()

    return InTime
