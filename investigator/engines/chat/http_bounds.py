"""Bounds on what a server may send back over HTTP, for the clients of httpx and its successor that providers use."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, MutableSequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from investigator.errors import EngineError, EngineTimeoutError

MOST_OCTETS = 4_000_000
"""A longer body is no reply: 200,000 characters of text in JSON, each written as an escape, take 1.2 million."""

UNCOMPRESSED: Mapping[str, str] = {"Accept-Encoding": "identity"}
"""The header that makes the octets on the wire those of the body, so that counting them bounds it."""

_PLACES_OF_CLIENTS = ("client", "_client", "root_client")
_DEPTH = 3
_ENVELOPES = 50  # times a reply, where each of its tokens comes with an envelope of its own


class Stream(Protocol):
    """A body on its way."""

    def __iter__(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class Response(Protocol):
    """A response whose head has arrived."""

    headers: Mapping[str, str]
    stream: Stream


@runtime_checkable
class HttpClient(Protocol):
    """What clients of httpx and httpx2 share."""

    follow_redirects: bool

    @property
    def event_hooks(self) -> Mapping[str, MutableSequence[BodyBounds]]:
        """What is called with each `request` and each `response`."""
        ...


@dataclass(frozen=True)
class BodyBounds:
    """A response hook that ends a body which is too long, or takes too long, with an error that names the server.

    Both are counted while the body is read: a server that sends a little now and then ends, too. `seconds` count from
    the arrival of the head. A body that comes compressed although that was not asked for is refused, for a few octets
    of it may stand for gigabytes.
    """

    place: str
    seconds: float
    octets: int = MOST_OCTETS

    def __call__(self, response: Response) -> None:
        """Put the bounds around the body of a response."""
        stream = response.stream
        base = next(kind for kind in type(stream).__mro__ if kind.__name__ == "SyncByteStream")  # of either library
        kind = type("BoundedStream", (_BoundedStream, base), {})
        compression = response.headers.get("content-encoding", "identity")
        is_of_pieces = response.headers.get("content-type", "").startswith("text/event-stream")
        bounds = replace(self, octets=self.octets * _ENVELOPES) if is_of_pieces else self
        response.stream = kind(stream, bounds, compression)


class _BoundedStream:
    def __init__(self, stream: Stream, bounds: BodyBounds, compression: str) -> None:
        self._stream = stream
        self._bounds = bounds
        self._compression = compression

    def __iter__(self) -> Iterator[bytes]:
        bounds = self._bounds
        if self._compression != "identity":
            raise EngineError(f"{bounds.place} sent a reply in {self._compression} form, which was not asked for")
        ends_at, octets = time.monotonic() + bounds.seconds, 0
        for part in self._stream:
            octets += len(part)
            if octets > bounds.octets:
                hint = "Check that the base URL is that of a chat API, or choose another model."
                raise EngineError(
                    f"{bounds.place} sent more than {bounds.octets:,} octets, which is no reply", hint=hint
                )
            if time.monotonic() > ends_at:
                raise EngineTimeoutError(f"{bounds.place} did not end its reply in {bounds.seconds:g} seconds")
            yield part

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)  # newer clients keep the elapsed time there

    def close(self) -> None:
        self._stream.close()


def bound_clients(model: object, bounds: BodyBounds) -> int:
    """Bound the bodies and refuse the redirects of the HTTP clients inside a provider's model; gives their number.

    For providers whose class takes neither a client nor options for one. Their clients are found where such classes
    keep them; one that is kept elsewhere, or is not of httpx, goes on as its provider made it.
    """
    found = list(_clients(model, _DEPTH))
    for client in found:
        client.follow_redirects = False
        hooks = client.event_hooks["response"]
        if bounds not in hooks:  # LangChain's class for Anthropic shares clients among models
            hooks.append(bounds)
    return len(found)


def _clients(holder: object, depth: int) -> Iterator[HttpClient]:
    for name in _PLACES_OF_CLIENTS:
        inner = getattr(holder, name, None)
        if isinstance(inner, HttpClient):
            yield inner
        elif inner is not None and depth > 1:
            yield from _clients(inner, depth - 1)
