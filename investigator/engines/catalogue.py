"""Creates engines from model names, and maps command options to the model of each role.

Another package adds an engine by declaring an entry point in the group `investigator.engines` in its pyproject.toml:

    [project.entry-points."investigator.engines"]
    toy = "toy_engine:open_toy"

From then on `--model toy:NAME` uses the engine that `open_toy("NAME", options)` returns.

An engine is imported when it is opened, because a question that needs no model must not wait for the import.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pydantic import Field

from investigator.engines.base import Engine
from investigator.engines.chat.models import CHAT_PROVIDERS, ChatSettings
from investigator.engines.gguf.engine import USUAL_SECONDS, USUAL_TOKENS, GgufEngine
from investigator.engines.roles import Role
from investigator.engines.transformers.engine import TransformersEngine, TransformersSettings
from investigator.errors import SettingsError
from investigator.plugins import load, load_path, plug_ins
from investigator.records import Record, Writing

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler

GROUP = "investigator.engines"
"""The entry point group for engines from other packages."""

EXTRACTIVE = "extractive"
"""The name of the built-in default engine."""

OWN = frozenset({"chat", "extractive", "gguf", "local", "recorded", "scripted", "transformers"})
"""The providers of our own engines."""

_OF_FILES = frozenset({"gguf", "recorded", "scripted", "transformers"})
_ROLE_OPTION = re.compile(r"(?P<role>[\w-]*)=(?P<model>.*)", re.DOTALL)
_FACTORY_PATH = re.compile(r"(?P<path>[^\W\d]\w*(?:\.[^\W\d]\w*)+:[^\W\d]\w*)(?::(?P<model>.*))?", re.DOTALL)


@dataclass(frozen=True)
class EngineOptions:
    """The objects and settings that a run provides to its engines.

    `extractive` creates the built-in engine. `on_notice` receives messages for the user, for example about a rejected
    parameter; `on_writing` receives the progress of a local model that is writing a reply. `callbacks` are LangChain
    callbacks. The other fields are the settings of our own engines; an engine from another package manages its own.
    """

    extractive: Callable[[], Engine]
    on_notice: Callable[[str], None] = lambda _: None
    on_writing: Callable[[Writing], None] = lambda _: None
    callbacks: Sequence[BaseCallbackHandler] = ()
    chat: ChatSettings | None = None
    transformers: TransformersSettings | None = None


EngineFactory: TypeAlias = Callable[[str, EngineOptions], Engine]
"""Returns the engine for a model; entry points in the group `investigator.engines` refer to such functions.

The first argument is the user's model name without the provider: `x` for `--model toy:x`, empty for `--model toy`. The
engine has a `name`, by convention `provider:name`, and `reply(prompt)`; see `investigator.engines.base` for optional
parts. It should open quickly and load a model only on the first prompt. Raise SettingsError or CredentialError, with a
hint, if the engine cannot be used.
"""


class ModelNames(Record):
    """The name of the model for each role; other roles use the default."""

    default: str = Field(default=EXTRACTIVE, min_length=1)
    apart: tuple[tuple[Role, str], ...] = ()

    def name_for(self, role: Role) -> str:
        """Return the name of the model for a role."""
        return dict(self.apart).get(role, self.default)


def parse_model_options(values: Sequence[str]) -> ModelNames:
    """Parse model options, each `provider:name` for every role or `role=provider:name` for one role.

    Raises SettingsError for an unknown role, a missing name, two default models, or two models for the same role.
    """
    names: dict[Role | None, str] = {}
    for value in values:
        role, model = _split_option(value.strip())
        if names.setdefault(role, model) != model:
            what = "every role" if role is None else f"the role {role}"
            raise SettingsError(f"two models for {what}: {names[role]} and {model}", hint="Choose one of them.")
    default = names.pop(None, EXTRACTIVE)
    return ModelNames(default=default, apart=tuple((role, name) for role, name in names.items() if role is not None))


def model_choices(values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the alternatives that model options offer, keyed by name: each model for every role, together with all
    models for one role. Without a model for every role, there is one alternative. Raises SettingsError.
    """
    split = [(value.strip(), _split_option(value.strip())[0]) for value in values]
    apart = tuple(value for value, role in split if role is not None)
    every = dict.fromkeys(value for value, role in split if role is None)
    choices = {value: (value, *apart) for value in every} or ({", ".join(apart): apart} if apart else {})
    for choice in choices.values():
        parse_model_options(choice)
    return choices


