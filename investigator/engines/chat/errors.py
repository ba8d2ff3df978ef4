"""Translates a provider's error into an error of this package.

Every provider's package raises its own errors. They are recognised by a `status_code` or `response` (OpenAI, Anthropic,
Groq, Ollama, httpx), by class name, or as langchain-core's model errors, so that no provider's package needs to be
imported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
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

_MESSAGE_LENGTH = 300
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
    def provider(self) -> str:
        """Return the provider of the model."""
        return self.model.partition(":")[0]

    @property
    def place(self) -> str:
        """Return the model and its address, without any user name or password."""
        if not self.address:
            return self.model
        parts = urlsplit(self.address)
        return f"{self.model} at {parts.scheme}://{host_of(self.address)}{parts.path}"

    @property
    def endpoint(self) -> str:
        """Return the scheme, host and port of the server, or the provider if the address is unknown."""
        parts = urlsplit(self.address)
        if not parts.hostname:
            return self.provider
        port = parts.port or (443 if parts.scheme == "https" else 80)
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return f"{parts.scheme}://{host}:{port}"


def cleaned(message: str) -> str:
    """Return a server's message on one line, with secrets redacted, truncated to a readable length."""
    return " ".join(redacted(message).split())[:_MESSAGE_LENGTH]


def host_of(address: str) -> str:
    """Return the host and the port of an address."""
    return urlsplit(address).netloc.rpartition("@")[2]


def failure(error: Exception, server: Server) -> InvestigatorError:
    """Translate an error that a provider's package raised."""
    if (ours := _ours(error)) is not None:
        return ours
    status = status_of(error)
    if status is not None:
        return _by_status(status, error, server)
    if isinstance(error, ValueError) and error.args and isinstance(error.args[0], Mapping):
        return _in_body(error.args[0], server)
    words = cleaned(_words(error))
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & _TIMEOUTS:
        return EngineTimeoutError(f"{server.place} did not reply in time")
    if names & _CUTS:
        return EngineUnreachableError(f"{server.place} cannot be reached: {_root(error, words)}")
    if "ContextOverflowError" in names:
        return _too_long(server, words)
    if isinstance(error, _UNREADABLE):
        return EngineError(
            f"the server's reply is not a chat completion ({server.place}): {words}",
            hint="Check that the base URL belongs to an OpenAI-compatible API (it often ends in /v1).",
        )
    return EngineError(f"{server.place} gave no reply: {words or type(error).__name__}")


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


def _by_status(status: int, error: Exception, server: Server) -> InvestigatorError:
    words = cleaned(_words(error))
    if 300 <= status < 400:
        hint = "Set the final address as the base URL: the key and the documents are never sent to another address."
        target = _headers(error).get("location", "elsewhere")
        return EngineError(f"{server.place} redirects to {target}, which is refused", hint=hint)
    if status in (401, 403):
        variable = server.key_variable
        hint = f"Set {variable} to a valid key." if variable else "Check the provider's key and its permissions."
        return CredentialError(f"{server.place} rejected the key: {words}", hint=hint)
    if status == 404:
        said = f": {words}" if words and words != f"Error code: {status}" else ""
        return SettingsError(f"{server.place} was not found (404){said}", hint=_where_to_look(server))
    if status == 429:
        return _limited(error, server, words)
    if status == 408:
        return EngineTimeoutError(f"{server.place} did not reply in time")
    if status >= 500 or status == 409:
        return EngineUnreachableError(f"{server.place} failed ({status}): {words}")
    if is_too_long(error):
        return _too_long(server, words)
    hint = "Check the settings of the model: the server rejected the request."
    return EngineError(f"{server.place} rejected the request ({status}): {words}", hint=hint)


def _in_body(body: Mapping[str, object], server: Server) -> InvestigatorError:
    """Translate an error that a server sent as the body of a reply with status 200."""
    code, message = body.get("code"), cleaned(str(body.get("message") or dict(body)))
    if isinstance(code, int) and 400 <= code < 600:
        return _by_status(code, RuntimeError(message), server)
    return EngineError(f"{server.place} sent an error instead of a reply: {message}")


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


def _limited(error: Exception, server: Server, words: str) -> RateLimitError:
    if "insufficient_quota" in {getattr(error, "code", None), getattr(error, "type", None)} or (
        "insufficient_quota" in str(error)
    ):
        hint = "The account has no credit left: add some, or choose another model with --model."
        return RateLimitError(f"{server.place} refused the call: {words}", hint=hint)
    try:
        wait = float(_headers(error)["retry-after"])
    except (KeyError, ValueError):
        return RateLimitError(f"{server.place} accepts no more calls for now: {words}")
    hint = f"Run the same command again in {wait:.0f} seconds: it resumes where it stopped."
    message = f"{server.place} requests a wait of {wait:.0f} seconds: {words}"
    return RateLimitError(message, retry_after=wait, hint=hint)


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
