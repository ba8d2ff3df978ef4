"""Translates a provider's error into an error of this package, with the number of attempts worth making.

Every provider's package raises its own errors. They are recognised by a `status_code` or `response` (OpenAI, Anthropic,
Groq, Ollama, httpx), by class name, or as langchain-core's model errors, so that no provider's package needs to be
imported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from investigator.errors import (
    ContextTooLongError,
    CredentialError,
    EngineError,
    EngineTimeoutError,
    EngineUnreachableError,
    InvestigatorError,
    RateLimitError,
    SettingsError,
    SilentReplyError,
)
from investigator.records import FinishReason, Reply
from investigator.secrets import redacted

ALWAYS = 1_000_000
"""A number of attempts that exceeds any engine's own limit."""

_MESSAGE_LENGTH = 300
_BUSY = frozenset({503, 529})  # 529 is Anthropic's status for an overloaded server
_TIMEOUTS = frozenset({"APITimeoutError", "ModelTimeoutError", "TimeoutException", "TimeoutError", "Timeout"})
_CUTS = frozenset({"APIConnectionError", "ModelConnectionError", "TransportError", "ConnectionError"})
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)  # raised for a body with an unexpected shape
_TOO_LONG = re.compile(
    r"context[ _]?(length|window|size)|maximum context|prompt is too long|too many (input )?tokens", re.IGNORECASE
)


@dataclass(frozen=True)
class Server:
    """The destination of a call: the model, the address if known, the key and its environment variable."""

    model: str
    address: str = ""
    key_variable: str = ""
    secret: str = ""

    @property
    def place(self) -> str:
        """Return the model and its address, without any user name or password."""
        if not self.address:
            return self.model
        parts = urlsplit(self.address)
        return f"{self.model} at {parts.scheme}://{host_of(self.address)}{parts.path}"

    @property
    def endpoint(self) -> str:
        """Return the key of the queue shared by all calls to this server: scheme, host and port, or the provider."""
        parts = urlsplit(self.address)
        if not parts.hostname:
            return self.model.partition(":")[0]
        port = parts.port or (443 if parts.scheme == "https" else 80)
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return f"{parts.scheme}://{host}:{port}"

    @property
    def identity(self) -> str:
        """Return the model and the server as `provider:name@host`, without the host if it is unknown."""
        return f"{self.model}@{host_of(self.address)}" if self.address else self.model


def cleaned(message: str) -> str:
    """Return a server's message on one line, with secrets redacted, truncated to a readable length."""
    return " ".join(redacted(message).split())[:_MESSAGE_LENGTH]


def host_of(address: str) -> str:
    """Return the host and the port of an address."""
    return urlsplit(address).netloc.rpartition("@")[2]


@dataclass(frozen=True)
class FailedCall:
    """A failed call: the error to raise, the number of attempts worth making, and the wait that the server requested.

    `busy` is True if the server accepts no calls for now.
    """

    error: InvestigatorError
    cause: Exception | None = None
    tries: int = 1
    wait: float | None = None
    busy: bool = False


def failure(error: Exception, server: Server, max_wait: float) -> FailedCall:
    """Translate an error that a provider's package raised. `max_wait` (seconds) limits the wait that a server may
    request.
    """
    if (ours := _ours(error)) is not None:
        return FailedCall(ours, error, tries=2 if ours.retryable else 1)
    status = status_of(error)
    if status is not None:
        return _by_status(status, error, server, max_wait)
    if isinstance(error, ValueError) and error.args and isinstance(error.args[0], Mapping):
        return _in_body(error.args[0], error, server, max_wait)
    words = cleaned(_words(error))
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & _TIMEOUTS:
        return FailedCall(EngineTimeoutError(f"{server.place} did not reply in time"), error, tries=2)
    if names & _CUTS:
        return FailedCall(
            EngineUnreachableError(f"{server.place} cannot be reached: {_root(error, words)}"), error, ALWAYS
        )
    if "ContextOverflowError" in names:
        return FailedCall(_too_long(server, words), error)
    if isinstance(error, _UNREADABLE):
        hint = "Check that the base URL belongs to an OpenAI-compatible API (it often ends in /v1)."
        message = f"the server's reply is not a chat completion ({server.place}): {words}"
        return FailedCall(EngineError(message, hint=hint), error, tries=2)
    return FailedCall(EngineError(f"{server.place} gave no reply: {words or type(error).__name__}"), error)


def status_of(error: Exception) -> int | None:
    """Return the HTTP status that an error carries, if any."""
    response = getattr(error, "response", None)
    for status in (
        getattr(error, "status_code", None),
        getattr(response, "status_code", None),
        getattr(error, "code", None),  # Google puts the status here; OpenAI's `code` is a word
    ):
        if isinstance(status, int) and 300 <= status < 600:
            return status
    return None


def _where_to_look(server: Server) -> str:
    """Return the hint for a model or path that a server does not have."""
    if not server.address:
        return "Check the name of the model."
    parts = urlsplit(server.address)
    address = f"{parts.scheme}://{host_of(server.address)}{parts.path.rstrip('/')}"
    if not parts.path.strip("/"):
        return f"Most servers have their API below /v1: try --set chat.base_url={address}/v1"
    return f"List the models of the server with: curl {address}/models. If that fails, correct --set chat.base_url=URL"


