"""Creates engines from model names: our own engines and, through a plug-in interface, engines from other packages.

Another package adds an engine by declaring an entry point in the group `investigator.engines` in its pyproject.toml:

    [project.entry-points."investigator.engines"]
    toy = "toy_engine:open_toy"

From then on `--model toy:NAME` uses the engine that `open_toy("NAME", options)` returns.

An engine is imported when it is opened, because a question that needs no model must not wait for the import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from investigator.engines.base import Engine
from investigator.engines.chat.models import ChatSettings
from investigator.engines.gguf.engine import USUAL_SECONDS, GgufEngine, GgufSettings
from investigator.engines.transformers.engine import TransformersEngine, TransformersSettings
from investigator.errors import SettingsError
from investigator.records import Writing

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler

GROUP = "investigator.engines"
"""The entry point group for engines from other packages."""


@dataclass(frozen=True)
class EngineOptions:
    """The objects and settings that a run provides to its engines.

    `on_notice` receives messages for the user, for example about a rejected parameter; `on_writing` receives the
    progress of a local model that is writing a reply. `callbacks` are LangChain callbacks, for engines that call a
    LangChain model. `extractive` creates the built-in engine. The other fields are the settings of our own engines; an
    engine from another package manages its own.
    """

    extractive: Callable[[], Engine]
    on_notice: Callable[[str], None] | None = None
    on_writing: Callable[[Writing], None] | None = None
    callbacks: Sequence[BaseCallbackHandler] = ()
    chat: ChatSettings | None = None
    gguf: GgufSettings | None = None
    transformers: TransformersSettings | None = None


class EngineFactory(Protocol):
    """Creates the engine for a model; entry points in the group `investigator.engines` refer to such functions.

    `name` is the user's model name without the provider: `x` for `--model toy:x`, empty for `--model toy`. The engine
    has a `name`, by convention `provider:name`, and `reply(prompt)`; see `investigator.engines.base` for optional
    parts. It should open quickly and load a model only on the first prompt. Raise SettingsError, CredentialError or
    MissingPackageError, with a hint, if the engine cannot be used.
    """

    def __call__(self, name: str, options: EngineOptions, /) -> Engine:
        """Return the engine for the model `name`."""
        ...


def open_chat(name: str, options: EngineOptions) -> Engine:
    """Return the LangChain chat model `provider:name`."""
    from investigator.engines.chat.engine import ChatEngine

    return ChatEngine(name, options.chat, on_notice=options.on_notice, callbacks=options.callbacks)


def open_extractive(name: str, options: EngineOptions) -> Engine:
    """Return the built-in engine, which has no models to choose from."""
    if name:
        raise SettingsError(f"the built-in engine has no model {name!r}", hint="Write it as extractive")
    return options.extractive()


def open_gguf(name: str, options: EngineOptions) -> Engine:
    """Return the engine for a GGUF file."""
    return _gguf(_path(name, "gguf"), options)


def open_local(name: str, options: EngineOptions) -> Engine:
    """Return the engine for the pulled model with this name, or for the latest one if the name is empty."""
    from investigator.engines.gguf.pulled import pulled_model

    return _gguf(pulled_model(name).path, options)


def _gguf(path: str | Path, options: EngineOptions) -> Engine:
    """Return the engine for a GGUF file; `chat.timeout` limits its replies if it was set."""
    chat = options.chat
    seconds = chat.timeout if chat is not None and "timeout" in chat.model_fields_set else USUAL_SECONDS
    return GgufEngine(path, options.gguf, seconds=seconds, on_writing=options.on_writing)


def open_recorded(name: str, options: EngineOptions) -> Engine:
    """Return the engine that replays a recording."""
    from investigator.engines.recorded import RecordedEngine

    path = _path(name, "recorded")
    if not Path(path).expanduser().is_file():
        raise SettingsError(f"no recording at {path}", hint="Choose a file that --record wrote: recorded:FILE")
    return RecordedEngine(path)


def open_scripted(name: str, options: EngineOptions) -> Engine:
    """Return the engine that replies from a script."""
    from investigator.engines.scripted import ScriptedEngine

    return ScriptedEngine.from_file(_path(name, "scripted"))


def open_transformers(name: str, options: EngineOptions) -> Engine:
    """Return the engine for a transformers model folder."""
    return TransformersEngine(_path(name, "transformers"), options.transformers)


OWN: Mapping[str, EngineFactory] = {
    "chat": open_chat,
    "extractive": open_extractive,
    "gguf": open_gguf,
    "local": open_local,
    "recorded": open_recorded,
    "scripted": open_scripted,
    "transformers": open_transformers,
}
"""Our own engines, also listed in pyproject.toml; a checkout that is not installed has no entry points."""


def _path(name: str, provider: str) -> str:
    if not name:
        raise SettingsError(f"'{provider}:' does not name a file", hint=f"Write it as {provider}:FILE")
    return name
