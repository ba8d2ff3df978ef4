"""HTTP requests with retries, and with limits on the size and duration of a response. Our own requests go through
`Endpoint.post`. The HTTP clients inside providers' packages get the same limits: from `client_settings` if their class
accepts a client or client options, else from `bound_clients`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from itertools import count
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from investigator.errors import EngineError, EngineTimeoutError, EngineUnreachableError
from investigator.secrets import is_secret, redacted_octets, register, register_address

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

MOST_OCTETS = 4_000_000
"""Size limit for a reply's body; 200,000 characters take 1.2 million bytes if JSON escapes each of them."""

_UNCOMPRESSED: Mapping[str, str] = {"Accept-Encoding": "identity"}  # so that the size limit applies
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_PLACES_OF_CLIENTS = ("client", "_client", "root_client")
_DEPTH = 3
_ENDS_AT: ContextVar[float] = ContextVar("ends_at", default=inf)
_ENVELOPES = 50  # factor for streamed replies, in which each token may come in a separate envelope


@dataclass(frozen=True)
class Endpoint:
    """An address for POST requests. Errors refer to it as `place` and carry the hint `hint`.

    A request always ends within `seconds`, and reads at most `octets` bytes of the reply's body.
    """

    address: str
    place: str
    seconds: float
    octets: int = MOST_OCTETS
    headers: Mapping[str, str] = field(default_factory=dict)
    hint: str = ""
    transport: httpx.BaseTransport | None = None

    def __post_init__(self) -> None:
        register_address(self.address)
        for name, value in self.headers.items():
            if is_secret(name):
                register(value.rpartition(" ")[2])  # without the scheme, as in `Bearer KEY`

    def post(self, body: bytes) -> tuple[int, bytes]:
        """Return the status and the body of the reply, with secrets redacted; a redirect is returned, not followed.

        Raises EngineTimeoutError or EngineUnreachableError, and EngineError for a body that is too long or compressed.
        """
        import httpx  # imported before the clock starts

        def send() -> tuple[int, bytes] | EngineError | TimeoutError:
            try:
                with httpx.Client(**self._settings(), transport=self.transport) as client:
                    response = client.post(self.address, content=body)
                    return response.status_code, redacted_octets(response.content)
            except (httpx.TimeoutException, EngineTimeoutError) as error:  # the reply did not start or end in time
                return TimeoutError(str(error))
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
                return EngineUnreachableError(f"{self.place} cannot be reached: {error}", hint=self.hint)
            except EngineError as error:
                return error

        answer = within(self.seconds, send)
        if isinstance(answer, TimeoutError):
            raise EngineTimeoutError(f"{self.place} did not answer within {self.seconds:g} seconds", hint=self.hint)
        if isinstance(answer, EngineError):
            raise answer
        return answer

    def _settings(self) -> dict[str, Any]:
        parts = urlsplit(self.address)
        shared = client_settings(BodyBounds(self.place, self.octets, self.hint), self.seconds)
        return {
            **shared,
            "headers": {**shared["headers"], **self.headers},
            "verify": parts.scheme == "https",  # reading the certificates takes 25 ms
            "trust_env": parts.hostname not in LOOPBACK,  # requests to this machine bypass proxies
        }


def client_settings(bounds: BodyBounds, seconds: float) -> dict[str, Any]:
    """Return the arguments for an HTTP client that follows no redirects, limits each body, and waits up to `seconds`
    for each part of it. It sends nothing, and receives nothing more, after the end of the enclosing `within`.
    """
    return {
        "timeout": seconds,
        "follow_redirects": False,
        "headers": dict(_UNCOMPRESSED),
        "event_hooks": {"request": [_check_time], "response": [bounds]},
    }


def _check_time(_: object) -> None:
    """Keep a provider's client from trying again after its call was abandoned."""
    if time.monotonic() > _ENDS_AT.get():
        raise EngineTimeoutError("the time for this call has run out")


@dataclass(frozen=True)
class Retries:
    """The number of attempts to make; `delay` is the wait in seconds before the second attempt. The wait doubles with
    each further attempt, up to `longest` seconds.
    """

    tries: int = 4
    delay: float = 0.5
    longest: float = 60.0

    def wait(self, error: EngineError, tried: int) -> float | None:
        """Return the seconds to wait before the next attempt, or None if the call should fail."""
        if not error.retryable or tried >= self.tries:
            return None
        return min(self.delay * 2.0 ** (tried - 1), self.longest)


