"""Whole conversations with BB3's modules are as recorded: every prompt, every reply, every memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deviations import DEVIATIONS
from golden_rows import Row, attempt, check, each_row
from session_memories import SessionMemories

from investigator.bb3.chat_options import ChatOptions, Conditioning
from investigator.bb3.exchange import SearchDocument
from investigator.bb3.forms.prefix_form import PrefixOptions
from investigator.bb3.forms.text_forms import PrefixForm, Prompted, TokenForm, Writer, WrittenText
from investigator.bb3.memory.choice import MemoryOptions
from investigator.bb3.memory.text import MemoryForm, is_opening
from investigator.bb3.modular_chat import ModularChat
from investigator.bb3.module_table import LARGE, SMALL
from investigator.bb3.records import Module, Speaker
from investigator.bb3.turn_draft import LiveConversation, TurnDraft

TEXTS_OF_3B = (
    *("text", "search_decision", "memory_decision", "search_query", "memory_generator_self"),
    *("memory_generator_partner", "contextual_knowledge", "memory_knowledge", "search_knowledge"),
)


class Scripted:
    """A writer that returns given texts, and records its calls."""

    def __init__(self, default: dict[str, Any]) -> None:
        self.default = default
        self.replies: dict[str, Any] = {}
        self.calls: list[tuple[Module, Prompted]] = []

    def begin(self, replies: dict[str, Any]) -> None:
        self.replies = {name: list(r) if isinstance(r, list) else r for name, r in replies.items()}
        self.calls = []

    def write(self, module: Module, prompts: Sequence[Prompted]) -> list[WrittenText]:
        self.calls.extend((module, prompt) for prompt in prompts)
        return [self._next(str(module)) for _ in prompts]

    def _next(self, name: str) -> WrittenText:
        reply = self.replies.get(name, self.default.get(name, ""))
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        if isinstance(reply, dict):
            return WrittenText(text="", failed=True)
        text, score = reply if isinstance(reply, list) else (reply, [-1.0] * 3)
        return WrittenText(text=text, score=sum(score) if isinstance(score, list) else score)


class Found:
    """A search that returns given documents, and records its requests."""

    def __init__(self, documents: list[dict[str, str]] | None) -> None:
        self.documents = documents
        self.requests: list[dict[str, Any]] = []

    def search(self, query: str, count: int) -> list[SearchDocument]:
        self.requests.append({"q": query, "n": count})
        return [
            SearchDocument(title=one.get("title", ""), text=one_line(one.get("content", "")), url=one.get("url", ""))
            for one in self.documents or ()
        ]


def one_line(content: str) -> str:
    """Return the text of a found document, as read by clients of the search server."""
    return " ".join(line.strip() for line in content.split("\n") if line.strip())


def chat_of(given: Any, search: Found, writer: Writer, *, small: bool) -> ModularChat:
    told = given["overrides"]
    options = ChatOptions.model_validate({k: v for k, v in told.items() if k in ChatOptions.model_fields})
    if small:
        form: Any = TokenForm(writer, decide_with_memories=options.memory_decision_use_memories)
        return ModularChat(form, SMALL, options.changed(memory_decision_use_memories=True), search)

    def prompts(module: Module) -> PrefixOptions:
        own = {k: v for k, v in told.items() if k in PrefixOptions.model_fields}
        own["max_prompt_len"] = told.get(f"{module}_max_prompt_len")
        if "max_prompt_len" in told:
            own["max_total_len"] = told["max_prompt_len"]
        return PrefixOptions.model_validate(own)

    return ModularChat(PrefixForm(writer, prompts), LARGE, options, search)


def memories_of(given: Any, *, small: bool) -> SessionMemories:
    told = given["overrides"]
    options = MemoryOptions.model_validate({k: v for k, v in told.items() if k in MemoryOptions.model_fields})
    prefixes = {}
    if "self_memory_prefix" in told:
        prefixes = {Speaker.SELF: told["self_memory_prefix"], Speaker.PARTNER: told["partner_memory_prefix"]}
    form = MemoryForm.TOKENS if small else MemoryForm.PREFIXES
    return SessionMemories(form, options, chance=lambda: 1.0, prefixes=prefixes or None)


def took(chat: ModularChat, conversation: LiveConversation, turn: Any) -> TurnDraft:
    if is_opening(turn["text"], turn.get("memories")):
        told = turn["memories"]
        conversation.memories.set(told if isinstance(told, dict) else dict.fromkeys(told, 0))
        return chat.open(conversation)
    conversation.hear(turn["text"])
    (draft,) = chat.reply([conversation])
    return draft


def listed(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message in the form of the recording, which writes an empty list as a list of one empty text."""
    return {
        key: (value or [""]) if "_doc_" in key else value
        for key, value in message.items()
        if key not in ("episode_done", "quotes")
    }


