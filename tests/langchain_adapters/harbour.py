"""A folder of three short documents about a harbour, and the replies of an engine or a chat model about it."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine

TEXTS = {
    "harbour.md": "# Harbour\n\nThe harbour of Vigo was dredged in 1997. The harbour is 14 metres deep.\n",
    "ferries.md": "# Ferries\n\nThe ferry to Cangas leaves every half hour. A ticket costs 2 euros.\n",
    "weather.md": "# Weather\n\nIn January it rains on nineteen days. The wind is from the west.\n",
}
QUESTION = "How deep is the harbour of Vigo?"
NOT_THERE = "Who is the harbour master?"
QUOTE = "The harbour is 14 metres deep."

_NEEDS = json.dumps({"needs": [{"term": "depth", "reason": "asked"}]})
_STEPS = [{"document_id": name, "purpose": "What does it say of the harbour?"} for name in ("harbour.md", "ferries.md")]
_PLAN = json.dumps({"strategy": "Ask them.", "steps": _STEPS})
_KNOWN = json.dumps(
    {
        "knowledge": [
            {
                "term": "depth",
                "known_infos": [
                    {"info": "14 metres", "point": 95, "document_ids": ["harbour.md"], "memory_ids": [1]},
                ],
                "unknown_infos": [],
            }
        ]
    }
)
_CLAIMS = json.dumps({"claims": [{"text": "The harbour is 14 metres deep.", "evidence": ["E1"]}]})


def _asked(question: str, holds_it: bool) -> str:
    if holds_it and "deep" in question:
        return json.dumps({"point": 95, "quotes": [QUOTE], "reply": "14 metres."})
    return json.dumps({"point": 0, "quotes": [], "reply": "Not in this text."})


SCRIPT = {
    "critical_thinking/think": _NEEDS,
    "planner/plan": _PLAN,
    "query/ask": lambda prompt: _asked(prompt.variables.main_question, prompt.variables.document_id == "harbour.md"),
    "reflection/reflect": _KNOWN,
    "answer/answer": _CLAIMS,
}


def make_folder(parent: Path) -> Path:
    """Create the folder below `parent`."""
    folder = parent / "harbour"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def make_investigator(folder: Path) -> Investigator:
    """Return an investigator of the folder with a scripted engine; overlapping calls would fail."""
    return Investigator(folder, model=ScriptedEngine(SCRIPT), embedder=ScriptedEmbedder())


class HarbourModel(BaseChatModel):
    """A chat model that answers our templates about the harbour, which it recognises by the requested form."""

    @property
    def _llm_type(self) -> str:
        return "harbour"

    def _generate(self, messages: list[BaseMessage], *args: object, **kwargs: object) -> ChatResult:
        text = self._said(str(messages[-1].content))
        message = AIMessage(text, usage_metadata={"input_tokens": 50, "output_tokens": 5, "total_tokens": 55})
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _said(self, prompt: str) -> str:
        if '"needs"' in prompt:
            return _NEEDS
        if '"steps"' in prompt:
            return _PLAN
        if '"knowledge"' in prompt:
            return _KNOWN
        return _CLAIMS if '"claims"' in prompt else _asked("deep", QUOTE in prompt)


class Watcher(BaseCallbackHandler):
    """Records which run is whose child. Safe to use from several threads."""

    def __init__(self) -> None:
        self.names: dict[object, str] = {}
        self.parents: dict[object, object] = {}
        self.outputs: dict[str, object] = {}
        self.failed: list[str] = []
        self._lock = threading.Lock()

    def _note(self, run_id: object, parent_run_id: object, name: str) -> None:
        with self._lock:
            self.names[run_id] = name
            self.parents[run_id] = parent_run_id

    def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, **kwargs):  # type: ignore[no-untyped-def]
        self._note(run_id, parent_run_id, kwargs.get("name", "chain"))

    def on_chain_end(self, outputs, *, run_id, **kwargs):  # type: ignore[no-untyped-def]
        self.outputs[self.names[run_id]] = outputs

    def on_chain_error(self, error, *, run_id, **kwargs):  # type: ignore[no-untyped-def]
        self.failed.append(self.names[run_id])

    def on_tool_start(self, serialized, input_str, *, run_id, parent_run_id=None, **kwargs):  # type: ignore[no-untyped-def]
        self._note(run_id, parent_run_id, "tool")

    def on_retriever_start(self, serialized, query, *, run_id, parent_run_id=None, **kwargs):  # type: ignore[no-untyped-def]
        self._note(run_id, parent_run_id, "retriever")

    def on_chat_model_start(self, serialized, messages, *, run_id, parent_run_id=None, **kwargs):  # type: ignore[no-untyped-def]
        self._note(run_id, parent_run_id, "chat model")

    def parents_of(self, name: str) -> list[str | None]:
        """Return the names of the parents of all runs with a name."""
        return [self.names.get(self.parents[run_id]) for run_id, known in self.names.items() if known == name]
