"""A folder of three short documents about a harbour, and the replies of an engine or a chat model about it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.records import AskVariables, Prompt

TEXTS = {
    "harbour.md": "# Harbour\n\nThe harbour of Vigo was dredged in 1997. The harbour is 14 metres deep.\n",
    "ferries.md": "# Ferries\n\nThe ferry to Cangas leaves every half hour. A ticket costs 2 euros.\n",
    "weather.md": "# Weather\n\nIn January it rains on nineteen days. The wind is from the west.\n",
}
QUESTION = "How deep is the harbour of Vigo?"
NOT_THERE = "Who is the harbour master?"
QUOTE = "The harbour is 14 metres deep."

_STEPS = [{"document_id": name, "purpose": "What does it say of the harbour?"} for name in ("harbour.md", "ferries.md")]
_PLAN = json.dumps({"parts": [QUESTION], "strategy": "Ask them.", "steps": _STEPS})
_KNOWN = json.dumps({"known": [], "unknown": ["the depth"]})
_ANSWER = json.dumps(
    {"lead": {"text": "It is 14 metres deep.", "evidence": ["E1"]}, "parts": [{"part": 1, "status": "answered"}]}
)
_SILENT = json.dumps({"parts": [{"part": 1, "status": "not_stated"}]})
_CHECK = json.dumps({"statements": [{"number": 1, "support": "supported"}], "answers": "yes"})


def _readings(names: Iterable[str], *, deep: bool) -> str:
    """Return a reading of each document; the harbour's answers a question about its depth."""
    answers = {"verdict": "answers", "point": 95, "quotes": [QUOTE], "reply": "14 metres."}
    silent = {"verdict": "not_stated", "point": 0, "reply": "Not in this text."}
    readings = [{"document": name, **(answers if deep and name == "harbour.md" else silent)} for name in names]
    return json.dumps({"readings": readings})


def _read(prompt: Prompt) -> str:
    variables = prompt.variables
    assert isinstance(variables, AskVariables)
    return _readings((document.document_id for document in variables.documents), deep="deep" in variables.main_question)


SCRIPT: Mapping[str, Callable[[Prompt], str] | str] = {
    "planner/plan": _PLAN,
    "query/ask": _read,
    "reflection/reflect": _KNOWN,
    "answer/answer": lambda prompt: _ANSWER if "deep" in prompt.text else _SILENT,
    "answer/check": _CHECK,
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
        if '"readings"' in prompt:
            return _readings((name for name in TEXTS if name in prompt), deep=True)
        if '"wordings"' in prompt:
            return _PLAN if '"steps"' in prompt else _KNOWN
        return _ANSWER if '"lead"' in prompt else _CHECK


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
