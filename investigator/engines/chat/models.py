"""The settings of a chat model, the checks before its first call, and the LangChain model for a `provider:name`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr

from investigator.engines.chat.errors import Server, cleaned
from investigator.engines.http import BodyBounds, bound_clients, client_settings
from investigator.engines.schemas import reply_schema
from investigator.errors import CredentialError, SettingsError
from investigator.records import Record
from investigator.secrets import register, register_address, without_secrets

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import Runnable

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

_NAME_HINT = (
    "Write a model as provider:name, for example openai:gpt-5-mini, anthropic:claude-sonnet-4-5, "
    "ollama:llama3.2 or gguf:PATH; a local OpenAI-compatible server is openai:NAME with the setting chat.base_url."
)
_PLACEHOLDER_KEY = "none"  # local servers need no key, but OpenAI's client requires one


class Feature(StrEnum):
    """A part of a call that some servers reject."""

    TEMPERATURE = "temperature"
    TOP_P = "top_p"
    MAX_TOKENS = "max_tokens"
    JSON_SCHEMA = "json_schema"
    TOOLS = "tools"


_SAMPLING = (Feature.TEMPERATURE, Feature.TOP_P, Feature.MAX_TOKENS)


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
    top_p: float | None = Field(
        default=None, ge=0, le=1, description="nucleus sampling: the probability mass to sample from; sent only if set"
    )
    max_tokens: int | None = Field(default=None, ge=1, description="longest reply in tokens; sent only if set")
    base_url: Annotated[str | None, AfterValidator(_known_address)] = Field(
        default=None, description="address of the API, for servers other than the provider's"
    )
    api_key: Annotated[SecretStr | None, AfterValidator(_known_key)] = Field(
        default=None, description="API key; if it is not set, the provider's environment variable is used"
    )
    context_tokens: int | None = Field(
        default=None, ge=256, description="maximum number of tokens in a prompt for the model"
    )
    concurrency: int = Field(default=16, ge=1, le=256, description="maximum number of concurrent calls to one server")
    max_reply_characters: int = Field(
        default=200_000, ge=1, description="maximum number of characters in a reply; the rest is cut off"
    )


def server_of(model: str, settings: ChatSettings) -> Server:
    """Return the server that the calls of a `provider:name` go to. Raises SettingsError for a wrong name or address
    or a missing package, and CredentialError for a missing or impossible key.
    """
    provider, _, name = model.strip().partition(":")
    if not name or not re.fullmatch(r"[A-Za-z][\w-]*", provider):
        raise SettingsError(f"{model!r} does not name a model", hint=_NAME_HINT)
    provider = provider.lower().replace("-", "_")
    address = settings.base_url or ""
    if provider == "openai" and not address:  # named, so that the client obeys no other environment variable
        address = os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or "https://api.openai.com/v1"
    register_address(address)
    if address and not _is_address(address):
        raise SettingsError(f"{address!r} is not an address", hint="Write it as http://localhost:8000/v1")
    variable = KEY_VARIABLES.get(provider, "")
    key = settings.api_key.get_secret_value() if settings.api_key else os.environ.get(variable, "")
    register(key)
    server = Server(f"{provider}:{name}", address, variable, key)
    if not key and variable and (not address or server.host == "api.openai.com"):
        raise CredentialError(f"{server.model} needs a key", hint=f"Set {variable} to your key.")
    if re.search(r"\s", key) or not key.isascii():
        wrong = "white space" if re.search(r"\s", key) else "characters that are not allowed in a key"
        hint = f"Copy the key again{f' into {variable}' if variable else ''}, without spaces or line breaks."
        raise CredentialError(f"the key of {provider} contains {wrong}", hint=hint)
    if provider in CHAT_PROVIDERS and find_spec(f"langchain_{provider.removeprefix('azure_')}") is None:
        raise _missing(server, f"langchain_{provider} is not installed")
    return server


def server_of_ready(model: BaseChatModel) -> Server:
    """Return the server that a model built by the caller uses, read from attributes that LangChain's classes share."""
    name = getattr(model, "model_name", None) or getattr(model, "model", None) or "model"
    given = (getattr(model, attribute, None) for attribute in ("openai_api_base", "base_url"))
    address = next((value for value in given if isinstance(value, str)), "")
    register_address(address)
    for value in vars(model).values():
        if isinstance(value, SecretStr):
            register(value.get_secret_value())
    return Server(f"{type(model).__name__}:{name}", address)


