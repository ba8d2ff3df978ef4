"""The same run with a chat model, over real HTTP."""

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

from openai_server import Body, OpenAIServer, Response, completion, refusal
from power_plants import answer_of, judged, outcome, prompt_in, sensible

from investigator import AnswerStatus, Investigator, ScriptedEmbedder, StopReason, load_settings
from investigator.records import Investigation

QUESTION = "How much power does the plant make?"


def small_model(body: Body) -> Response:
    """Answers as small models do: thoughts first, then a fence, followed by some words."""
    reply = json.dumps(judged(prompt_in(body)))
    return completion(f"<think>Hm, {{7}}.</think>Sure!\n```json\n{reply}\n```\nHope that helps.")


def test_a_chat_model_reads_answers_and_checks(openai_server: OpenAIServer, tmp_path: Path) -> None:
    (tmp_path / "plant.txt").write_text("The plant was opened in 1988. It makes 42 MW of power.", encoding="utf-8")
    (tmp_path / "letter.txt").write_text("Dear Anna, the weather was fine.", encoding="utf-8")
    openai_server.answer(small_model)
    settings = load_settings(None, [f"chat.base_url={openai_server.url}"])
    investigator = Investigator(tmp_path, model="openai:small", settings=settings, embedder=ScriptedEmbedder())
    case = outcome(investigator.investigate(QUESTION))
    answer = answer_of(case)
    assert (answer.status, answer.run.stop) == (AnswerStatus.ANSWERED, StopReason.ANSWERED)
    assert answer.text == "It produces 42 MW. [1]"
    assert answer.check.by == investigator.engine_name
    assert [(quote.document_id, quote.line, quote.text) for quote in answer.citations] == [
        ("plant.txt", 1, "It makes 42 MW of power.")
    ]
    assert case.usage.calls == len(openai_server.requests) == 4
    assert case.usage.tokens == 4 * (11 + 7)


class Crowded:
    """The sensible model behind a server that accepts two calls at a time, and refuses all others."""

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
        return sensible(body) if has_room else refusal(429, "too many", headers={"Retry-After": "0.05"})


def test_a_crowded_server_changes_nothing_in_the_answer(openai_server: OpenAIServer, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(12):
        (folder / f"p{number:02}.txt").write_text(f"Power plant {number}. It makes {number} MW of power.", "utf-8")
    crowded = Crowded()

    def investigated(answers: Callable[[Body], Response], name: str, concurrency: int) -> Investigation:
        openai_server.answer(answers)
        options = [f"chat.base_url={openai_server.url}", f"chat.concurrency={concurrency}", "chat.attempts=8"]
        options += ["research.whole_tokens=0", "research.planner.steps=12", "research.planner.documents=12"]
        investigator = Investigator(
            folder,
            model="openai:small",
            settings=load_settings(None, options),
            embedder=ScriptedEmbedder(),
            workspace=tmp_path / name,
        )
        return outcome(investigator.investigate("How much power do the plants make?"))

    single, many = investigated(sensible, "one", 1), investigated(crowded, "many", 12)
    assert crowded.refused > 0
    assert [memory.reply for memory in many.memories] == [memory.reply for memory in single.memories]
    assert len(single.memories) == 12
    assert (answer_of(many).status, answer_of(many).text) == (answer_of(single).status, answer_of(single).text)


def test_one_role_can_have_a_model_of_its_own(openai_server: OpenAIServer, tmp_path: Path) -> None:
    (tmp_path / "plant.txt").write_text("The plant was opened in 1988. It makes 42 MW of power.", encoding="utf-8")
    openai_server.answer(small_model)
    settings = load_settings(None, [f"chat.base_url={openai_server.url}"])
    investigator = Investigator(tmp_path, model=["answer=openai:small"], settings=settings, embedder=ScriptedEmbedder())
    answer = investigator.ask(QUESTION)
    assert "answer=openai:small" in answer.run.engine
    assert "ask=extractive" in answer.run.engine
    assert len(openai_server.requests) == 1
    assert answer.status is AnswerStatus.PASSAGES_FOUND  # no model has read the documents
