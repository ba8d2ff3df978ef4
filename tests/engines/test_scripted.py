"""The shipped engines for tests."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from investigator.engines.base import Embedder, Engine
from investigator.engines.scripted import ScriptedEmbedder, ScriptedEngine
from investigator.errors import EngineError, SettingsError
from investigator.records import AskReply, Prompt, QuestionVariables


def prompt(template: str = "query/ask.j2", text: str = "t") -> Prompt:
    return Prompt(template, QuestionVariables(document_id="a", purpose="p", perspectives=""), text, AskReply)


def test_replies_come_in_their_order_and_prompts_are_remembered() -> None:
    engine = ScriptedEngine(["one", "two"])
    assert [engine.reply(prompt(text=text)).text for text in ("a", "b")] == ["one", "two"]
    assert [sent.text for sent in engine.asked] == ["a", "b"]
    assert isinstance(engine, Engine)


def test_a_script_that_ran_out_says_so() -> None:
    engine = ScriptedEngine(["one"])
    engine.reply(prompt())
    with pytest.raises(EngineError, match="ran out after 1") as caught:
        engine.reply(prompt())
    assert "more replies" in caught.value.hint


def test_a_function_answers_from_the_prompt() -> None:
    assert ScriptedEngine(lambda sent: sent.text.upper()).reply(prompt(text="shout")).text == "SHOUT"


def test_each_template_has_its_own_script() -> None:
    engine = ScriptedEngine({"query/ask": ["a1", "a2"], "planner/plan.j2": "always", "answer/answer": lambda _: "f"})
    templates = ["query/ask.j2", "planner/plan.j2", "answer/answer.j2", "query/ask.j2", "planner/plan.j2"]
    assert [engine.reply(prompt(template)).text for template in templates] == ["a1", "always", "f", "a2", "always"]
    with pytest.raises(EngineError, match=r"reflection/reflect\.j2"):
        engine.reply(prompt("reflection/reflect.j2"))


def test_no_reply_is_given_twice_to_threads() -> None:
    engine = ScriptedEngine([str(number) for number in range(64)])
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda _: engine.reply(prompt()).text, range(64)))
    assert sorted(given, key=int) == [str(number) for number in range(64)]


def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    file.write_text(json.dumps({"query/ask": ["ä", "b"]}), encoding="utf-8")
    engine = ScriptedEngine.from_file(file)
    assert engine.reply(prompt()).text == "ä"
    assert engine.name == "scripted:script.json"


@pytest.mark.parametrize("content", ["", "[1]", '{"query/ask": 3}', "{"])
def test_a_file_that_is_no_script_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "script.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError, match="not a script"):
        ScriptedEngine.from_file(file)


def test_a_missing_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.json"):
        ScriptedEngine.from_file(tmp_path / "none.json")


def test_counted_words_are_unit_vectors_that_know_shared_words() -> None:
    embedder = ScriptedEmbedder()
    vectors = embedder.embed(["the filed reports", "a report was filing", "green bananas", ""])
    assert isinstance(embedder, Embedder)
    assert vectors.shape == (4, 256)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2]
    assert embedder.embed([]).shape == (0, 256)


def test_counted_words_are_the_same_in_every_process() -> None:
    [vector] = ScriptedEmbedder().embed(["bridge"])
    assert np.flatnonzero(vector).tolist() == [208]
