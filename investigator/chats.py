"""A chat over a folder, put together: engines for the modules, memories of users, the folder as search."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random

from investigator.bb3.chat_options import ChatOptions
from investigator.bb3.folder_chat import FolderChat
from investigator.bb3.long_term_memory import LongTermMemory
from investigator.bb3.memory_choice import MemoryOptions
from investigator.bb3.safety import SafetyClassifier, SafetyGuard
from investigator.bb3.talk import Talk
from investigator.build import Investigator
from investigator.engines.base import Engine
from investigator.engines.catalogue import EXTRACTIVE, open_engine
from investigator.engines.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.remembering import RememberingEmbedder
from investigator.engines.roles import Role
from investigator.prompts import Prompts
from investigator.records import Module
from investigator.research.desk import Desk
from investigator.settings import Settings
from investigator.store.database import Database
from investigator.store.in_memory import InMemoryJournal
from investigator.store.workspace import DATABASE_NAME


@contextmanager
def open_chat(
    investigator: Investigator,
    options: ChatOptions | None = None,
    *,
    memory: MemoryOptions | None = None,
    models: Mapping[Module, str | Engine] | None = None,
) -> Iterator[FolderChat]:
    """Talk to the documents of a folder, as long as the context lasts.

    `models` name engines of single modules; the others have that of the role `chat`. Replies to the same prompts are
    used again within it, and the ceilings of the settings hold over all its conversations. Raises FolderError,
    SettingsError, CredentialError, WorkspaceLockedError, StoreError.
    """
    with investigator.library():  # what is wrong with the folder is said now, and not at the first question
        pass
    journal = InMemoryJournal()
    usual = investigator.desk_for(None, journal)
    desks = {module: investigator.desk_for(engine, journal) for module, engine in (models or {}).items()}
    with open_memory(investigator) as kept:
        yield FolderChat(
            investigator.library,
            lambda module: desks.get(module, usual),
            kept,
            lambda: str(uuid.uuid4()),
            chance=random.random,
            options=options,
            memory_options=memory,
            side_by_side=min(desk.traits(Role.CHAT).concurrency for desk in (usual, *desks.values())),
        )


@contextmanager
def open_memory(investigator: Investigator) -> Iterator[LongTermMemory]:
    """What is remembered of the users of a folder's workspace, as long as the context lasts. Raises StoreError."""
    investigator.workspace.mkdir(parents=True, exist_ok=True)
    database = Database(investigator.workspace / DATABASE_NAME)
    try:
        yield LongTermMemory(database)
    finally:
        database.close()


def talk_with(
    chat: FolderChat, user: str, *, consent: bool = False, classifier: SafetyClassifier | None = None
) -> Talk:
    """A new conversation with a user, guarded and recorded; `consent` is the user's own, to have it shared.

    Raises DialogueError for a user's name that cannot be.
    """
    guard = SafetyGuard(Random(), classifier=classifier)
    return Talk(chat, chat.start(user), guard, lambda: str(uuid.uuid4()), consent=consent)


def module_desk(model: str | None, settings: Settings, prompts: Path | None = None) -> Desk:
    """A desk for asking modules without a folder; without a model the extractive engine plays them.

    Raises SettingsError, CredentialError, MissingPackageError.
    """
    extractive = ExtractiveEngine(RememberingEmbedder(SentenceTransformerEmbedder()))
    engine = open_engine(
        model or EXTRACTIVE,
        lambda: extractive,
        chat=settings.chat,
        gguf=settings.gguf,
        transformers=settings.transformers,
    )
    roles = dict.fromkeys(Role, engine)
    return Desk(roles, Prompts(prompts), InMemoryJournal(), time.monotonic, settings.budget, second=extractive)
