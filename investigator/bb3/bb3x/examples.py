"""Converts a conversation to examples for training and testing: each reply with the preceding messages, or the input
and output of each module.

Reply examples have the form of the released teachers: the text is the conversation so far, the label the sender's next
message, and each example is an episode. A message without a safety annotation counts as safe. In the card, a "target"
is the field of a record with a module's output; canned replies are no targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import zip_longest

from investigator.bb3.bb3x.records import ChatMessage, Conversation, kept_memory, turn_of
from investigator.bb3.exchange import SearchDocument
from investigator.bb3.records import Module, Speaker, Turn
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.records.base import Record

NO_MEMORY = "no persona"
"""The memory module's output for a turn with nothing to remember."""


class Selection(StrEnum):
    """Selects labels: all, those of conversations without unsafe human messages, or those that crowdworkers judged."""

    ALL = "plain"
    WITHOUT_ADVERSARIAL = "filter_adversarial"
    CROWDWORKERS = "crowdworkers"


def dialogue_examples(
    conversation: Conversation, label_of: Speaker = Speaker.SELF, selection: Selection = Selection.ALL
) -> tuple[Message, ...]:
    """Return one example for each message from the bot (`self`) or the human (`partner`), except the first message.
    Each example has the fields of the conversation, `text`, `labels`, `label_info` (the message as recorded),
    `adversarial_human` (True if any message from the human is unsafe) and `episode_done`.
    """
    about = conversation.wire()
    about.pop("message_history", None)
    history = conversation.message_history
    adversarial = any(message.by_human and message.is_unsafe for message in history)
    if adversarial and selection is Selection.WITHOUT_ADVERSARIAL:
        return ()
    return tuple(
        Message(
            {
                **about,
                "text": "\n".join(earlier.text for earlier in history[:place]),
                "labels": [label.text],
                "label_info": label.wire(),
                EPISODE_DONE: True,
                "adversarial_human": adversarial,
            }
        )
        for place, label in enumerate(history)
        if place > 0
        and label.by_human == (label_of is Speaker.PARTNER)
        and (selection is not Selection.CROWDWORKERS or label.mturk is not None)
    )


class ModuleExample(Record):
    """The input for one module at one point in a conversation, and the outputs that count as correct, `targets`.
    `turns` are those that the module sees, oldest first: sdm, mdm and mgm see only the last one. `memories` begin with
    the speaker that they are about; `reply` is the index of the bot's message.
    """

    module: Module
    chat_id: str
    reply: int
    turns: tuple[Turn, ...]
    memories: tuple[str, ...] = ()
    documents: tuple[SearchDocument, ...] = ()
    memory: str = ""
    knowledge: str = ""
    targets: tuple[str, ...]

    def message(self) -> Message:
        """Return the example as a teacher's message; its text is the turns, one per line."""
        inputs: dict[str, object] = {
            "memories": list(self.memories),
            "documents": [document.model_dump(include={"title", "url", "text"}) for document in self.documents],
            "memory": self.memory,
            "knowledge": self.knowledge,
        }
        fields = {name: value for name, value in inputs.items() if value}
        text, labels = "\n".join(turn.text for turn in self.turns), list(self.targets)
        return Message(id=str(self.module), chat_id=self.chat_id, text=text, labels=labels, episode_done=True, **fields)


def module_examples(conversation: Conversation, modules: Sequence[Module] = tuple(Module)) -> tuple[ModuleExample, ...]:
    """Return the examples for the given modules, reply by reply; ckm, crm, grm, orm and brm have none. A reply is
    recorded with the memories after it, so its modules saw those of the previous reply. What the first reply saw is
    unknown: its own memories are used, and it yields no examples for mgm, because old memories would look new.
    """
    history = conversation.message_history
    known: Sequence[str] | None = None
    examples: list[ModuleExample] = []
    for place, reply in enumerate(history):
        if reply.by_human:
            continue
        if place > 0 and not reply.is_canned:
            turns = tuple(map(turn_of, history[:place]))
            seen = ModuleExample(module=Module.VRM, chat_id=conversation.id, reply=place, turns=turns, targets=())
            examples += [each for each in _examples(seen, reply, known) if each.module in modules]
        known = reply.memories if reply.memories is not None else known
    return tuple(examples)


def _examples(seen: ModuleExample, reply: ChatMessage, known: Sequence[str] | None) -> Iterator[ModuleExample]:
    """Yield an example for each module whose output is recorded with a reply; `seen` contains the turns before it."""
    lines = (reply.memories or ()) if known is None else known
    memories = tuple(f"{speaker or Speaker.PARTNER}: {text}" for speaker, text in map(kept_memory, lines))
    last = seen.turns[-1:]
    memory, knowledge = reply.memory_knowledge or "", reply.search_knowledge or ""
    inputs: dict[Module, tuple[str | None, dict[str, object]]] = {
        Module.SDM: (reply.search_decision, {"turns": last}),
        Module.MDM: (reply.memory_decision, {"turns": last, "memories": memories}),
        Module.SGM: (reply.search_query, {}),
        Module.SKM: (knowledge, {"documents": _documents(reply)}),
        Module.MKM: (memory, {"memories": memories}),
    }
    for module, (target, given) in inputs.items():
        if target:
            yield seen.changed(module=module, targets=(str(target),), **given)
    if reply.memories is not None and known is not None:
        new = [kept_memory(line) for line in reply.memories if line not in known]
        for turn in (*(turn for turn in last if turn.speaker is Speaker.PARTNER), turn_of(reply)):
            texts = tuple(text for speaker, text in new if speaker is turn.speaker)
            yield seen.changed(module=Module.MGM, targets=texts or (NO_MEMORY,), turns=(turn,))
    if reply.text.strip():  # srm writes replies that combine a search and a memory
        module = Module.SRM if knowledge else Module.MRM if memory else Module.VRM
        yield seen.changed(module=module, targets=(reply.text,), memory=memory, knowledge=knowledge)


def _documents(reply: ChatMessage) -> tuple[SearchDocument, ...]:
    """Return the documents in a record, whose lists of titles, texts and addresses may differ in length."""
    lists = (reply.search_knowledge_doc_titles, reply.search_knowledge_doc_content, reply.search_knowledge_doc_urls)
    columns = zip_longest(*(values or () for values in lists), fillvalue="")
    return tuple(SearchDocument(title=title, text=text, url=url) for title, text, url in columns)
