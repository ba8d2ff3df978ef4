"""HTTP requests with retries, and with limits on the size and duration of a response. Our own requests go through
`Endpoint.post`. The HTTP clients inside providers' packages get the same limits: from `client_settings` if their class
accepts a client or client options, else from `bound_clients`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from investigator.errors import EngineError, EngineTimeoutError
from investigator.secrets import is_secret, redacted_octets, register, register_address

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

MOST_OCTETS = 4_000_000
"""Size limit for a reply's body; 200,000 characters take 1.2 million bytes if JSON escapes each of them."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_LONGEST_WAIT = 60.0  # seconds between two attempts
_ENVELOPES = 50  # factor for streamed replies, in which each token may come in a separate envelope


@dataclass
class _Deadline:
    """The end of a call, as `time.monotonic` counts; set to 0 if the call is abandoned earlier."""

    at: float = inf


_DEADLINE: ContextVar[_Deadline] = ContextVar("deadline", default=_Deadline())  # noqa: B039 - the default is never set


def _check_deadline(_: object) -> None:
    """Keep a client from sending or reading more for a call that was abandoned. Raises EngineTimeoutError."""
    if time.monotonic() > _DEADLINE.get().at:
        raise EngineTimeoutError("the time for this call has run out")


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
        Raises EngineTimeoutError or EngineError, for a body that is too long or compressed, too.
        """
        import httpx  # imported before the clock starts

        def exchange() -> Iterator[tuple[int, bytes]]:
            with httpx.Client(**self._settings(), transport=self.transport) as client:
                response = client.post(self.address, content=body)
                yield response.status_code, redacted_octets(response.content)

        match next(within(self.seconds, exchange)):
            case TimeoutError() | httpx.TimeoutException() | EngineTimeoutError() as error:
                message = f"{self.place} did not answer within {self.seconds:g} seconds"
                raise EngineTimeoutError(message, hint=self.hint) from error
            case httpx.HTTPError() | httpx.InvalidURL() | ValueError() as error:
                message = f"{self.place} cannot be reached: {error}"
                raise EngineError(message, hint=self.hint, retryable=True) from error
            case Exception() as error:
                raise error
            case answer:
                return answer

    def _settings(self) -> dict[str, Any]:
        parts = urlsplit(self.address)
        settings = client_settings(BodyBounds(self.place, self.octets, self.hint), self.seconds)
        settings["headers"] |= self.headers
        settings["verify"] = parts.scheme == "https"  # reading the certificates takes 25 ms
        settings["trust_env"] = parts.hostname not in LOOPBACK  # requests to this machine bypass proxies
        return settings


@dataclass(frozen=True)
class Retries:
    """The number of attempts to make; `delay` is the wait in seconds before the second attempt, and doubles with each
    further attempt.
    """

    tries: int = 4
    delay: float = 0.5
    sleep: Callable[[float], None] = time.sleep

    def call(self, call: Callable[[], T]) -> T:
        """Return the result of `call`, which is retried after a temporary EngineError. Raises the last error."""
        for tried in range(self.tries - 1):
            try:
                return call()
            except EngineError as error:
                if not error.retryable:
                    raise
            self.sleep(min(self.delay * 2.0**tried, _LONGEST_WAIT))
        return call()


def within(seconds: float, work: Callable[[], Iterable[T]]) -> Generator[T | Exception]:
    """Yield what `work` yields and, if it fails, its error; the error is a TimeoutError if it takes longer.

    It runs in a separate thread, with the caller's context variables. It is abandoned when its time is over or the
    iterator is closed; its thread does not keep the program from ending.
    """
    results: SimpleQueue[tuple[T | Exception, ...]] = SimpleQueue()
    deadline, context = _Deadline(time.monotonic() + seconds), copy_context()
    context.run(_DEADLINE.set, deadline)

    def run() -> None:
        try:
            for result in work():
                results.put((result,))
                _check_deadline(result)  # work that was abandoned does not go on
        except Exception as error:  # noqa: BLE001 - the caller decides what each error means
            results.put((error,))
        results.put(())

    Thread(target=context.run, args=(run,), name="investigator-call", daemon=True).start()
    try:
        while result := results.get(timeout=max(0.0, deadline.at - time.monotonic())):
            yield result[0]
    except Empty:
        yield TimeoutError(f"no result within {seconds:g} seconds")
    finally:
        deadline.at = 0.0


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
        is_streamed = response.headers.get("content-type", "").startswith("text/event-stream")
        kind = type("BoundedStream", (_BoundedStream, base), {})
        response.stream = kind(response.stream, self, self.octets * (_ENVELOPES if is_streamed else 1))


class _BoundedStream:
    def __init__(self, stream: Any, bounds: BodyBounds, most: int) -> None:
        self._stream, self._bounds, self._most = stream, bounds, most

    def __iter__(self) -> Iterator[bytes]:
        octets = 0
        for part in self._stream:
            octets += len(part)
            if octets > self._most:
                message = f"{self._bounds.place} sent more than {self._most:,} bytes, too many for a reply"
                raise EngineError(message, hint=self._bounds.hint)
            _check_deadline(part)
            yield part

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)  # newer clients keep the elapsed time there

    def close(self) -> None:  # the base class has one that does nothing
        self._stream.close()


def client_settings(bounds: BodyBounds, seconds: float) -> dict[str, Any]:
    """Return the arguments for an HTTP client that follows no redirects, limits each body, and waits up to `seconds`
    for each part of it. It sends nothing, and receives nothing more, after the end of the enclosing `within`.
    """
    return {
        "timeout": seconds,
        "follow_redirects": False,
        "headers": {"Accept-Encoding": "identity"},  # uncompressed, so that the size limit applies
        "event_hooks": {"request": [_check_deadline], "response": [bounds]},
    }


def bound_clients(model: object, bounds: BodyBounds, depth: int = 3) -> None:
    """Limit the bodies and refuse the redirects of the HTTP clients from httpx inside a provider's model, which are in
    the usual attributes of such classes.
    """
    for name in ("client", "_client", "root_client"):
        inner: Any = getattr(model, name, None)
        if not hasattr(inner, "event_hooks"):
            if inner is not None and depth > 1:
                bound_clients(inner, bounds, depth - 1)
        elif bounds not in inner.event_hooks["response"]:  # LangChain's class for Anthropic shares clients among models
            inner.follow_redirects = False
            inner.event_hooks["response"].append(bounds)
            inner.event_hooks["request"].append(_check_deadline)
