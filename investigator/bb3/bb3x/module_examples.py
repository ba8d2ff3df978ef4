"""A conversation as examples for each module: what it was given, and what it said.

The card's "target" of a module is the field of the record that holds what it said. Canned replies are nobody's target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from investigator.bb3.bb3x.persons import facts_of, kept_memory, turn_of
from investigator.bb3.bb3x.records import ChatMessage, Conversation, MemoryDecision, SearchDecision
from investigator.bb3.records import Module, PersonalFact, Speaker, Turn
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.records.base import Record

NO_MEMORY = "no persona"
"""What the memory module says where a turn holds nothing to remember."""


class FoundDocument(Record):
    """A document that a search gave."""

    title: str = ""
    url: str = ""
    text: str = ""


class ModuleExample(Record):
    """What one module was given in a conversation, and what it should say.

    `turns` are those that the module sees, the oldest first: sdm, mdm and mgm see the last one only. `targets` are what
    it said, of several any; `reply` is the place in the conversation of the bot's message that it was said for.
    """

    module: Module
    chat_id: str
    reply: int
    turns: tuple[Turn, ...]
    facts: tuple[PersonalFact, ...] = ()
    documents: tuple[FoundDocument, ...] = ()
    memory: str = ""
    knowledge: str = ""
    targets: tuple[str, ...]

    def message(self) -> Message:
        """It as a teacher's message: the text is the turns, one a line; what else was given has fields of its own."""
        given: dict[str, object] = {
            "memories": [f"{fact.speaker}: {fact.text}" for fact in self.facts],
            "documents": [document.model_dump() for document in self.documents],
            "memory": self.memory,
            "knowledge": self.knowledge,
        }
        return Message(
            {
                "id": str(self.module),
                "chat_id": self.chat_id,
                "text": "\n".join(turn.text for turn in self.turns),
                "labels": list(self.targets),
                **{name: value for name, value in given.items() if value},
                EPISODE_DONE: True,
            }
        )


def module_examples(
    conversation: Conversation, modules: Sequence[Module] = tuple(Module), known_before: Sequence[str] | None = None
) -> tuple[ModuleExample, ...]:
    """The examples of some modules (sdm, mdm, sgm, mgm, skm, mkm, srm, mrm, vrm have any), in the order of the replies.

    A record says what was remembered after a reply, not before it, so the memories that a reply was made with are those
    of the reply before. `known_before` are the memories that the conversation began with (see
    `persons.memories_of_user`). Where it is None they are not known: the first reply is taken to be made with its own,
    and gives no examples for mgm, since a returning user's memories would pass for new ones.
    """
    history = conversation.message_history
    known = None if known_before is None else tuple(known_before)
    examples: list[ModuleExample] = []
    for place, reply in enumerate(history):
        if reply.by_human:
            continue
        if place > 0 and not reply.is_canned:
            said = _Reply(conversation.id, place, history[:place], reply, known)
            examples += [example for example in said.examples() if example.module in modules]
        known = reply.memories if reply.memories is not None else known
    return tuple(examples)


class _Reply:
    """One message of the bot, what was said before it, and the memories that it was made with."""

    def __init__(
        self,
        chat_id: str,
        place: int,
        before: tuple[ChatMessage, ...],
        reply: ChatMessage,
        known: tuple[str, ...] | None,
    ) -> None:
        self._chat_id = chat_id
        self._place = place
        self._turns = tuple(turn_of(message) for message in before)
        self._reply = reply
        self._known = known
        self._facts = facts_of((reply.memories or ()) if known is None else known)

    def examples(self) -> Iterator[ModuleExample]:
        """What the modules said, in the order in which they are asked."""
        yield from self._decisions()
        yield from self._memories()
        yield from self._knowledge()
        yield from self._response()

    def _decisions(self) -> Iterator[ModuleExample]:
        if self._reply.search_decision not in (None, SearchDecision.NONE):
            yield self._example(Module.SDM, str(self._reply.search_decision), turns=self._turns[-1:])
        if self._reply.memory_decision not in (None, MemoryDecision.NONE):
            yield self._example(Module.MDM, str(self._reply.memory_decision), turns=self._turns[-1:], facts=self._facts)

    def _memories(self) -> Iterator[ModuleExample]:
        """What was newly remembered of the human's turn, and of the reply itself."""
        if self._reply.memories is None or self._known is None:
            return
        new = [kept_memory(line) for line in self._reply.memories if line not in self._known]
        heard = [turn for turn in self._turns[-1:] if turn.speaker is Speaker.PARTNER]
        for turn in (*heard, turn_of(self._reply)):
            of_it = [memory.text for memory in new if memory.speaker is turn.speaker]
            yield self._example(Module.MGM, *(of_it or [NO_MEMORY]), turns=(turn,))

    def _knowledge(self) -> Iterator[ModuleExample]:
        if self._reply.search_query:
            yield self._example(Module.SGM, self._reply.search_query)
        if self._reply.search_knowledge:
            yield self._example(Module.SKM, self._reply.search_knowledge, documents=_documents(self._reply))
        if self._reply.memory_knowledge:
            yield self._example(Module.MKM, self._reply.memory_knowledge, facts=self._facts)

    def _response(self) -> Iterator[ModuleExample]:
        """The reply: where it rests on a search and a memory, srm makes it of both, as when knowledge is combined."""
        if not self._reply.text.strip():
            return
        memory, knowledge = self._reply.memory_knowledge or "", self._reply.search_knowledge or ""
        module = Module.SRM if knowledge else Module.MRM if memory else Module.VRM
        yield self._example(module, self._reply.text, memory=memory, knowledge=knowledge)

    def _example(
        self,
        module: Module,
        *targets: str,
        turns: tuple[Turn, ...] | None = None,
        facts: tuple[PersonalFact, ...] = (),
        documents: tuple[FoundDocument, ...] = (),
        memory: str = "",
        knowledge: str = "",
    ) -> ModuleExample:
        return ModuleExample(
            module=module,
            chat_id=self._chat_id,
            reply=self._place,
            turns=self._turns if turns is None else turns,
            facts=facts,
            documents=documents,
            memory=memory,
            knowledge=knowledge,
            targets=targets,
        )


def _documents(reply: ChatMessage) -> tuple[FoundDocument, ...]:
    """The documents of a reply; the three lists may differ in length."""
    titles = reply.search_knowledge_doc_titles or ()
    texts = reply.search_knowledge_doc_content or ()
    urls = reply.search_knowledge_doc_urls or ()

    def at(values: tuple[str, ...], place: int) -> str:
        return values[place] if place < len(values) else ""

    return tuple(
        FoundDocument(title=at(titles, place), url=at(urls, place), text=at(texts, place))
        for place in range(max(len(titles), len(texts), len(urls)))
    )