def _ours(error: BaseException | None) -> EngineError | None:
    """Return the first error of this package in the chain of causes; a provider's client may have wrapped it."""
    while error is not None and not isinstance(error, EngineError):
        error = error.__cause__
    return error


def _by_status(status: int, error: Exception, server: Server, max_wait: float) -> FailedCall:
    words = cleaned(_words(error))
    if 300 <= status < 400:
        target = _headers(error).get("location", "elsewhere")
        hint = "Set the final address as the base URL: the key and the documents are never sent to another address."
        return FailedCall(EngineError(f"{server.place} redirects to {target}, which is refused", hint=hint), error)
    if status in (401, 403):
        return FailedCall(_refused_key(server, words), error)
    if status == 404:
        said = f": {words}" if words and words != f"Error code: {status}" else ""
        return FailedCall(
            SettingsError(f"{server.place} was not found (404){said}", hint=_where_to_look(server)), error
        )
    if status == 429:
        return _limited(error, server, words, max_wait)
    if status == 408:
        return FailedCall(EngineTimeoutError(f"{server.place} did not reply in time"), error, tries=2)
    if status >= 500 or status == 409:
        wait = _asked_wait(error)
        tries = ALWAYS if wait is None or wait <= max_wait else 1
        busy = status in _BUSY
        return FailedCall(
            EngineUnreachableError(f"{server.place} failed ({status}): {words}"), error, tries, wait, busy
        )
    if is_too_long(error):
        return FailedCall(_too_long(server, words), error)
    hint = "Check the settings of the model: the server rejected the request."
    return FailedCall(EngineError(f"{server.place} rejected the request ({status}): {words}", hint=hint), error)


def _in_body(body: Mapping[str, object], error: Exception, server: Server, max_wait: float) -> FailedCall:
    """Translate an error that a server sent as the body of a reply with status 200."""
    code, message = body.get("code"), cleaned(str(body.get("message") or dict(body)))
    if isinstance(code, int) and 400 <= code < 600:
        return _by_status(code, RuntimeError(message), server, max_wait)
    return FailedCall(EngineError(f"{server.place} sent an error instead of a reply: {message}"), error)


def without_reply(server: Server, reply: Reply, thought: int) -> SilentReplyError:
    """Return the error for a reply without text; `thought` is the number of tokens that the model spent on thinking."""
    spent = f" ({thought:,} tokens went into its thinking)" if thought else ""
    if reply.finish_reason is FinishReason.LENGTH:
        return SilentReplyError(
            f"{server.place} used up its output limit before it wrote a reply{spent}",
            hint="Raise the limit with --set chat.max_tokens=16000, or turn the model's thinking off; then run the "
            "same command again to resume.",
        )
    return SilentReplyError(
        f"{server.place} ended without writing a reply{spent}",
        hint="A model that only thinks writes none: turn its thinking off, raise --set chat.max_tokens=16000, or "
        "choose another model.",
    )


def _limited(error: Exception, server: Server, words: str, max_wait: float) -> FailedCall:
    if "insufficient_quota" in {getattr(error, "code", None), getattr(error, "type", None)} or (
        "insufficient_quota" in str(error)
    ):
        hint = "The account has no credit left: add some, or choose another model with --model."
        return FailedCall(RateLimitError(f"{server.place} refused the call: {words}", hint=hint), error)
    wait = _asked_wait(error)
    if wait is not None and wait > max_wait:
        hint = f"Run the same command again in {wait:.0f} seconds: it resumes where it stopped."
        message = f"{server.place} requests a wait of {wait:.0f} seconds"
        return FailedCall(RateLimitError(message, retry_after=wait, hint=hint), error, wait=wait, busy=True)
    limited = RateLimitError(f"{server.place} accepts no more calls for now: {words}", retry_after=wait)
    return FailedCall(limited, error, ALWAYS, wait, busy=True)


def _refused_key(server: Server, words: str) -> CredentialError:
    variable = server.key_variable
    hint = f"Set {variable} to a valid key." if variable else "Check the provider's key and its permissions."
    return CredentialError(f"{server.place} rejected the key: {words}", hint=hint)


def _too_long(server: Server, words: str) -> EngineError:
    return ContextTooLongError(f"the prompt is too long for {server.place}: {words}")


def is_too_long(error: Exception) -> bool:
    """Return True if a server rejected a prompt because of its length."""
    overflow = any(kind.__name__ == "ContextOverflowError" for kind in type(error).__mro__)
    return overflow or _TOO_LONG.search(str(error)) is not None


def _words(error: Exception) -> str:
    """Return the server's message from the body of the error, or else the text of the error."""
    body = getattr(error, "body", None)
    for part in (body, body.get("error") if isinstance(body, Mapping) else None):
        message = part.get("message") if isinstance(part, Mapping) else None
        if isinstance(message, str) and message:
            return message
    return str(error)


def _root(error: BaseException, words: str) -> str:
    """Return the innermost cause's message, because a connection error itself often says only `Connection error.`"""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return cleaned(str(error)) or words or type(error).__name__


def _headers(error: Exception) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers if isinstance(headers, Mapping) else {}


def _asked_wait(error: Exception) -> float | None:
    """Return the wait in seconds that `Retry-After` requests; a date in it is compared with the date of the reply."""
    headers = _headers(error)
    asked = headers.get("retry-after")
    if asked is None:
        return None
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    try:
        span = parsedate_to_datetime(asked) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError):
        return None
    return max(0.0, span.total_seconds())