def large(given: Any) -> Any:
    writer, search = Scripted(given["default_replies"]), Found([])
    chat, memories = chat_of(given, search, writer, small=False), memories_of(given, small=False)
    conversation = LiveConversation(memories)
    turns = []
    for turn in given["turns"]:
        writer.begin(turn.get("replies", {}))
        search.documents, search.requests = turn.get("search", given["default_search_docs"]), []
        step: dict[str, Any] = {}

        def take(_: Any, turn: Any = turn) -> Any:
            draft = took(chat, conversation, turn)
            message = listed(draft.message("opt" if draft.is_alone else "BlenderBot3"))
            memories.end_turn(draft.memories_used)
            return message

        reply = attempt(take, None)
        step["calls"] = [{"agent": str(module), "prompt": prompt} for module, (_, prompt) in writer.calls]
        step["search_requests"] = search.requests
        step["reply"] = None if "error" in reply else reply
        step |= {"error": reply["error"]} if "error" in reply else {}
        step |= {"memory_store": dict(memories.texts()), "in_session_memories": sorted(memories.in_session)}
        turns.append(step)
        if turn.get("episode_done"):
            conversation.end()
    return {"turns": turns}


def large_batch(given: Any) -> Any:
    writer, search = Scripted(given["default_replies"]), Found(given["search_docs"])
    chat = chat_of(given, search, writer, small=False)
    writer.begin(given["replies"])
    conversations = [LiveConversation(memories_of(given, small=False)) for _ in given["texts"]]
    for conversation, text in zip(conversations, given["texts"], strict=True):
        conversation.hear(text)
    drafts = chat.reply(conversations)
    calls = [{"agent": str(module), "prompt": prompt} for module, (_, prompt) in writer.calls]
    replies = [listed(draft.message("opt" if draft.is_alone else "BlenderBot3")) for draft in drafts]
    return {"ok": {"calls": calls, "replies": replies}}


def small(given: Any) -> Any:
    writer, search = Scripted(given["default_replies"]), Found([])
    chat, memories = chat_of(given, search, writer, small=True), memories_of(given, small=True)
    conversation = LiveConversation(memories)
    separate = given["overrides"].get("knowledge_conditioning") == Conditioning.SEPARATE
    turns = []
    for turn in given["turns"]:
        writer.begin(turn.get("replies", {}))
        search.documents = given["default_replies"]["docs"]
        draft = took(chat, conversation, turn)
        message = listed(draft.message("BlenderBot3"))
        memories.end_turn(draft.memories_used)
        shown = {key: message[key] for key in TEXTS_OF_3B if key in message}
        shown |= {key: message[key] for key in ("memories", "search_knowledge_doc_titles")}
        shown |= {key: value for key, value in message.items() if separate and key.endswith("_dialogue")}
        shown |= {"max_score": message["score"]} if separate else {"id": message["id"]}
        turns.append(
            {
                "calls": [small_call(request, prompt, turn) for _, (request, prompt) in writer.calls],
                "reply": shown,
                "memory_store": dict(memories.texts()),
                "in_session_memories": sorted(memories.in_session),
            }
        )
        if turn.get("episode_done"):
            conversation.end()
    return {"turns": turns}


def small_call(request: Any, context: str, turn: Any) -> dict[str, Any]:
    """Return a call with the recorded information about its retrieval."""
    own = request.module is Module.MGM and request.turns[-1].speaker is Speaker.SELF
    call = {"module": str(request.by), "context": context}
    if request.module is Module.SKM:
        return {**call, "skip_retrieval": False, "retriever_mode": "search", "search_queries": [request.query]}
    if request.module is Module.MKM:
        memories = [list(request.memories)]
        return {**call, "skip_retrieval": False, "retriever_mode": "memory", "documents": memories}
    return {**call, "skip_retrieval": not own}


@each_row("bb3_opt_turns", ("conversation", "batch_of_two"))
def test_a_turn_of_the_large_models_goes_as_recorded(row: Row) -> None:
    check(row, {"conversation": large, "batch_of_two": large_batch}, DEVIATIONS)


@each_row("bb3_3b_turns", ("conversation",))
def test_a_turn_of_the_small_model_goes_as_recorded(row: Row) -> None:
    check(row, {"conversation": small}, DEVIATIONS)
