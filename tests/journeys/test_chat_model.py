"""The same run with a chat model, over real HTTP."""

import json
from pathlib import Path

from openai_server import Body, OpenAIServer, Response, completion

from investigator import AnswerStatus, Investigator, ScriptedEmbedder, StopReason, load_settings
from investigator.records import Answered

REPLIES = {
    "You plan an investigation": {"needs": [{"term": "power", "reason": "asked for", "weight": 1}]},
    "You plan the next round": {
        "strategy": "The plant.",
        "steps": [{"document_id": "plant.txt", "purpose": "Output?"}],
    },
    "You examine one document": {"point": 92, "quotes": ["It makes 42 MW of power."], "reply": "42 MW."},
    "You think over": {"knowledge": [{"term": "power", "known_infos": [], "unknown_infos": [], "relations": []}]},
    "You write the answer": {"claims": [{"text": "The plant makes 42 MW.", "evidence": ["E1"]}]},
}


def small_model(body: Body) -> Response:
    """Answers as small models do: thoughts first, then a fence, and some words after it."""
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
    assert answer.text == "The plant makes 42 MW. [1]"
    assert [(quote.document_id, quote.line, quote.text) for quote in answer.citations] == [
        ("plant.txt", 1, "It makes 42 MW of power.")
    ]
    assert last.investigation.usage.calls == len(openai_server.requests) == 5
    assert last.investigation.usage.tokens == 5 * (11 + 7)


def test_one_role_can_have_a_model_of_its_own(openai_server: OpenAIServer, tmp_path: Path) -> None:
    (tmp_path / "plant.txt").write_text("The plant was opened in 1988. It makes 42 MW of power.", encoding="utf-8")
    openai_server.answer(small_model)
    settings = load_settings(None, [f"chat.base_url={openai_server.url}"])
    investigator = Investigator(tmp_path, model=["answer=openai:small"], settings=settings, embedder=ScriptedEmbedder())
    answer = investigator.ask("How much power does the plant make?")
    assert "answer=openai:small" in answer.engine
    assert "ask=extractive" in answer.engine
    assert len(openai_server.requests) <= 1
