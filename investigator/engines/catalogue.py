"""Maps model names to engines, and command options to the model of each role."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from pydantic import Field

from investigator.engines.base import Engine
from investigator.engines.chat.models import CHAT_PROVIDERS
from investigator.engines.factories import GROUP, OWN, EngineFactory, EngineOptions, open_chat
from investigator.engines.roles import Role
from investigator.errors import SettingsError
from investigator.plugins import found, load, load_path
from investigator.records import Record

EXTRACTIVE = "extractive"
"""The name of the built-in default engine."""

_ROLE_OPTION = re.compile(r"(?P<role>[\w-]*)=(?P<model>.*)", re.DOTALL)
_FACTORY_PATH = re.compile(r"(?P<path>[^\W\d]\w*(?:\.[^\W\d]\w*)+:[^\W\d]\w*)(?::(?P<model>.*))?", re.DOTALL)


class ModelNames(Record):
    """The name of the model for each role; other roles use the default."""

    default: str = Field(default=EXTRACTIVE, min_length=1)
    apart: tuple[tuple[Role, str], ...] = ()

    def name_for(self, role: Role) -> str:
        """Return the name of the model for a role."""
        return dict(self.apart).get(role, self.default)


def parse_model_options(values: Sequence[str]) -> ModelNames:
    """Parse model options, each `provider:name` for every role or `role=provider:name` for one role.

    Without options, the built-in engine is used. Raises SettingsError for an unknown role, a missing name, two default
    models, or two models for the same role.
    """
    default: str | None = None
    apart: dict[Role, str] = {}
    for value in values:
        role, model = _split_option(value.strip())
        earlier = default if role is None else apart.get(role)
        if earlier not in (None, model):
            what = "every role" if role is None else f"the role {role}"
            raise SettingsError(f"two models for {what}: {earlier} and {model}", hint="Choose one of them.")
        if role is None:
            default = model
        else:
            apart[role] = model
    return ModelNames(default=default or EXTRACTIVE, apart=tuple(apart.items()))


def open_engine(name: str, options: EngineOptions) -> Engine:
    """Return the engine for a `provider:name`, such as `extractive`, `gguf:PATH`, `openai:gpt-5-mini` or `toy:x`.

    The provider is one of our own engines, one added by another package (see `factories`), a factory as
    `package.module:factory:name`, or else a provider of chat models. The name of a pulled model needs no provider.
    Raises SettingsError, CredentialError, MissingPackageError or ReplayError if the engine cannot be used.
    """
    name = name.strip()
    factory, model = _factory(name)
    provider = name.partition(":")[0]
    try:
        engine = factory(model, options)
    except SettingsError as error:
        if factory is not open_chat or provider in CHAT_PROVIDERS:
            raise
        problem = f"unknown model provider {provider!r}" if ":" in name else error.message
        raise SettingsError(problem, hint=_known_providers(provider)) from error
    if not isinstance(engine, Engine):
        raise SettingsError(
            f"the plug-in of {name!r} did not return an engine",
            hint="An engine needs a name and a method reply(prompt).",
        )
    return engine


def may_be_model(name: str) -> bool:
    """Return True if a name has the form provider:name, or, like `local`, needs no provider."""
    return ":" in name or _factory(name.strip())[0] is not open_chat


def _factory(name: str) -> tuple[EngineFactory, str]:
    """Return the engine's factory, and the name to pass to it."""
    provider, _, model = name.partition(":")
    if provider in OWN:
        return OWN[provider], model
    from investigator.engines.gguf.pulled import pulled_models  # not needed for the built-in engine

    if name in {model.name for model in pulled_models()}:
        return OWN["local"], name
    if path := _FACTORY_PATH.fullmatch(name):
        return _callable(load_path(path["path"]), path["path"]), path["model"] or ""
    if provider not in CHAT_PROVIDERS and (point := found(GROUP).get(provider)):
        return _callable(load(point), point.value), model
    return open_chat, name


def _callable(loaded: object, path: str) -> EngineFactory:
    if not callable(loaded):
        raise SettingsError(
            f"the plug-in {path} cannot be called", hint="It must be a function that takes (name, options)."
        )
    factory: EngineFactory = loaded
    return factory


def _known_providers(provider: str) -> str:
    names = sorted({*OWN, *found(GROUP), *CHAT_PROVIDERS})
    near = get_close_matches(provider, names, n=1)
    return (f"Did you mean {near[0]!r}? " if near else "") + (
        f"Write a model as provider:name. The providers are {', '.join(names)}, and any others that LangChain supports."
    )


def _split_option(value: str) -> tuple[Role | None, str]:
    """Split off the role. Only a plain word before the first `=` is a role, because a path or a tag may also contain
    `=`.
    """
    option = _ROLE_OPTION.fullmatch(value)
    role = _role(option["role"], value) if option else None
    model = option["model"].strip() if option else value
    if not model:
        raise SettingsError(f"{value!r} does not name a model", hint="Write it as provider:name or role=provider:name")
    return role, model


def _role(word: str, value: str) -> Role:
    try:
        return Role(word.lower())
    except ValueError:
        roles = ", ".join(Role)
        raise SettingsError(f"{value!r}: {word!r} is not a role", hint=f"The roles are: {roles}.") from None
