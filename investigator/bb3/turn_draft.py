"""Defines an unfinished turn of a conversation, in which every step records its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from investigator.bb3.exchange import Memories, ModuleReply, SearchDocument
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module, Speaker, Turn
from investigator.dialogue.messages import Message
from investigator.records import Quote

RESPONSE_OF = {"entity": Module.CRM, "memory": Module.MRM, "knowledge": Module.SRM}
"""The module that replies with each kind of knowledge, in the order of the prompt."""


@dataclass
class LiveConversation:
    """The conversation so far, oldest turn first, and the memories of both speakers."""

    memories: Memories
    turns: list[Turn] = field(default_factory=list)

    def hear(self, text: str) -> None:
        """Add a turn by the partner."""
        self.turns.append(Turn(speaker=Speaker.PARTNER, text=text))

    def say(self, text: str) -> None:
        """Add a turn by the replying speaker."""
        self.turns.append(Turn(speaker=Speaker.SELF, text=text))

    def end(self) -> None:
        """End the episode, so that later prompts do not contain its turns and temporary memories."""
        self.turns.clear()
        self.memories.clear()


@dataclass
class TurnDraft:
    """An unfinished turn; results of modules that were not called are empty. `decisions` are in the words of their
    modules, and `problems` say what failed; both have the names of the message's fields.
    """

    conversation: LiveConversation
    uses_search: bool = False
    uses_memory: bool = False
    uses_entity: bool = False
    available: Sequence[str] = ()
    query: str = ""
    documents: Sequence[SearchDocument] = ()
    entity: str = ""
    memory: str = ""
    memories_used: Sequence[str] = ()
    knowledge: str = ""
    quotes: tuple[Quote, ...] = ()
    partner_memory: str = ""
    self_memory: str = ""
    decisions: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str | bool] = field(default_factory=dict)
    replies: dict[Module, ModuleReply] = field(default_factory=dict)
    combined: ModuleReply | None = None
    chosen: ModuleReply | None = None
    chosen_module: Module | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Return the conversation so far."""
        return tuple(self.conversation.turns)

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of knowledge that were found, in the order of the prompt."""
        return [kind for kind in RESPONSE_OF if getattr(self, kind)]

    def choose(self, reply: ModuleReply, module: Module) -> None:
        """Use the only reply that there is."""
        self.replies[module] = self.chosen = reply
        self.chosen_module = module

    def choose_best(self) -> None:
        """Use the best reply; among equally good replies, the combined one, or else the earlier one."""
        candidates = [(self.combined, None), *((reply, module) for module, reply in self.replies.items())]
        spoken = [(reply, module) for reply, module in candidates if reply is not None and not reply.failed]
        if spoken:
            self.chosen, self.chosen_module = max(spoken, key=lambda candidate: candidate[0].score)
        else:
            self.chosen = self.combined or next(iter(self.replies.values()), None)

    def message(self, agent_id: str) -> Message:
        """Return the reply with everything that it is based on, using BB3's field names; empty texts are omitted."""
        reply = self.chosen or ModuleReply(text="")
        is_alone = self.combined is None and self.chosen_module in (Module.VRM, Module.ORM)
        message = Message(text=reply.text, id=agent_id, episode_done=False)
        if not is_alone:
            message["score"] = reply.score
            message["best_module"] = "Combined Response" if reply is self.combined else str(self.chosen_module)
        message["memories"] = {} if is_alone else dict(self.conversation.memories.texts())
        message["search_knowledge_doc_titles"] = [document.title for document in self.documents]
        message["search_knowledge_doc_content"] = [document.text for document in self.documents]
        message["search_knowledge_doc_urls"] = [document.url for document in self.documents]
        message["memory_knowledge_doc_content"] = list(self.available) if self.uses_memory else []
        servers = [document.server for document in self.documents]
        optional = {
            **({} if is_alone else self.decisions),
            **self.problems,
            "search_query": self.query,
            "memory_generator_self": self.self_memory,
            "memory_generator_partner": self.partner_memory,
            "contextual_knowledge": self.entity,
            "memory_knowledge": self.memory,
            "search_knowledge": self.knowledge,
            **{TABLE[module].name: reply.text for module, reply in self.replies.items()},
            "search_knowledge_doc_servers": servers if any(servers) else None,
            "unsaid": reply.unsaid,
            "checked": reply.checked,
            "quotes": [quote.model_dump(mode="json") for quote in reply.quotes or self.quotes],
        }
        message.update({name: value for name, value in optional.items() if value})
        return message
