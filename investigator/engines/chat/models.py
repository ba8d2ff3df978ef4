"""The settings of a chat model, the checks before its first call, and what the errors of its server mean.

Every provider's package raises its own errors. They are recognised by the status that they carry and by the names of
their classes, so that no provider's package needs to be imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, NamedTuple
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr

from investigator.errors import (
    ContextTooLongError,
    CredentialError,
    EngineError,
    EngineTimeoutError,
    InvestigatorError,
    SettingsError,
)
from investigator.records import Record
from investigator.secrets import redacted, register, register_address

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

KEY_VARIABLES: Mapping[str, str] = {
    "anthropic": "ANTHROPIC_API_KEY",
    "azure_openai": "AZURE_OPENAI_API_KEY",
    "cohere": "COHERE_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "fireworks": "FIREWORKS_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistralai": "MISTRAL_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "together": "TOGETHER_API_KEY",
    "xai": "XAI_API_KEY",
}
"""The environment variable that holds the key, for each provider that needs one."""

CHAT_PROVIDERS = frozenset({*KEY_VARIABLES, "ollama"})
"""Providers of chat models known by name; LangChain supports others."""

OPENAI_COMPATIBLE = frozenset({"openai", "azure_openai", "deepseek", "xai"})
"""Providers whose LangChain class is built on OpenAI's client."""

NAME_HINT = (
    "Write a model as provider:name, for example openai:gpt-5-mini, anthropic:claude-sonnet-4-5, "
    "ollama:llama3.2 or gguf:PATH; a local OpenAI-compatible server is openai:NAME with the setting chat.base_url."
)
_MESSAGE_LENGTH = 300


def _known_address(address: str | None) -> str | None:
    register_address(address or "")
    return address


def _known_key(key: SecretStr | None) -> SecretStr | None:
    register(key.get_secret_value() if key else "")
    return key


class ChatSettings(Record):
    """Settings for calling a chat model."""

    timeout: float = Field(default=120.0, gt=0, description="time limit for one call including its retries, in seconds")
    attempts: int = Field(default=4, ge=1, description="maximum number of attempts for one call")
    temperature: float | None = Field(default=None, ge=0, le=2, description="sampling temperature; sent only if set")
    max_tokens: int | None = Field(
        default=None, ge=1, description="longest reply in tokens; sent only if set (a GGUF file: 1024)"
    )
    base_url: Annotated[str | None, AfterValidator(_known_address)] = Field(
        default=None, description="address of the API, for servers other than the provider's"
    )
    api_key: Annotated[SecretStr | None, AfterValidator(_known_key)] = Field(
        default=None, description="API key; if it is not set, the provider's environment variable is used"
    )
    context_tokens: int | None = Field(
        default=None,
        ge=256,
        description="maximum number of tokens in a prompt for the model (a GGUF file: in prompt and reply)",
    )
    concurrency: int = Field(default=16, ge=1, le=256, description="maximum number of concurrent calls to one server")


class Server:
    """The destination of a call: the model, the address if known, the key and its environment variable.

    `host` has the port, but no user name or password; `endpoint` is the scheme and the host, or the provider if there
    is no address; `place` names the model and its address in messages.
    """

    def __init__(self, model: str, address: str = "", key_variable: str = "", secret: str = "") -> None:
        parts = urlsplit(address)
        self.model, self.address, self.key_variable, self.secret = model, address, key_variable, secret
        self.provider = model.partition(":")[0]
        self.host = parts.netloc.rpartition("@")[2]
        self.endpoint = f"{parts.scheme}://{self.host}" if address else self.provider
        self.place = f"{model} at {self.endpoint}{parts.path}" if address else model

    @property
    def where_to_look(self) -> str:
        """Return the hint for a model or a path that the server does not have."""
        if not self.address:
            return "Check the name of the model."
        if path := urlsplit(self.address).path.rstrip("/"):
            return f"List its models: curl {self.endpoint}{path}/models; if that fails, correct chat.base_url"
        return f"Most servers have their API below /v1: try chat.base_url={self.endpoint}/v1"