def _split_option(value: str) -> tuple[Role | None, str]:
    """Split off the role: a plain word before the first `=`, because a path or a tag may also contain `=`."""
    option = _ROLE_OPTION.fullmatch(value)
    word, model = (option["role"], option["model"].strip()) if option else (None, value)
    if word is not None and word.lower() not in set(Role):
        raise SettingsError(f"{value!r}: {word!r} is not a role", hint=f"The roles are: {', '.join(Role)}.")
    if not model:
        raise SettingsError(f"{value!r} does not name a model", hint="Write it as provider:name or role=provider:name")
    return None if word is None else Role(word.lower()), model


def open_engine(name: str, options: EngineOptions) -> Engine:
    """Return the engine for a `provider:name`, such as `extractive`, `gguf:PATH`, `openai:gpt-5-mini` or `toy:x`.

    The provider is one of our own engines, one added by another package, a factory as `package.module:factory:name`, or
    else a provider of chat models. The name of a pulled model needs no provider. Raises SettingsError, CredentialError
    or ReplayError if the engine cannot be used.
    """
    provider, model = _split_name(name)
    if provider in OWN:
        return _open_own(provider, model, options)
    if (factory := _factory(provider)) is None:
        try:
            return _open_own("chat", f"{provider}:{model}" if ":" in name else name, options)
        except SettingsError as error:
            if provider in CHAT_PROVIDERS:
                raise
            problem = f"unknown model provider {provider!r}" if ":" in name else error.message
            raise SettingsError(problem, hint=_known_providers(provider)) from error
    if not callable(factory):
        raise SettingsError(
            f"the plug-in {provider} cannot be called", hint="It must be a function that takes (name, options)."
        )
    engine = factory(model, options)
    if not isinstance(engine, Engine):
        raise SettingsError(
            f"the plug-in of {name!r} did not return an engine",
            hint="An engine needs a name and a method reply(prompt).",
        )
    return engine


def may_be_model(name: str) -> bool:
    """Return True if a name has the form provider:name, or, like `local`, needs no provider."""
    provider, _ = _split_name(name)
    return ":" in name or provider in OWN or _factory(provider) is not None


def _split_name(name: str) -> tuple[str, str]:
    """Return the provider, or the path of a factory, and the name to pass to it."""
    name = name.strip()
    provider, _, model = name.partition(":")
    if provider in OWN:
        return provider, model
    from investigator.engines.gguf.pulled import pulled_models  # not needed for the built-in engine

    if name in {pulled.name for pulled in pulled_models()}:
        return "local", name
    path = _FACTORY_PATH.fullmatch(name)
    return (path["path"], path["model"] or "") if path else (provider, model)


def _factory(provider: str) -> object:
    """Return the factory of another package's engine, or None. Raises SettingsError if it cannot be loaded."""
    if ":" in provider:
        return load_path(provider)
    point = None if provider in CHAT_PROVIDERS else plug_ins(GROUP).get(provider)
    return None if point is None else load(point)


def _open_own(provider: str, name: str, options: EngineOptions) -> Engine:
    if provider == EXTRACTIVE:
        if name:
            raise SettingsError(f"the built-in engine has no model {name!r}", hint="Write it as extractive")
        return options.extractive()
    from investigator.engines.chat.engine import ChatEngine
    from investigator.engines.gguf.pulled import pulled_model
    from investigator.engines.recorded import RecordedEngine
    from investigator.engines.scripted import ScriptedEngine

    if provider in _OF_FILES and not name:
        raise SettingsError(f"'{provider}:' does not name a file", hint=f"Write it as {provider}:FILE")
    chat = options.chat or ChatSettings()
    match provider:
        case "chat":
            return ChatEngine(name, chat, on_notice=options.on_notice, callbacks=options.callbacks)
        case "recorded":
            if not Path(name).expanduser().is_file():
                raise SettingsError(f"no recording at {name}", hint="Choose a file that --record wrote: recorded:FILE")
            return RecordedEngine(name)
        case "scripted":
            return ScriptedEngine.from_file(name)
        case "transformers":
            return TransformersEngine(name, options.transformers)
    path = name if provider == "gguf" else pulled_model(name).path
    seconds = chat.timeout if "timeout" in chat.model_fields_set else USUAL_SECONDS
    most = chat.max_tokens or USUAL_TOKENS
    return GgufEngine(
        path, context_tokens=chat.context_tokens, max_tokens=most, seconds=seconds, on_writing=options.on_writing
    )


def _known_providers(provider: str) -> str:
    names = sorted({*OWN, *plug_ins(GROUP), *CHAT_PROVIDERS})
    near = "".join(f"Did you mean {name!r}? " for name in get_close_matches(provider, names, n=1))
    listed = ", ".join(names)
    return f"{near}Write a model as provider:name. The providers are {listed}, and any others that LangChain supports."
