"""Helpers for tests of the chat: turns that end with the partner's, readings of documents, sleep that takes no time."""

from __future__ import annotations

import time
from collections.abc import Mapping

from chat_replies import Said, model

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.bb3.forms.document_readings import read_documents
from investigator.bb3.records import CONTRACTS, Module, Speaker, Turn
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.records import Document, Quote
from investigator.store.in_memory import InMemoryJournal


def turns(*texts: str) -> tuple[Turn, ...]:
    """Return the turns of a conversation, the last of them the partner's."""
    speakers = (Speaker.PARTNER, Speaker.SELF)
    return tuple(Turn(speaker=speakers[(len(texts) - 1 - n) % 2], text=text) for n, text in enumerate(texts))


def client(engine: Engine) -> EngineClient:
    """Return a client whose every role is the engine."""
    return EngineClient(dict.fromkeys(Role, engine), Prompts(contracts=CONTRACTS), InMemoryJournal(), time.monotonic)


def read(said: Said, *documents: SearchDocument, kept: Mapping[str, Document] | None = None) -> list[Quote]:
    """Return the quotes of documents that a search found, read by a model that replies so."""
    reader = client(model({Module.SKM: said}))
    request = ModuleRequest(module=Module.SKM, by=Module.SKM, turns=turns("What does it say?"), documents=documents)
    return list(read_documents(reader, request, None if kept is None else kept.__getitem__)[0])


class Waits:
    """A sleep that only records its duration."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
