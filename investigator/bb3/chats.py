"""A chat over a folder, put together: engines for the modules, memories of users, the folder as search."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.bb3.chat_options import ChatOptions
from investigator.bb3.contracts import CONTRACTS
from investigator.bb3.decoding.support import engines_as_told
from investigator.bb3.exchange import DocumentSearch
from investigator.bb3.extractive.modules import chat_answers
from investigator.bb3.folder_chat import FolderChat
from investigator.bb3.memory.choice import MemoryOptions
from investigator.bb3.memory.long_term import LongTermMemory
from investigator.bb3.records import Module
from investigator.bb3.safety import SafetyClassifier, SafetyGuard
from investigator.bb3.search.folder_search import one_at_a_time
from investigator.bb3.talk import Talk
from investigator.engines.base import Engine, traits_of
from investigator.engines.catalogue import EXTRACTIVE, open_engine
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.roles import Role
from investigator.investigator import Investigator
from investigator.records.decoding import Decoding
from investigator.scoring.prices import Price
from investigator.settings import Settings
from investigator.store.database import Database
from investigator.store.in_memory import InMemoryJournal
from investigator.store.workspace import DATABASE_NAME

_FINDING = (Module.SDM, Module.MDM, Module.SGM, Module.MGM, Module.CKM, Module.MKM, Module.SKM)
"""The modules that decide, search, remember and find; the others reply."""


@contextmanager
def open_chat(
    investigator: Investigator,
    options: ChatOptions | None = None,
    *,
    memory: MemoryOptions | None = None,
    models: Mapping[Module, str | Engine] | None = None,
    decodings: Mapping[Module, Decoding] | None = None,
    on_notice: Callable[[str], None] = lambda _: None,
    search: DocumentSearch | None = None,
) -> Iterator[FolderChat]:
    """Talk to the documents of a folder, as long as the context lasts.

    `models` name engines of single modules; the others have that of the role `chat`. `decodings` tell how modules
    write, as far as fields are set in them; `on_notice` hears what their engines cannot be told. `search` finds
    documents elsewhere than in the folder. Replies to the same prompts are used again within it, and the ceilings of
    the settings hold over all its conversations. Raises FolderError, SettingsError, CredentialError,
    WorkspaceLockedError, StoreError.
    """
    open_shelf = one_at_a_time(investigator.library)
    with open_shelf():  # what is wrong with the folder is said now, and not at the first question
        pass
    journal = _ChatJournal(investigator.price_of, time.monotonic)
    prompts = Prompts(investigator.prompts_folder, CONTRACTS)
    second = _engine(investigator, EXTRACTIVE)
    usual = investigator.client_for(_engine(investigator, None), prompts, journal, second)
    engines, notices = _engines(investigator, _named(investigator, models or {}, on_notice), decodings or {})
    clients = {module: investigator.client_for(engine, prompts, journal, second) for module, engine in engines.items()}
    for notice in notices:
        on_notice(notice)
    with open_memory(investigator) as kept:
        yield FolderChat(
            open_shelf,
            lambda module: clients.get(module, usual),
            kept,
            lambda: str(uuid.uuid4()),
            chance=random.random,
            options=options,
            memory_options=memory,
            side_by_side=min(client.traits(Role.CHAT).concurrency for client in (usual, *clients.values())),
            search=search,
        )


def _named(
    investigator: Investigator, models: Mapping[Module, str | Engine], on_notice: Callable[[str], None]
) -> Mapping[Module, str | Engine]:
    """The engines of single modules; a small model only replies, unless it is named for more."""
    usual = _engine(investigator, None)
    left = [module for module in _FINDING if module not in models]
    if not traits_of(usual).is_small or not left:
        return models
    on_notice(
        f"{usual.name} is small: deciding, searching and remembering are left to the embedded engine. "
        f"To have the model do one of them too, name it, as --{left[0]}-model gguf:PATH"
    )
    return {**dict.fromkeys(left, EXTRACTIVE), **models}


def _engine(investigator: Investigator, name: str | None) -> Engine:
    """An engine of the investigator by its name, by default that of the role `chat`, which knows the chat's modules."""
    engine = investigator.engine_for(name)
    return engine.answering(chat_answers) if isinstance(engine, ExtractiveEngine) else engine


def _engines(
    investigator: Investigator, models: Mapping[Module, str | Engine], decodings: Mapping[Module, Decoding]
) -> tuple[Mapping[Module, Engine], tuple[str, ...]]:
    """The engines of the modules that are told anything, one for each name, and what they cannot be told."""
    names = {name for name in models.values() if isinstance(name, str)}
    opened = {name: _engine(investigator, name) for name in names}
    usual = _engine(investigator, None)
    engines = {module: opened[model] if isinstance(model, str) else model for module, model in models.items()}
    told, notices = engines_as_told({module: engines.get(module, usual) for module in decodings}, decodings)
    return {**engines, **told}, notices


@contextmanager
def open_memory(investigator: Investigator) -> Iterator[LongTermMemory]:
    """What is remembered of the users of a folder's workspace, as long as the context lasts. Raises StoreError."""
    investigator.workspace.mkdir(parents=True, exist_ok=True)
    database = Database(investigator.workspace / DATABASE_NAME)
    try:
        yield LongTermMemory(database)
    finally:
        database.close()


class _ChatJournal(InMemoryJournal):
    """Keeps the calls of all conversations of a chat; its time began when it was made."""

    def __init__(self, price_of: Callable[[str], Price | None], clock: Callable[[], float]) -> None:
        super().__init__(price_of)
        self._clock = clock
        self._began = clock()

    def elapsed(self) -> float:
        """Seconds since the chat was opened."""
        return self._clock() - self._began


def talk_with(
    chat: FolderChat, user: str, *, consent: bool = False, classifier: SafetyClassifier | None = None
) -> Talk:
    """A new conversation with a user, guarded and recorded; `consent` is the user's own, to have it shared.

    Raises DialogueError for a user's name that cannot be.
    """
    guard = SafetyGuard(Random(), classifier=classifier)
    return Talk(chat, chat.start(user), guard, lambda: str(uuid.uuid4()), consent=consent)


def module_client(
    model: str | None,
    settings: Settings,
    prompts: Path | None = None,
    *,
    decodings: Mapping[Module, Decoding] | None = None,
    on_notice: Callable[[str], None] = lambda _: None,
) -> EngineClient:
    """A client for asking one module without a folder; without a model the extractive engine plays it.

    `decodings` tell how the module writes; `on_notice` hears what its engine cannot be told. Raises SettingsError,
    CredentialError, MissingPackageError.
    """
    extractive = ExtractiveEngine(CachedEmbedder(SentenceTransformerEmbedder()), chat_answers)
    engine = open_engine(
        model or EXTRACTIVE,
        lambda: extractive,
        chat=settings.chat,
        gguf=settings.gguf,
        transformers=settings.transformers,
        on_notice=on_notice,
    )
    told, notices = engines_as_told(dict.fromkeys(decodings or {}, engine), decodings or {})
    for notice in notices:
        on_notice(notice)
    roles = dict.fromkeys(Role, next(iter(told.values()), engine))
    return EngineClient(
        roles, Prompts(prompts, CONTRACTS), InMemoryJournal(), time.monotonic, settings.budget, second=extractive
    )
