"""A question reaches its engine through few functions of the package."""

from __future__ import annotations

import inspect
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.scripted import ScriptedEngine
from investigator.records import Prompt, Reply

PACKAGE = Path(inspect.getfile(Investigator)).parent
MOST_FRAMES = 9
"""From `Investigator.ask` to an engine's reply: the folder, the run, the loop, a step, the client and the sender; for a
document, three for reading them in turn.
"""
MOST_FRAMES_TO_A_MODEL = 12
"""From `Investigator.ask` to `invoke` of a chat model, in both threads, for the plan."""
REPLIES = {
    "planner/plan": '{"parts": ["How high is the rent?"], "steps": [{"document_id": "a.txt", "purpose": "the rent"}]}',
    "query/ask": '{"readings": [{"document": "a.txt", "verdict": "answers", "point": 90, "reply": "5 dollars.", '
    '"quotes": ["The rent is 5 dollars."]}]}',
    "answer/answer": '{"lead": {"text": "The rent is 5 dollars.", "evidence": ["E1"]}, "details": [], '
    '"parts": [{"part": 1, "status": "answered"}]}',
    "answer/check": '{"statements": [{"number": 1, "support": "supported"}]}',
}


class Looking:
    """An engine that records the functions of the package through which it was called, outermost first."""

    name = "looking"

    def __init__(self) -> None:
        self.paths: dict[str, list[str]] = {}

    def reply(self, prompt: Prompt) -> Reply:
        own = [frame for frame in inspect.stack()[1:] if PACKAGE in Path(frame.filename).parents]
        self.paths[prompt.template] = [f"{Path(frame.filename).stem}.{frame.function}" for frame in reversed(own)]
        return ScriptedEngine(REPLIES[prompt.template]).reply(prompt)


def test_each_prompt_of_a_question_reaches_its_engine_through_few_functions(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The rent is 5 dollars.", encoding="utf-8")
    engine = Looking()
    settings = load_settings(None, ["research.concurrency=1", "research.whole_tokens=0"])
    Investigator(tmp_path, model=engine, embedder=ScriptedEmbedder(), settings=settings).ask("How high is the rent?")
    assert set(engine.paths) == set(REPLIES)
    for path in engine.paths.values():
        assert path[0] == "investigator.ask"
        assert len(path) <= MOST_FRAMES, path


class LookingModel(BaseChatModel):  # type: ignore[misc]
    """A chat model that records the functions of the package, of the asking and the calling thread, that led to it."""

    path: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "looking"

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        if not self.path:
            threads = (threading.main_thread(), threading.current_thread())
            frames = [sys._current_frames()[thread.ident or 0] for thread in threads]
            self.path += [
                f"{Path(place.filename).stem}.{place.name}"
                for frame in frames
                for place in traceback.extract_stack(frame)
                if PACKAGE in Path(place.filename).parents and place.name != "within"  # it waits for the other thread
            ]
        plan = ChatGeneration(message=AIMessage(REPLIES["planner/plan"]))
        return ChatResult(generations=[plan])


def test_a_question_reaches_a_chat_model_through_few_functions(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The rent is 5 dollars.", encoding="utf-8")
    model = LookingModel()
    Investigator(tmp_path, model=ChatEngine(model), embedder=ScriptedEmbedder()).ask("How high is the rent?")
    assert model.path[0] == "investigator.ask"
    assert len(model.path) <= MOST_FRAMES_TO_A_MODEL, model.path