def retried(
    call: Callable[[], T], wait: Callable[[EngineError, int], float | None], sleep: Callable[[float], None] = time.sleep
) -> T:
    """Return the result of `call`, retried after each EngineError as long as `wait` returns a number of seconds.

    `wait` receives the error and the number of attempts so far. Raises the last error.
    """
    for tried in count(1):
        try:
            return call()
        except EngineError as error:
            seconds = wait(error, tried)
            if seconds is None:
                raise
        sleep(seconds)
    raise AssertionError("unreachable: the last try returns or raises")


def within(seconds: float, work: Callable[[], T]) -> T | TimeoutError:
    """Return the result of `work`, or a TimeoutError if it takes longer; the work is then abandoned.

    It runs in a separate thread, with the caller's context variables. That thread does not keep the program from
    ending. `work` must return its errors, not raise them.
    """
    results: SimpleQueue[T] = SimpleQueue()
    context = copy_context()
    context.run(_ENDS_AT.set, time.monotonic() + seconds)
    Thread(target=lambda: results.put(context.run(work)), name="investigator-call", daemon=True).start()
    try:
        return results.get(timeout=seconds)
    except Empty:
        return TimeoutError(f"no result within {seconds:g} seconds")


@dataclass(frozen=True)
class BodyBounds:
    """A response hook that rejects a body that is too long, or not complete at the end of the enclosing `within`, with
    an error that names the server. An unrequested compressed body is rejected, because a few bytes of it may expand to
    gigabytes.
    """

    place: str
    octets: int = MOST_OCTETS
    hint: str = "Check that the base URL belongs to a chat API, or choose another model."

    def __call__(self, response: Any) -> None:
        """Apply the limits to the body of a response, of httpx or httpx2."""
        compression = response.headers.get("content-encoding", "identity")
        if compression != "identity":
            message = f"{self.place} sent a reply in {compression} form, which was not requested"
            raise EngineError(message, hint=self.hint)
        base = next(kind for kind in type(response.stream).__mro__ if kind.__name__ == "SyncByteStream")
        kind = type("BoundedStream", (_BoundedStream, base), {})
        is_of_pieces = response.headers.get("content-type", "").startswith("text/event-stream")
        response.stream = kind(response.stream, self, self.octets * (_ENVELOPES if is_of_pieces else 1))


class _BoundedStream:
    def __init__(self, stream: Any, bounds: BodyBounds, most: int) -> None:
        self._stream = stream
        self._bounds = bounds
        self._most = most

    def __iter__(self) -> Iterator[bytes]:
        octets = 0
        for part in self._stream:
            octets += len(part)
            if octets > self._most:
                message = f"{self._bounds.place} sent more than {self._most:,} bytes, too many for a reply"
                raise EngineError(message, hint=self._bounds.hint)
            if time.monotonic() > _ENDS_AT.get():
                raise EngineTimeoutError(f"{self._bounds.place} did not complete its reply in time")
            yield part

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)  # newer clients keep the elapsed time there

    def close(self) -> None:  # the base class has one that does nothing
        self._stream.close()


def bound_clients(model: object, bounds: BodyBounds) -> int:
    """Limit the bodies and refuse the redirects of the HTTP clients inside a provider's model; return their number.

    This is for providers whose class accepts neither a client nor client options. Clients are found in the usual
    attributes of such classes; a client stored elsewhere, or not from httpx, stays unchanged.
    """
    found = list(_clients(model, _DEPTH))
    for client in found:
        client.follow_redirects = False
        hooks = client.event_hooks["response"]
        if bounds not in hooks:  # LangChain's class for Anthropic shares clients among models
            hooks.append(bounds)
            client.event_hooks["request"].append(_check_time)
    return len(found)


def _clients(holder: object, depth: int) -> Iterator[Any]:
    for name in _PLACES_OF_CLIENTS:
        inner = getattr(holder, name, None)
        if hasattr(inner, "event_hooks"):
            yield inner
        elif inner is not None and depth > 1:
            yield from _clients(inner, depth - 1)
