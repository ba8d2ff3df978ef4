"""Defines BlenderBot3Agent: BlenderBot 3 with its own models, prompts and memories, and without a folder (seed:
bb3_agents). It can be created by name: create_agent({"model": "bb3", "completions": "http://127.0.0.1:6010"}).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TypeVar

from investigator.bb3.chat_options import ChatOptions
from investigator.bb3.decoding.applied import changed
from investigator.bb3.decoding.options import is_module_option, module_options
from investigator.bb3.exchange import DocumentSearch
from investigator.bb3.forms.text_forms import PrefixForm, TokenForm, Writer
from investigator.bb3.forms.writers import CompletionsWriter, LocalWriter
from investigator.bb3.memory.session import MemoryOptions, SessionMemories
from investigator.bb3.memory.text import MemoryForm, is_opening
from investigator.bb3.modular_chat import ModularChat
from investigator.bb3.module_table import LARGE, SMALL, Weights
from investigator.bb3.records import Module, Speaker
from investigator.bb3.search.client import SearchServer
from investigator.bb3.turn_draft import LiveConversation
from investigator.dialogue.agents import Agent, Shared, shared_part
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.options import Opt, Options
from investigator.errors import DialogueError
from investigator.records.decoding import Decoding

T = TypeVar("T", ChatOptions, MemoryOptions)


class BlenderBot3Agent(Agent):
    """Talks as BB3 does: nothing that it says is checked, and its memories end with the conversation; `bb3_chat` is the
    agent for a folder. Copies share the model, and each has its own conversation. A message with the text "Opening" and
    `memories` starts it, and a reply to `episode_done` ends it. Options: `completions` (the address of a server for
    BB3's 30B or 175B) or `local_model` (`transformers:FOLDER`); `form` (`prefixes` for 30B and 175B, `tokens` for 3B);
    `search_server` (an address; without it, nothing is found); and, under BB3's names, ChatOptions, MemoryOptions and
    the options of modules. Raises SettingsError and DialogueError for invalid options.
    """

    def __init__(
        self,
        opt: Options = None,
        shared: Shared | None = None,
        *,
        writer: Writer | None = None,
        search: DocumentSearch | None = None,
    ) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", "BlenderBot3")
        self._chat = shared_part(shared, "chat", ModularChat) or modular_chat_of(self.opt, writer, search)
        self.memories = session_memories_of(self.opt)
        self._conversation = LiveConversation(self.memories)

    def act(self) -> Message:
        """Reply to the observation. Raises CredentialError, and SettingsError if a model cannot be loaded."""
        heard, conversation = self.observation or Message(text=""), self._conversation
        memories = heard.get("memories")
        if isinstance(memories, Mapping | list) and is_opening(heard.text, memories):
            self.memories.set(memories if isinstance(memories, Mapping) else dict.fromkeys(memories, 0))
            draft = self._chat.open(conversation)
        else:
            conversation.hear(heard.text)
            (draft,) = self._chat.reply([conversation])
        message = draft.message(self.id)
        self.memories.end_turn(draft.memories_used)
        if heard.get(EPISODE_DONE):
            conversation.end()
        self.observation = None
        return message

    def reset(self) -> None:
        super().reset()
        self._conversation.end()

    def share(self) -> dict[str, object]:
        return {**super().share(), "chat": self._chat}


def modular_chat_of(opt: Opt, writer: Writer | None = None, search: DocumentSearch | None = None) -> ModularChat:
    """Return the chat that an agent's options describe. Raises SettingsError and DialogueError."""
    chat, form = _named(ChatOptions(), opt), _form(opt)
    flat = {n: value for n, value in opt.items() if is_module_option(n) and isinstance(value, str | int | float)}
    options = module_options(flat, Weights.SMALL if form is MemoryForm.TOKENS else Weights.LARGE)
    if search is None and (server := opt.text("search_server")):
        search = SearchServer(server)
    writing = writer or _writer(opt, lambda module: options[module].decoding)
    if form is MemoryForm.TOKENS:
        decides = chat.memory_decision_use_memories
        tokens = TokenForm(writing, decide_with_memories=decides, in_one_text=writer is None)
        return ModularChat(tokens, SMALL, chat, search)
    prefixes = PrefixForm(
        writing, lambda module: options[module].prompt, decoding=lambda module: options[module].decoding
    )
    return ModularChat(prefixes, LARGE, chat, search)


def _writer(opt: Opt, decoding_of: Callable[[Module], Decoding]) -> Writer:
    if address := opt.text("completions"):
        return CompletionsWriter(address, decoding_of, api_key=opt.text("api_key"))
    if model := opt.text("local_model"):
        return LocalWriter(model, decoding_of)
    hint = "Name a server as completions=URL, or a folder as local_model=transformers:FOLDER."
    raise DialogueError("the agent bb3 needs a model", hint=hint)


def session_memories_of(opt: Opt) -> SessionMemories:
    """Return the memories of a new conversation. Raises SettingsError and DialogueError for invalid options."""
    prefixes = {Speaker.SELF: opt.text("self_memory_prefix"), Speaker.PARTNER: opt.text("partner_memory_prefix")}
    return SessionMemories(
        _form(opt),
        _named(MemoryOptions(), opt),
        chance=random.random,
        prefixes=prefixes if all(prefixes.values()) else None,
    )


def _named(options: T, opt: Opt) -> T:
    return changed(options, {name: opt[name] for name in type(options).model_fields if name in opt})


def _form(opt: Opt) -> MemoryForm:
    forms = {"prefixes": MemoryForm.PREFIXES, "tokens": MemoryForm.TOKENS}
    return forms[opt.choice("form", forms, "prefixes")]
