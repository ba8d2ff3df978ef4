"""A GGUF file as engine. The tests that need a model run where INVESTIGATOR_TEST_GGUF names one."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from investigator.engines.gguf import GgufEngine, GgufSettings
from investigator.errors import EngineError, SettingsError
from investigator.records import AskReply, FinishReason, Prompt, QuestionVariables, ReflectReply, Reply

QUESTION = (
    "Passage: The Harbour Bridge was opened in 1932.\n"
    "Question: When was the bridge opened? Reply in JSON with a point from 0 to 100, a short reply and quotes."
)


def prompt(text: str = QUESTION, reply_type: type[AskReply] | type[ReflectReply] = AskReply) -> Prompt:
    variables = QuestionVariables(document_id="a", purpose="p", perspectives="")
    return Prompt("query/ask.j2", variables, text, reply_type)


@pytest.fixture(scope="module")
def model() -> Path:
    named = os.environ.get("INVESTIGATOR_TEST_GGUF")
    if not named:
        pytest.skip("INVESTIGATOR_TEST_GGUF does not name a GGUF file")
    pytest.importorskip("xllamacpp")
    return Path(named)


@pytest.fixture(scope="module")
def engine(model: Path) -> GgufEngine:
    return GgufEngine(model, GgufSettings(context_tokens=2048, max_tokens=160, threads=1))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.gguf"):
        GgufEngine(tmp_path / "none.gguf")


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "x.gguf"
    other.write_bytes(b"PK\x03\x04 not a model")
    with pytest.raises(SettingsError, match="not a GGUF file"):
        GgufEngine(other)


def test_a_reply_must_leave_room_for_the_prompt(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no room"):
        GgufEngine(tmp_path / "x.gguf", GgufSettings(context_tokens=512, max_tokens=512))


def test_a_damaged_model_is_refused_at_the_first_prompt(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    damaged = tmp_path / "x.gguf"
    damaged.write_bytes(b"GGUF" + b"\x00" * 100)
    engine = GgufEngine(damaged)
    assert engine.name == "gguf:x.gguf@104"
    with pytest.raises(SettingsError, match="cannot be loaded"):
        engine.reply(prompt())


def test_the_room_for_a_prompt_is_the_context_without_the_reply(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    file = tmp_path / "x.gguf"
    file.write_bytes(b"GGUF")
    assert GgufEngine(file, GgufSettings(context_tokens=1000, max_tokens=400)).traits.context_tokens == 600


def test_a_reply_holds_every_field_of_what_was_asked(engine: GgufEngine) -> None:
    reply = engine.reply(prompt())
    assert reply.finish_reason is FinishReason.STOP
    assert AskReply.model_validate_json(reply.text).model_fields_set == {"point", "reply", "quotes"}
    assert reply.input_tokens > 40
    assert reply.output_tokens > 10
    assert reply.seconds > 0


def test_the_same_prompt_gives_the_same_reply(engine: GgufEngine) -> None:
    assert engine.reply(prompt()).text == engine.reply(prompt()).text


def test_a_prompt_that_does_not_fit_is_an_error_that_names_the_setting(engine: GgufEngine) -> None:
    with pytest.raises(EngineError, match="does not fit the context of 2048") as caught:
        engine.reply(prompt("word " * 4000))
    assert "context_tokens" in caught.value.hint
    assert not caught.value.retryable


def test_a_reply_that_reaches_the_limit_is_marked(model: Path) -> None:
    engine = GgufEngine(model, GgufSettings(context_tokens=1024, max_tokens=16, threads=1))
    reply = engine.reply(prompt(reply_type=ReflectReply))
    assert (reply.finish_reason, reply.output_tokens) == (FinishReason.LENGTH, 16)


def test_threads_take_turns(engine: GgufEngine) -> None:
    def ask(_: int) -> Reply:
        return engine.reply(prompt())

    with ThreadPoolExecutor(3) as pool:
        assert len({reply.text for reply in pool.map(ask, range(3))}) == 1


def test_the_model_writes_nothing_on_the_terminal(engine: GgufEngine, capfd: pytest.CaptureFixture[str]) -> None:
    engine.reply(prompt())
    assert capfd.readouterr() == ("", "")