def features_of(settings: ChatSettings) -> frozenset[Feature]:
    """Return what is sent until the server rejects it: the reply schema, as such or as a tool, and the parameters that
    were set.
    """
    given = {feature for feature in _SAMPLING if getattr(settings, feature) is not None}
    return frozenset({Feature.JSON_SCHEMA, Feature.TOOLS} | given)


def build(server: Server, settings: ChatSettings, features: frozenset[Feature]) -> BaseChatModel:
    """Return a chat model that sends only those settable parameters that are in `features`.

    Redirects are refused and the length of a body is limited: by our own client for OpenAI-compatible servers and
    Ollama, and for other providers only if their client can be found. Raises SettingsError if the provider's
    package is not installed, or the provider is unknown or does not accept the settings.
    """
    provider, _, name = server.model.partition(":")
    try:
        from langchain.chat_models import init_chat_model

        model: BaseChatModel = init_chat_model(name, model_provider=provider, **_arguments(server, settings, features))
        bound_clients(model, BodyBounds(server.place))
    except ImportError as error:
        raise _missing(server, str(error)) from error
    except Exception as error:  # noqa: BLE001 - each provider's package has its own errors; all are caught here
        reason = cleaned(str(error))
        raise SettingsError(f"{server.model} cannot be used: {reason}", hint=_NAME_HINT) from without_secrets(error)
    return model


def constrained(
    model: BaseChatModel, server: Server, features: frozenset[Feature], reply_type: type[Record]
) -> Runnable[Any, Any]:
    """Return the model, constrained to the schema of a reply in the strictest way that is allowed and supported.

    OpenAI's client receives the schema in the extra body: if it were a regular argument, the client would parse the
    reply itself and fail on a truncated one.
    """
    schema = reply_schema(reply_type)
    if Feature.JSON_SCHEMA in features and server.provider in OPENAI_COMPATIBLE:
        strict = {"name": reply_type.__name__, "schema": schema, "strict": True}
        return model.bind(extra_body={"response_format": {"type": "json_schema", "json_schema": strict}})
    methods = {Feature.JSON_SCHEMA: "json_schema", Feature.TOOLS: "function_calling"}
    for method in (method for feature, method in methods.items() if feature in features):
        try:
            structured = model.with_structured_output({"title": reply_type.__name__, **schema}, method=method)
        except (NotImplementedError, TypeError, ValueError):  # this class has no such method
            continue
        bound: Runnable[Any, Any] = getattr(structured, "first", model)  # without the parser, which rejects cut replies
        return bound
    return model


def _arguments(server: Server, settings: ChatSettings, features: frozenset[Feature]) -> dict[str, object]:
    """Return the arguments for the provider's class."""
    client = client_settings(BodyBounds(server.place), settings.timeout)
    given: dict[str, object] = {
        feature.value: getattr(settings, feature) for feature in _SAMPLING if feature in features
    }
    if server.address:
        given["base_url"] = server.address
    if server.provider == "ollama":  # it takes no timeout and no key, and has another name for the longest reply
        return {"num_predict": given.pop("max_tokens", None), "client_kwargs": client, **given}
    given |= {"timeout": settings.timeout, "max_retries": settings.attempts - 1}
    if server.secret:
        given["api_key"] = server.secret
    if server.provider in OPENAI_COMPATIBLE:
        from openai import DefaultHttpxClient

        given["http_client"] = DefaultHttpxClient(**client)
    if server.provider == "openai":  # None keeps LangChain from choosing a temperature itself for some models
        given = {"temperature": None, "api_key": _PLACEHOLDER_KEY, **given}
    return given


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # the port is not a valid number
        return False


def _missing(server: Server, reason: str) -> SettingsError:
    named = re.search(r"pip install [\w\-\[\]]+", reason)
    command = named.group() if named else f"pip install langchain-{server.provider.replace('_', '-')}"
    return SettingsError(f"{server.model} needs a package: {reason}", hint=f"Install it with: {command}")
