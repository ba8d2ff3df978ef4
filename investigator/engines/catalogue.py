"""From the name of a model to its engine, and from the options of a command to the model of each role."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from investigator.engines.base import Engine
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.known_servers import KnownServers
from investigator.engines.chat.models import ChatSettings
from investigator.engines.gguf.engine import GgufEngine, GgufSettings
from investigator.engines.recorded import RecordedEngine
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.engines.transformers.engine import TransformersEngine, TransformersSettings
from investigator.errors import SettingsError
from investigator.records import Record

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler

EXTRACTIVE = "extractive"
"""The name of the embedded default."""

_ROLE_OPTION = re.compile(r"(?P<role>[\w-]*)=(?P<model>.*)", re.DOTALL)


class Models(Record):
    """The name of the model for each role; a role that is not set apart has the default."""

    default: str = Field(default=EXTRACTIVE, min_length=1)
    apart: tuple[tuple[Role, str], ...] = ()

    def name_for(self, role: Role) -> str:
        """The name of the model that does this."""
        return dict(self.apart).get(role, self.default)


def parse_model_options(values: Sequence[str]) -> Models:
    """Models from options, each `provider:name` for every role or `role=provider:name` for one.

    No options give the embedded default. Raises SettingsError for an unknown role, a missing name, or two
    different models for the same thing.
    """
    default: str | None = None
    apart: dict[Role, str] = {}
    for value in values:
        role, model = _split_option(value.strip())
        earlier = default if role is None else apart.get(role)
        if earlier not in (None, model):
            what = "every role" if role is None else f"the role {role}"
            raise SettingsError(f"two models for {what}: {earlier} and {model}", hint="Give one of them.")
        if role is None:
            default = model
        else:
            apart[role] = model
    return Models(default=default or EXTRACTIVE, apart=tuple(apart.items()))


def open_engine(
    name: str,
    extractive: Callable[[], Engine],
    *,
    chat: ChatSettings | None = None,
    gguf: GgufSettings | None = None,
    transformers: TransformersSettings | None = None,
    on_notice: Callable[[str], None] | None = None,
    known: KnownServers | None = None,
    callbacks: Sequence[BaseCallbackHandler] = (),
) -> Engine:
    """The engine of that name: `extractive`, `gguf:PATH`, `transformers:PATH`, `recorded:FILE`, `scripted:FILE`.

    Any other name is that of a chat model. `extractive` makes the embedded engine when it is wanted. A chat model keeps
    what its server refuses in `known`, and its calls are heard by `callbacks`. Raises SettingsError, CredentialError,
    MissingPackageError or ReplayError where the engine cannot be used.
    """
    name = name.strip()
    kind, _, rest = name.partition(":")
    if name == EXTRACTIVE:
        return extractive()
    if kind in ("gguf", "recorded", "scripted", "transformers"):
        if not rest:
            raise SettingsError(f"{name!r} names no file", hint=f"Write it as {kind}:FILE")
        return _open_file(kind, rest, gguf, transformers)
    return ChatEngine(name, chat, on_notice=on_notice, known=known, callbacks=callbacks)


def _open_file(kind: str, path: str, gguf: GgufSettings | None, transformers: TransformersSettings | None) -> Engine:
    if kind == "transformers":
        return TransformersEngine(path, transformers)
    if kind == "gguf":
        return GgufEngine(path, gguf)
    return RecordedEngine(path) if kind == "recorded" else ScriptedEngine.from_file(path)


def _split_option(value: str) -> tuple[Role | None, str]:
    """Only a bare word before the first `=` is a role: a path or a tag behind a colon may hold one, too."""
    option = _ROLE_OPTION.fullmatch(value)
    role = _role(option["role"], value) if option else None
    model = option["model"].strip() if option else value
    if not model:
        raise SettingsError(f"{value!r} names no model", hint="Write it as provider:name or role=provider:name")
    return role, model


def _role(word: str, value: str) -> Role:
    try:
        return Role(word.lower())
    except ValueError:
        roles = ", ".join(Role)
        raise SettingsError(f"{value!r}: {word!r} is not a role", hint=f"The roles are: {roles}.") from None
