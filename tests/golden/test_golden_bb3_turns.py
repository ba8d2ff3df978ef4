"""Whole conversations with BB3's modules are as recorded: every prompt, every reply, every memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from golden_rows import attempt, golden_test

from investigator.bb3.agent import BlenderBot3Agent, modular_chat_of, session_memories_of
from investigator.bb3.chat_options import Conditioning
from investigator.bb3.exchange import SearchDocument
from investigator.bb3.forms.text_forms import Prompted, WrittenText
from investigator.bb3.records import Module, Speaker
from investigator.bb3.turn_draft import LiveConversation
from investigator.dialogue.messages import Message
from investigator.dialogue.options import Opt

TEXTS_OF_3B = (
    *("text", "search_decision", "memory_decision", "search_query", "memory_generator_self"),
    *("memory_generator_partner", "contextual_knowledge", "memory_knowledge", "search_knowledge"),
)


class Scripted:
    def __init__(self, default: dict[str, Any]) -> None:
        self.default = default
        self.replies: dict[str, Any] = {}
        self.calls: list[Prompted] = []

    def begin(self, replies: dict[str, Any]) -> None:
        self.replies = {name: list(r) if isinstance(r, list) else r for name, r in replies.items()}
        self.calls = []

    def write(self, prompts: Sequence[Prompted]) -> list[WrittenText]:
        self.calls.extend(prompts)
        return [self._next(str(request.by)) for request, _ in prompts]

    def _next(self, name: str) -> WrittenText:
        reply = self.replies.get(name, self.default.get(name, ""))
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        if isinstance(reply, dict):
            return WrittenText(text="", failed=True)
        text, score = reply if isinstance(reply, list) else (reply, [-1.0] * 3)
        return WrittenText(text=text, score=sum(score) if isinstance(score, list) else score)


class ScriptedSearch:
    """A search that returns given documents, as read by clients of the search server, and records its requests."""

    def __init__(self, documents: list[dict[str, str]] | None) -> None:
        self.documents = documents
        self.requests: list[dict[str, Any]] = []

    def search(self, query: str, count: int) -> list[SearchDocument]:
        self.requests.append({"q": query, "n": count})
        fields = [{name: d.get(name, "") for name in ("title", "content", "url")} for d in self.documents or ()]
        texts = [" ".join(filter(None, map(str.strip, each.pop("content").split("\n")))) for each in fields]
        return [SearchDocument(**each, text=text) for each, text in zip(fields, texts, strict=True)]


def listed(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message in the form of the recording, which writes an empty list as a list of one empty text. A reply
    without knowledge has the name of the module's agent.
    """
    shown = {
        key: (value or [""]) if "_doc_" in key else value
        for key, value in message.items()
        if key not in ("episode_done", "quotes")
    }
    return shown if "best_module" in message else {**shown, "id": "opt"}


def large(given: Any) -> Any:
    writer, search = Scripted(given["default_replies"]), ScriptedSearch([])
    agent = BlenderBot3Agent(given["overrides"], writer=writer, search=search)
    turns = []
    for turn in given["turns"]:
        writer.begin(turn.get("replies", {}))
        search.documents, search.requests = turn.get("search", given["default_search_docs"]), []
        agent.observe(heard(turn))
        reply = attempt(lambda _: listed(agent.act()), None)
        step: dict[str, Any] = {
            "calls": [{"agent": str(request.by), "prompt": prompt} for request, prompt in writer.calls],
            "search_requests": search.requests,
            "reply": None if "error" in reply else reply,
        }
        step |= {"error": reply["error"]} if "error" in reply else {}
        step |= remembered(agent)
        turns.append(step)
        if turn.get("episode_done"):
            agent.reset()
    return {"turns": turns}


def heard(turn: Any) -> Message:
    message = Message(text=turn["text"])
    return Message({**message, "memories": turn["memories"]}) if "memories" in turn else message


def remembered(agent: BlenderBot3Agent) -> dict[str, Any]:
    """Return the memories; they are recorded before an episode ends."""
    return {"memory_store": dict(agent.memories.texts()), "in_session_memories": sorted(agent.memories.in_session)}


def large_batch(given: Any) -> Any:
    writer, search = Scripted(given["default_replies"]), ScriptedSearch(given["search_docs"])
    opt = Opt(given["overrides"])
    chat = modular_chat_of(opt, writer, search)
    writer.begin(given["replies"])
    conversations = [LiveConversation(session_memories_of(opt)) for _ in given["texts"]]
    for conversation, text in zip(conversations, given["texts"], strict=True):
        conversation.hear(text)
    drafts = chat.reply(conversations)
    calls = [{"agent": str(request.by), "prompt": prompt} for request, prompt in writer.calls]
    replies = [listed(draft.message("BlenderBot3")) for draft in drafts]
    return {"ok": {"calls": calls, "replies": replies}}


def small(given: Any) -> Any:
    writer, search = Scripted(given["default_replies"]), ScriptedSearch([])
    agent = BlenderBot3Agent({**given["overrides"], "form": "tokens"}, writer=writer, search=search)
    separate = given["overrides"].get("knowledge_conditioning") == Conditioning.SEPARATE
    turns = []
    for turn in given["turns"]:
        writer.begin(turn.get("replies", {}))
        search.documents = given["default_replies"]["docs"]
        agent.observe(heard(turn))
        message = listed(agent.act())
        shown = {key: message[key] for key in TEXTS_OF_3B if key in message}
        shown |= {key: message[key] for key in ("memories", "search_knowledge_doc_titles")}
        shown |= {key: value for key, value in message.items() if separate and key.endswith("_dialogue")}
        shown |= {"max_score": message["score"]} if separate else {"id": agent.id}
        calls = [small_call(request, prompt, turn) for request, prompt in writer.calls]
        turns.append({"calls": calls, "reply": shown, **remembered(agent)})
        if turn.get("episode_done"):
            agent.reset()
    return {"turns": turns}


def small_call(request: Any, context: str, turn: Any) -> dict[str, Any]:
    own = request.module is Module.MGM and request.turns[-1].speaker is Speaker.SELF
    call = {"module": str(request.by), "context": context}
    if request.module is Module.SKM:
        return {**call, "skip_retrieval": False, "retriever_mode": "search", "search_queries": [request.query]}
    if request.module is Module.MKM:
        memories = [list(request.memories)]
        return {**call, "skip_retrieval": False, "retriever_mode": "memory", "documents": memories}
    return {**call, "skip_retrieval": not own}


test_a_turn_of_the_large_models_goes_as_recorded = golden_test(
    "bb3_opt_turns", {"conversation": large, "batch_of_two": large_batch}, other_kinds=True
)


test_a_turn_of_the_small_model_goes_as_recorded = golden_test("bb3_3b_turns", {"conversation": small}, other_kinds=True)
