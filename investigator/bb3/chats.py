"""Sets up a chat about a folder: engines for its modules, memories for its users, and a search in the folder."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random

from investigator.asking.client import EngineClient
from investigator.bb3.chat_options import ChatOptions
from investigator.bb3.decoding.applied import engines_with_decodings
from investigator.bb3.exchange import DocumentSearch
from investigator.bb3.extractive import chat_answers
from investigator.bb3.folder_chat import FolderChat
from investigator.bb3.forms.chat_form import ChatForm
from investigator.bb3.memory.long_term import LongTermMemory
from investigator.bb3.records import CONTRACTS, Module, Turn
from investigator.bb3.search.folder_search import FolderSearch, one_at_a_time
from investigator.bb3.talk import SafetyClassifier, SafetyGuard, Talk
from investigator.engines.base import Engine, Hear
from investigator.engines.catalogue import EXTRACTIVE
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.roles import Role
from investigator.investigator import Investigator
from investigator.records.decoding import Decoding
from investigator.services.parts import Parts
from investigator.settings import Settings
from investigator.store.in_memory import InMemoryJournal
from investigator.store.workspace import Workspace

_MOST_READING = 2  # maximum number of processes that read quoted files again; they stay alive during the chat


@contextmanager
def open_chat(
    investigator: Investigator,
    options: ChatOptions | None = None,
    *,
    models: Mapping[Module, str | Engine] | None = None,
    decodings: Mapping[Module, Decoding] | None = None,
    on_notice: Callable[[str], None] = lambda _: None,
    search: DocumentSearch | None = None,
) -> Iterator[FolderChat]:
    """Open a chat about the documents in a folder; it is closed when the context manager exits. `models` names engines
    for individual modules; all other modules use the engine for the `chat` role. The fields set in `decodings` control
    decoding; `on_notice` receives notices about unsupported options. `search` replaces the search in the folder.
    Replies to identical prompts are reused, and the limits in the settings apply to the total of all conversations in
    the chat. Raises FolderError, SettingsError, CredentialError, WorkspaceLockedError and StoreError.
    """
    open_shelf = one_at_a_time(investigator.library)
    with open_shelf(frozenset()):  # reports problems with the folder now, not at the first question
        pass
    parts = investigator.parts.with_templates(CONTRACTS, chat_answers)
    journal = InMemoryJournal(parts.prices.price_of, time.monotonic)
    usual = investigator.engines[Role.CHAT]
    if isinstance(usual, ExtractiveEngine):
        usual = usual.answering(chat_answers)
    names = {model for model in (models or {}).values() if isinstance(model, str)}
    opened = {name: parts.engine(name) for name in names}
    named = {module: opened[model] if isinstance(model, str) else model for module, model in (models or {}).items()}
    decodings = decodings or {}
    decoded = engines_with_decodings({module: named.get(module, usual) for module in decodings}, decodings, on_notice)
    models_of_all = (investigator.engines[Role.CHECK], usual)
    checking = next((engine for engine in models_of_all if not isinstance(engine, ExtractiveEngine)), None)

    def client(engine: Engine) -> EngineClient:
        """Return a client without the default call limit, which is meant for single questions."""
        engines = {**dict.fromkeys(Role, engine), Role.CHECK: checking or engine}
        parts.check_prices(engines.values())
        return parts.client(engines, journal, budget=parts.settings.budget.beyond_one_question())

    usual_client = client(usual)
    clients = {module: client(engine) for module, engine in {**named, **decoded}.items()}
    side_by_side = min(client.concurrency(Role.CHAT) for client in (usual_client, *clients.values()))
    stand_in = chat_answers(parts.caching_embedder)

    def form_of(folder: FolderSearch, on_step: Callable[[Module], None], say: Hear | None) -> ChatForm:
        return ChatForm(lambda module: clients.get(module, usual_client), folder, side_by_side, on_step, say, stand_in)

    reading = parts.fresh_reading(investigator.folder, _MOST_READING)
    with reading as fresh, open_memory(investigator) as kept:
        yield FolderChat(
            memory=kept,
            search_of=lambda: FolderSearch(open_shelf, search, fresh.documents),
            form_of=form_of,
            options=options or ChatOptions(),
        )


@contextmanager
def open_memory(investigator: Investigator) -> Iterator[LongTermMemory]:
    """Open the memories of a workspace's users. Raises StoreError and ForeignFileError."""
    store = investigator.parts.settings.store
    with Workspace(investigator.workspace, write=False, folder=investigator.folder, store=store) as workspace:
        yield LongTermMemory(workspace.runs, investigator.parts.caching_embedder)


def talk_with(
    chat: FolderChat,
    user: str,
    *,
    consent: bool = False,
    classifier: SafetyClassifier | None = None,
    chat_id: str | None = None,
    before: Iterable[Turn] = (),
) -> Talk:
    """Start a recorded conversation, or continue that of `chat_id`; `consent` is the user's. Raises DialogueError."""
    guard = SafetyGuard(Random(), classifier=classifier)
    session = chat.start(user, chat_id, before)
    return Talk(chat, session, guard, lambda: str(uuid.uuid4()), consent=consent)


def module_form(
    model: str | None,
    settings: Settings,
    prompts: Path | None = None,
    *,
    decodings: Mapping[Module, Decoding] | None = None,
    on_notice: Callable[[str], None] = lambda _: None,
) -> ChatForm:
    """Return a form for calling one module without a folder, of the built-in engine if no model is given; `decodings`
    and `on_notice` are those of `open_chat`. Raises SettingsError and CredentialError.
    """
    parts = Parts(settings, prompts=prompts, on_notice=on_notice).with_templates(CONTRACTS, chat_answers)
    engine = parts.engine(model or EXTRACTIVE)
    decoded = engines_with_decodings(dict.fromkeys(decodings or {}, engine), decodings or {}, on_notice)
    client = parts.client(dict.fromkeys(Role, next(iter(decoded.values()), engine)), parts.memory_journal())
    return ChatForm(lambda _: client, stand_in=chat_answers(parts.caching_embedder))
