"""The same run with a chat model, over real HTTP."""

import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

from openai_server import Body, OpenAIServer, Response, completion, refusal

from investigator import AnswerStatus, Investigator, ScriptedEmbedder, StopReason, load_settings
from investigator.records import Answered, Investigation

REPLIES = {
    "You plan an investigation": {"needs": [{"term": "power", "reason": "asked for", "weight": 1}]},
    "You plan the next round": {
        "strategy": "The plant.",
        "steps": [{"document_id": "plant.txt", "purpose": "Output?"}],
    },
    "You examine one document": {"point": 92, "quotes": ["It makes 42 MW of power."], "reply": "42 MW."},
    "You review what": {"knowledge": [{"term": "power", "known_infos": [], "unknown_infos": [], "relations": []}]},
    "You write the answer": {"claims": [{"text": "It makes 42 MW of power.", "evidence": ["E1"]}]},
}


def small_model(body: Body) -> Response:
    """Answers as small models do: thoughts first, then a fence, followed by some words."""
    messages = body["messages"]
    assert isinstance(messages, list)
    prompt = messages[-1]["content"]
    reply = next(reply for start, reply in REPLIES.items() if prompt.startswith(start))
    return completion(f"<think>Hm, {{7}}.</think>Sure!\n```json\n{json.dumps(reply)}\n```\nHope that helps.")


def test_a_chat_model_investigates_as_the_embedded_default_does(openai_server: OpenAIServer, tmp_path: Path) -> None:
    (tmp_path / "plant.txt").write_text("The plant was opened in 1988. It makes 42 MW of power.", encoding="utf-8")
    (tmp_path / "letter.txt").write_text("Dear Anna, the weather was fine.", encoding="utf-8")
    openai_server.answer(small_model)
    settings = load_settings(None, [f"chat.base_url={openai_server.url}"])
    investigator = Investigator(tmp_path, model="openai:small", settings=settings, embedder=ScriptedEmbedder())
    last = list(investigator.investigate("How much power does the plant make?"))[-1]
    assert isinstance(last, Answered)
    answer = last.investigation.answer
    assert answer is not None
    assert (answer.status, answer.stop) == (AnswerStatus.ANSWERED, StopReason.ANSWERED)
    assert answer.text == "It makes 42 MW of power. [1]"
    assert [(quote.document_id, quote.line, quote.text) for quote in answer.citations] == [
        ("plant.txt", 1, "The plant was opened in 1988. It makes 42 MW of power.")
    ]
    assert last.investigation.usage.calls == len(openai_server.requests) == 4
    assert last.investigation.usage.tokens == 4 * (11 + 7)


def thorough_model(body: Body) -> Response:
    """Plans every document, and finds in each what it says about its power."""
    messages = body["messages"]
    assert isinstance(messages, list)
    prompt = messages[-1]["content"]
    if prompt.startswith("You plan the next round"):
        ids = re.findall(r'<document id="([^"]+)"', prompt)
        return completion(
            json.dumps({"strategy": "All.", "steps": [{"document_id": one, "purpose": "?"} for one in ids]})
        )
    if prompt.startswith("You examine one document"):
        [quote] = re.findall(r"It makes \d+ MW of power\.", prompt)
        return completion(json.dumps({"point": 55, "quotes": [quote], "reply": quote}))
    return small_model(body)


class Crowded:
    """The thorough model behind a server that accepts two calls at a time, and refuses all others."""

    def __init__(self) -> None:
        self.refused = 0
        self._inside = 0
        self._lock = threading.Lock()

    def __call__(self, body: Body) -> Response:
        with self._lock:
            self._inside += 1
            has_room = self._inside <= 2
            self.refused += not has_room
        time.sleep(0.02)
        with self._lock:
            self._inside -= 1
        return thorough_model(body) if has_room else refusal(429, "too many", headers={"Retry-After": "0.05"})


def test_a_crowded_server_changes_nothing_in_the_answer(openai_server: OpenAIServer, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(12):
        (folder / f"p{number:02}.txt").write_text(f"Power plant {number}. It makes {number} MW of power.", "utf-8")
    crowded = Crowded()

    def asked(answers: Callable[[Body], Response], name: str, concurrency: int) -> Investigation:
        openai_server.answer(answers)
        options = [f"chat.base_url={openai_server.url}", f"chat.concurrency={concurrency}", "chat.attempts=8"]
        settings = load_settings(None, [*options, "method.planner.steps=12", "method.thrift=false"])
        embedder, workspace = ScriptedEmbedder(), tmp_path / name
        investigator = Investigator(
            folder, model="openai:small", settings=settings, embedder=embedder, workspace=workspace
        )
        last = list(investigator.investigate("How much power do the plants make?"))[-1]
        assert isinstance(last, Answered)
        return last.investigation

    one, many = asked(thorough_model, "one", 1), asked(crowded, "many", 12)
    assert crowded.refused > 0
    assert [memory.reply for memory in many.memories] == [memory.reply for memory in one.memories]
    assert len(one.memories) == 12
    assert one.answer is not None
    assert many.answer is not None
    assert (many.answer.status, many.answer.text) == (one.answer.status, one.answer.text)


def test_one_role_can_have_a_model_of_its_own(openai_server: OpenAIServer, tmp_path: Path) -> None:
    (tmp_path / "plant.txt").write_text("The plant was opened in 1988. It makes 42 MW of power.", encoding="utf-8")
    openai_server.answer(small_model)
    settings = load_settings(None, [f"chat.base_url={openai_server.url}"])
    investigator = Investigator(tmp_path, model=["answer=openai:small"], settings=settings, embedder=ScriptedEmbedder())
    answer = investigator.ask("How much power does the plant make?")
    assert "answer=openai:small" in answer.engine
    assert "ask=extractive" in answer.engine
    assert len(openai_server.requests) <= 1