def cleaned(message: str) -> str:
    """Return a server's message on one line, with secrets redacted, truncated to a readable length."""
    return " ".join(redacted(message).split())[:_MESSAGE_LENGTH]


def server_of(model: str, settings: ChatSettings) -> Server:
    """Return the server that the calls of a `provider:name` go to. Raises SettingsError for a wrong name or address
    or a missing package, and CredentialError for a missing or impossible key.
    """
    provider, _, name = model.strip().partition(":")
    if not name or not re.fullmatch(r"[A-Za-z][\w-]*", provider):
        raise SettingsError(f"{model!r} does not name a model", hint=NAME_HINT)
    provider = provider.lower().replace("-", "_")
    address = settings.base_url or ""
    if provider == "openai" and not address:  # named, so that the client obeys no other environment variable
        address = os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or "https://api.openai.com/v1"
    register_address(address)
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # the port is not a valid number
        is_address = False
    if address and not is_address:
        raise SettingsError(f"{address!r} is not an address", hint="Write it as http://localhost:8000/v1")
    variable = KEY_VARIABLES.get(provider, "")
    key = settings.api_key.get_secret_value() if settings.api_key else os.environ.get(variable, "")
    register(key)
    server = Server(f"{provider}:{name}", address, variable, key)
    if not key and variable and (not address or server.host == "api.openai.com"):
        raise CredentialError(f"{server.model} needs a key", hint=f"Set {variable} to your key.")
    if re.search(r"[^!-~]", key):
        hint = f"Copy the key again into {variable or 'chat.api_key'}, without spaces or line breaks."
        raise CredentialError(f"the key of {provider} contains white space or other impossible characters", hint=hint)
    if provider in CHAT_PROVIDERS and find_spec(f"langchain_{provider.removeprefix('azure_')}") is None:
        raise missing_package(server, f"langchain_{provider} is not installed")
    return server


def server_of_ready(model: BaseChatModel) -> Server:
    """Return the server that a model built by the caller uses, read from attributes that LangChain's classes share."""
    name = getattr(model, "model_name", None) or getattr(model, "model", None) or "model"
    given = (getattr(model, attribute, None) for attribute in ("openai_api_base", "base_url"))
    address = next((value for value in given if isinstance(value, str)), "")
    register_address(address)
    for value in vars(model).values():
        _known_key(value if isinstance(value, SecretStr) else None)
    return Server(f"{type(model).__name__}:{name}", address)


def missing_package(server: Server, reason: str) -> SettingsError:
    """Return the error for a package of a provider that is not installed."""
    named = re.search(r"pip install [\w\-\[\]]+", reason)
    command = named.group() if named else f"pip install langchain-{server.provider.replace('_', '-')}"
    return SettingsError(f"{server.model} needs a package: {reason}", hint=f"Install it with: {command}")


_START = "Start the model server or correct its address, then try again; finished work is kept."
_FINAL = "Set the final address as the base URL: the key and the documents are never sent to another address."
_CREDIT = "The account has no credit left: add some, or choose another model."
_WAIT = "Wait {wait}, then try again; finished work is kept."
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
    words = _words(error).removeprefix(f"Error code: {status}")
    values = {
        "status": status,
        "place": server.place,
        "words": words or ("" if status else type(error).__name__),
        "root": cleaned(str(root)) or words,  # the error itself often says only `Connection error.`
        "location": headers.get("location") or "another address",
        "key": server.key_variable or "chat.api_key",
        "wait": f"{float(wait):.0f} seconds" if re.fullmatch(r"\d+(\.\d+)?", wait) else "a while",
        "where": server.where_to_look,
    }
    mark = f"{status} {_kinds(error)} | {getattr(error, 'code', '')} {' '.join(str(error).split())}"
    cause = next(cause for cause in _CAUSES if re.match(cause.pattern, mark))
    message, hint = cause.message.format(**values).rstrip(": "), cause.hint.format(**values)
    own = EngineError(message, hint=hint, retryable=cause.may_pass) if cause.kind is EngineError else None
    failed = own or cause.kind(message, hint=hint)
    failed.address = server.endpoint if server.address else ""
    return failed


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
