"""Translates a provider's error into an error of this package.

Every provider's package raises its own errors. They are recognised by a `status_code` or `response` (OpenAI, Anthropic,
Groq, Ollama, httpx), by class name, or as langchain-core's model errors, so that no provider's package needs to be
imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from investigator.errors import (
    ContextTooLongError,
    CredentialError,
    EngineError,
    EngineTimeoutError,
    InvestigatorError,
    SettingsError,
    SilentReplyError,
)
from investigator.records import FinishReason, Reply
from investigator.secrets import redacted

_MESSAGE_LENGTH = 300
_START = "Start the model server or correct its address, then run the same command again to resume."
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
    def host(self) -> str:
        """Return the host and the port of the address, without any user name or password."""
        return urlsplit(self.address).netloc.rpartition("@")[2]

    @property
    def endpoint(self) -> str:
        """Return the scheme, host and port of the address, or the provider if the address is unknown."""
        return f"{urlsplit(self.address).scheme}://{self.host}" if self.address else self.provider

    @property
    def place(self) -> str:
        """Return the model and its address, for messages."""
        return f"{self.model} at {self.endpoint}{urlsplit(self.address).path}" if self.address else self.model


def cleaned(message: str) -> str:
    """Return a server's message on one line, with secrets redacted, truncated to a readable length."""
    return " ".join(redacted(message).split())[:_MESSAGE_LENGTH]


def status_of(error: Exception) -> int | None:
    """Return the HTTP status that an error carries, if any."""
    response = getattr(error, "response", None)  # Google puts the status into `code`; OpenAI's `code` is a word
    values = (getattr(error, "status_code", None), getattr(response, "status_code", None), getattr(error, "code", None))
    return next((value for value in values if isinstance(value, int) and 300 <= value < 600), None)


def is_too_long(error: Exception) -> bool:
    """Return True if a server rejected a prompt because of its length."""
    return "ContextOverflowError" in _kinds(error) or _TOO_LONG.search(str(error)) is not None


def failure(error: Exception, server: Server) -> InvestigatorError:
    """Translate an error that a provider's package raised."""
    own = next((cause for cause in _causes(error) if isinstance(cause, EngineError)), None)
    if own is not None:  # a provider's client may have wrapped it
        return own
    words, place, status = cleaned(_words(error)), server.place, status_of(error)
    if isinstance(error, ValueError) and error.args and isinstance(error.args[0], Mapping):  # inside a reply with 200
        status = error.args[0].get("code")
        if not isinstance(status, int) or not 400 <= status < 600:
            return EngineError(f"{place} sent an error instead of a reply: {words}")
    if status is not None:
        return _of_status(status, error, server, words)
    if "Timeout" in _kinds(error):
        return EngineTimeoutError(f"{place} did not reply in time")
    if "Connection" in _kinds(error) or "Transport" in _kinds(
        error
    ):  # the error itself often says only `Connection error.`
        *_, root = _causes(error)
        message = f"{place} cannot be reached: {cleaned(str(root)) or words}"
        return EngineError(message, hint=_START, retryable=True)
    if is_too_long(error):
        return ContextTooLongError(f"the prompt is too long for {place}: {words}")
    if isinstance(error, _UNREADABLE):
        hint = "Check that the base URL belongs to an OpenAI-compatible API (it often ends in /v1)."
        return EngineError(f"the server's reply is not a chat completion ({place}): {words}", hint=hint)
    return EngineError(f"{place} gave no reply: {words or type(error).__name__}")


def without_reply(server: Server, reply: Reply, thought: int) -> SilentReplyError:
    """Return the error for a reply without text; `thought` is the number of tokens that the model spent on thinking."""
    is_cut = reply.finish_reason is FinishReason.LENGTH
    end = "used up its output limit before it wrote a reply" if is_cut else "ended without writing a reply"
    spent = f" ({thought:,} tokens went into its thinking)" if thought else ""
    hint = (
        "Turn the model's thinking off, raise --set chat.max_tokens=16000, or choose another model; then run the same "
        "command again to resume."
    )
    return SilentReplyError(f"{server.place} {end}{spent}", hint=hint)


def _of_status(status: int, error: Exception, server: Server, words: str) -> InvestigatorError:
    place = server.place
    if status < 400:
        hint = "Set the final address as the base URL: the key and the documents are never sent to another address."
        return EngineError(f"{place} redirects to {_header(error, 'location')}, which is refused", hint=hint)
    if status in (401, 403):
        variable = server.key_variable
        hint = f"Set {variable} to a valid key." if variable else "Check the provider's key and its permissions."
        return CredentialError(f"{place} rejected the key: {words}", hint=hint)
    if status == 404:
        reason = "" if words in ("", "Error code: 404") else f": {words}"
        return SettingsError(f"{place} was not found (404){reason}", hint=_where_to_look(server))
    if status == 429:
        return _limited(error, place, words)
    if status == 408:
        return EngineTimeoutError(f"{place} did not reply in time")
    if status >= 500 or status == 409:
        return EngineError(f"{place} failed ({status}): {words}", hint=_START, retryable=True)
    if is_too_long(error):
        return ContextTooLongError(f"the prompt is too long for {place}: {words}")
    hint = "Check the settings of the model: the server rejected the request."
    return EngineError(f"{place} rejected the request ({status}): {words}", hint=hint)


def _where_to_look(server: Server) -> str:
    """Return the hint for a model or path that a server does not have."""
    path, base = urlsplit(server.address).path.rstrip("/"), server.endpoint
    if not server.address:
        return "Check the name of the model."
    if not path:
        return f"Most servers have their API below /v1: try --set chat.base_url={base}/v1"
    return f"List the server's models with: curl {base}{path}/models. If that fails, correct --set chat.base_url=URL"


def _limited(error: Exception, place: str, words: str) -> EngineError:
    if "insufficient_quota" in f"{getattr(error, 'code', '')} {error}":
        hint = "The account has no credit left: add some, or choose another model with --model."
        return EngineError(f"{place} refused the call: {words}", hint=hint, retryable=True)
    try:
        wait = float(_header(error, "retry-after"))
    except ValueError:
        hint = "Wait a while, then run the same command again: it resumes where it stopped."
        return EngineError(f"{place} accepts no more calls for now: {words}", hint=hint, retryable=True)
    hint = f"Run the same command again in {wait:.0f} seconds: it resumes where it stopped."
    message = f"{place} requests a wait of {wait:.0f} seconds: {words}"
    return EngineError(message, hint=hint, retryable=True, retry_after=wait)


def _kinds(error: Exception) -> str:
    return " ".join(kind.__name__ for kind in type(error).__mro__)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _words(error: Exception) -> str:
    """Return the server's message from the body of the error, or else the text of the error."""
    body = getattr(error, "body", None) or next(iter(error.args), None)
    for part in (body, body.get("error") if isinstance(body, Mapping) else None):
        message = part.get("message") if isinstance(part, Mapping) else None
        if isinstance(message, str) and message:
            return message
    return str(error)


def _header(error: Exception, name: str) -> str:
    headers = getattr(getattr(error, "response", None), "headers", {})
    return str(headers.get(name, "")) if isinstance(headers, Mapping) else ""
