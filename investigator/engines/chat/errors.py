"""Translates a provider's error into an error of this package.

Every provider's package raises its own errors. They are recognised by the status that they carry and by the names of
their classes, so that no provider's package needs to be imported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from investigator.engines.chat.models import Server, cleaned
from investigator.errors import (
    ContextTooLongError,
    CredentialError,
    EngineError,
    EngineTimeoutError,
    InvestigatorError,
    SettingsError,
)

_START = "Start the model server or correct its address, then run the same command again to resume."
_FINAL = "Set the final address as the base URL: the key and the documents are never sent to another address."
_CREDIT = "The account has no credit left: add some, or choose another model with --model."
_WAIT = "Wait {wait}, then run the same command again: it resumes where it stopped."
_BASE = "Check that the base URL belongs to an OpenAI-compatible API (it often ends in /v1)."
_TOO_LONG = (
    r"ContextOverflow|context[ _]?(length|window|size)|maximum context|prompt is too long|too many (input )?tokens"
)


class _Cause(NamedTuple):
    """A cause of errors whose status (0: none) and classes, followed by `|` and their text, match a pattern."""

    pattern: str
    kind: type[InvestigatorError]
    message: str
    hint: str = ""
    may_pass: bool = False


_CAUSES = (
    _Cause("3", EngineError, "{place} redirects to {location}, which is refused", _FINAL),
    _Cause("40[13]", CredentialError, "{place} rejected the key: {words}", "Set {key} to a valid key."),
    _Cause("404", SettingsError, "{place} was not found (404): {words}", "{where}"),
    _Cause(r"429.*\|.*insufficient_quota", EngineError, "{place} refused the call: {words}", _CREDIT, may_pass=True),
    _Cause("429", EngineError, "{place} accepts no more calls for now: {words}", _WAIT, may_pass=True),
    _Cause(r"408|0[^|]*Timeout", EngineTimeoutError, "{place} did not reply in time"),
    _Cause("5|409", EngineError, "{place} failed ({status}): {words}", _START, may_pass=True),
    _Cause(r"0[^|]*(Connection|Transport)", EngineError, "{place} cannot be reached: {root}", _START, may_pass=True),
    _Cause(f"(?i).*({_TOO_LONG})", ContextTooLongError, "the prompt is too long for {place}: {words}"),
    _Cause("4", EngineError, "{place} rejected the request ({status}): {words}", "Check the settings of the model."),
    _Cause(r"0[^|]*ErrorBody", EngineError, "{place} sent an error instead of a reply: {words}"),
    _Cause(  # the errors that a body with an unexpected shape leads to
        r"0[^|]*(Value|Type|Lookup|Attribute)Error",
        *(EngineError, "the server's reply is not a chat completion ({place}): {words}", _BASE),
    ),
    _Cause("", EngineError, "{place} gave no reply: {words}"),
)
"""The causes of errors; the first that matches counts."""


def status_of(error: Exception) -> int:
    """Return the HTTP status that an error carries, or 0."""
    response = getattr(error, "response", None)
    names = ("status_code", "code")  # Google puts the status into `code`; OpenAI's `code` is a word
    values = (*(getattr(error, name, None) for name in names), getattr(response, "status_code", None))
    known = (value for value in (*values, _body(error).get("code")) if isinstance(value, int) and 300 <= value < 600)
    return next(known, 0)


def is_too_long(error: Exception) -> bool:
    """Return True if a server rejected a prompt because of its length."""
    return re.search(_TOO_LONG, f"{_kinds(error)} {error}", re.IGNORECASE) is not None


def failure(error: Exception, server: Server) -> InvestigatorError:
    """Translate an error that a provider's package raised."""
    root: BaseException = error
    while not isinstance(root, EngineError) and (behind := root.__cause__ or root.__context__):
        root = behind
    if isinstance(root, EngineError):  # a provider's client may have wrapped it
        return root
    status, headers = status_of(error), getattr(getattr(error, "response", None), "headers", {})
    wait = str(headers.get("retry-after", ""))
    seconds = float(wait) if re.fullmatch(r"\d+(\.\d+)?", wait) else None
    words = _words(error).removeprefix(f"Error code: {status}")
    values = {
        "status": status,
        "place": server.place,
        "words": words or ("" if status else type(error).__name__),
        "root": cleaned(str(root)) or words,  # the error itself often says only `Connection error.`
        "location": headers.get("location"),
        "key": server.key_variable or "chat.api_key",
        "wait": "a while" if seconds is None else f"{seconds:.0f} seconds",
        "where": server.where_to_look,
    }
    mark = f"{status} {_kinds(error)} | {getattr(error, 'code', '')} {' '.join(str(error).split())}"
    cause = next(cause for cause in _CAUSES if re.match(cause.pattern, mark))
    message, hint = cause.message.format(**values).rstrip(": "), cause.hint.format(**values)
    if cause.kind is EngineError:
        return EngineError(message, hint=hint, retryable=cause.may_pass, retry_after=seconds)
    return cause.kind(message, hint=hint)


def _kinds(error: Exception) -> str:
    kinds = " ".join(kind.__name__ for kind in type(error).__mro__)
    return f"{kinds} ErrorBody" if isinstance(error, ValueError) and _body(error) else kinds


def _body(error: Exception) -> Mapping[str, object]:
    """Return the body of a server's reply that an error carries, if it is an object."""
    body = getattr(error, "body", None) or next(iter(error.args), None)
    return body if isinstance(body, Mapping) else {}


def _words(error: Exception) -> str:
    """Return the server's message from the body of the error, or else the text of the error."""
    body = _body(error)
    inner = body.get("error")
    texts = (body.get("message"), inner.get("message") if isinstance(inner, Mapping) else None)
    return cleaned(next((text for text in texts if isinstance(text, str) and text), str(error)))
