"""A GGUF file as an engine. The tests that need a model run if TEST_GGUF names one."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import gguf_files
import pytest

from investigator.engines.base import TokenCounter, tokens_of, traits_of
from investigator.engines.gguf.engine import GgufEngine
from investigator.engines.gguf.header import control_tokens
from investigator.engines.gguf.model import GgufModel
from investigator.errors import ContextTooLongError, EngineTimeoutError, SettingsError
from investigator.records import AskReply, FinishReason, Prompt, QuestionVariables, ReflectReply, Reply, Writing

QUESTION = """Document harbour.txt: The Harbour Bridge was opened in 1932.
Question: When was the bridge opened?
Reply with one JSON object:
{"readings": [{"document": "harbour.txt", "verdict": "answers", "point": 90, "head": "", "quotes": ["..."], \
"reply": "..."}]}"""
RULES = "Use nothing but the passages below. First the point, then the quotes, then the reply. " * 12
OTHER_RULES = "Tell for each term what is known and what is still unknown, and who says so. " * 12
FEW = {"max_tokens": 4}


def prompt(text: str = QUESTION, reply_type: type[AskReply] | type[ReflectReply] = AskReply) -> Prompt:
    variables = QuestionVariables(document_id="a", purpose="p", perspectives="")
    return Prompt("query/ask.j2", variables, text, reply_type)


@pytest.fixture(scope="module")
def model() -> Path:
    named = os.environ.get("TEST_GGUF")
    if not named:
        pytest.skip("TEST_GGUF does not name a GGUF file")
    pytest.importorskip("xllamacpp")
    return Path(named)


@pytest.fixture(scope="module")
def engine(model: Path) -> GgufEngine:
    return GgufEngine(model, context_tokens=2048, max_tokens=160)


@pytest.fixture(scope="module")
def reply(engine: GgufEngine) -> Reply:
    def stop(_: str) -> None:
        raise EOFError

    with suppress(EOFError):  # what was read before is computed with a hair's difference, so all replies have it read
        engine.reply_aloud(prompt(), stop)
    return engine.reply(prompt())


@pytest.fixture(scope="module")
def brief(model: Path) -> GgufEngine:
    """Return an engine whose replies are cut after a few words, for tests that do not read them to the end."""
    return GgufEngine(model, context_tokens=1024, max_tokens=16)


@pytest.fixture(scope="module")
def loaded(model: Path) -> GgufModel:
    return GgufModel(model, context_tokens=1024)


@pytest.fixture
def hollow(tmp_path: Path) -> Path:
    """Create a file with the header of a model for 4096 tokens, but without a model."""
    pytest.importorskip("xllamacpp")
    file = tmp_path / "x.gguf"
    file.write_bytes(gguf_files.model(4096))
    return file


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.gguf"):
        GgufEngine(tmp_path / "none.gguf")


@pytest.mark.parametrize("settings", [{"context_tokens": 512}, {"max_tokens": 4096}])
def test_a_reply_must_leave_room_for_the_prompt(hollow: Path, settings: dict[str, int]) -> None:
    with pytest.raises(SettingsError, match="no room"):
        GgufEngine(hollow, **settings)


def test_a_context_is_not_larger_than_that_the_model_was_made_for(hollow: Path) -> None:
    assert traits_of(GgufEngine(hollow, context_tokens=100_000)) == traits_of(GgufEngine(hollow, context_tokens=4096))


def test_a_damaged_model_is_refused_at_the_first_prompt(hollow: Path) -> None:
    engine = GgufEngine(hollow)
    assert engine.name == f"gguf:x.gguf@{hollow.stat().st_size}"
    for needs_it in (lambda: engine.reply(prompt()), lambda: engine.count_tokens("a")):
        with pytest.raises(SettingsError, match="cannot be loaded"):
            needs_it()


@pytest.mark.parametrize(("trained", "whole"), [(2048, 2048), (131_072, 8192)])
def test_the_context_is_what_the_model_was_made_for_up_to_a_bound(tmp_path: Path, trained: int, whole: int) -> None:
    pytest.importorskip("xllamacpp")
    file = tmp_path / "x.gguf"
    file.write_bytes(gguf_files.model(trained))
    room = traits_of(GgufEngine(file, max_tokens=400)).context_tokens
    assert room is not None
    assert whole - 550 < room < whole - 400  # the reply, and what a chat template adds, have their place


def test_a_reply_holds_every_field_of_what_was_asked(reply: Reply) -> None:
    assert reply.finish_reason is FinishReason.STOP
    assert AskReply.model_validate_json(reply.text).model_fields_set == {"readings"}
    assert reply.input_tokens > 40
    assert reply.output_tokens > 10
    assert reply.seconds > 0
    # the spaces that models write
    assert re.match(r'\{"readings": \[\{"document": "[^"]*", "verdict": "', reply.text)


def left_to_read(model: GgufModel, text: str) -> int:
    """Return the number of tokens of a prompt that are not in the cache."""
    progress: list[Writing] = []
    model.complete(text, FEW, on_writing=progress.append)
    return progress[0].to_read - progress[0].read


def test_of_a_prompt_with_a_known_beginning_only_the_rest_is_read(loaded: GgufModel) -> None:
    assert left_to_read(loaded, f"{RULES}\nWhen was the bridge opened?") > 100
    assert left_to_read(loaded, f"{RULES}\nWho owns the ferry?") < 25


def test_the_beginning_of_one_template_is_kept_while_another_is_asked(loaded: GgufModel) -> None:
    for rules in (RULES, OTHER_RULES):
        loaded.complete(f"{rules}\nWhen was the bridge opened?", FEW)

    for rules in (RULES, OTHER_RULES):
        assert left_to_read(loaded, f"{rules}\nWho owns the ferry?") < 25


def test_tokens_are_counted_as_the_model_counts_them(brief: GgufEngine) -> None:
    short, two = prompt("The harbour."), prompt("The harbour. " + "The annual rent is EUR 48,000. " * 20)

    assert isinstance(brief, TokenCounter)
    more = brief.reply(two).input_tokens - brief.reply(short).input_tokens
    assert tokens_of(brief, two.text) - tokens_of(brief, short.text) == more
    assert brief.count_tokens("") == 0


def test_tokens_are_counted_by_several_threads_while_a_prompt_is_answered(brief: GgufEngine) -> None:
    texts = [f"The rent is EUR {number}. " * (number % 7) for number in range(40)]
    alone = [brief.count_tokens(text) for text in texts]

    with ThreadPoolExecutor(4) as pool:
        answering = pool.submit(brief.reply, prompt(RULES + QUESTION))
        beside = list(pool.map(brief.count_tokens, texts))
        was_answering = not answering.done()

    assert beside == alone
    assert was_answering
    assert answering.result().text


def test_a_document_cannot_end_the_turn_it_stands_in(model: Path, loaded: GgufModel) -> None:
    """A control token is a single token; the same characters in a document are several tokens."""
    marks = sorted(control_tokens(model))
    for mark in marks:
        assert loaded.count_tokens(mark * 20) > 39, mark

    empty = loaded.complete("", FEW).input_tokens
    assert loaded.complete("".join(marks), FEW).input_tokens - empty > 2 * len(marks)


def test_a_prompt_that_does_not_fit_is_an_error_that_names_the_setting(engine: GgufEngine) -> None:
    with pytest.raises(ContextTooLongError, match="does not fit the context of 2048") as caught:
        engine.reply(prompt("word " * 4000))
    assert "context_tokens" in caught.value.hint
    assert not caught.value.retryable


def test_a_reply_that_the_context_cuts_is_an_error(model: Path) -> None:
    small = GgufModel(model, context_tokens=256)
    with pytest.raises(ContextTooLongError, match="too little room for the reply"):
        small.complete("word " * 180, {"max_tokens": 200, "grammar": 'root ::= "a"{150,}'})


def test_a_reply_that_reaches_the_limit_is_marked(brief: GgufEngine) -> None:
    reply = brief.reply(prompt(reply_type=ReflectReply))
    assert (reply.finish_reason, reply.output_tokens) == (FinishReason.LENGTH, 16)


def test_threads_take_turns(brief: GgufEngine) -> None:
    questions = [prompt(f"What is {number} and {number}?") for number in range(3)]
    alone = [brief.reply(question).text for question in questions]
    with ThreadPoolExecutor(3) as pool:
        assert [reply.text for reply in pool.map(brief.reply, questions)] == alone


def test_a_broken_chat_template_is_replaced_by_a_usual_one(model: Path, tmp_path: Path) -> None:
    content = model.read_bytes()
    key = content.find(b"tokenizer.chat_template")
    if key < 0:
        pytest.skip("the model has no chat template to break")
    length_at = key + len(b"tokenizer.chat_template") + 4
    start = length_at + 8
    end = start + int.from_bytes(content[length_at:start], "little")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(content[:start] + b"{% if nonsense".ljust(end - start) + content[end:])

    reply = GgufEngine(broken, context_tokens=1024, max_tokens=16).reply(prompt())

    assert reply.text.startswith('{"readings": ')


def test_a_reply_is_heard_while_it_is_written_and_is_the_same(engine: GgufEngine, reply: Reply) -> None:
    heard: list[str] = []
    aloud = engine.reply_aloud(prompt(), heard.append)
    assert (aloud.text, aloud.output_tokens) == (reply.text, reply.output_tokens)
    assert heard[-1] == reply.text
    assert len(heard) > 10
    assert all(later.startswith(earlier) for earlier, later in pairwise(heard))


def test_a_prompt_that_does_not_fit_is_the_same_error_where_somebody_listens(engine: GgufEngine) -> None:
    with pytest.raises(ContextTooLongError, match="does not fit the context of 2048"):
        engine.reply_aloud(prompt("word " * 4000), lambda _: None)


def test_what_a_listener_raises_comes_back_and_the_model_goes_on(brief: GgufEngine) -> None:
    def hear(_: str) -> None:
        raise EOFError

    with pytest.raises(EOFError):
        brief.reply_aloud(prompt(), hear)
    assert brief.reply(prompt()).text


def test_the_model_writes_nothing_on_the_terminal(brief: GgufEngine, capfd: pytest.CaptureFixture[str]) -> None:
    brief.reply(prompt())
    brief.count_tokens("a word")
    assert capfd.readouterr() == ("", "")


def test_a_reply_is_ended_when_its_time_is_over_and_the_next_one_comes(model: Path) -> None:
    progress: list[Writing] = []
    limits = {"context_tokens": 1024, "max_tokens": 200}
    hurried = GgufEngine(model, **limits, seconds=0.001, on_writing=progress.append)
    with pytest.raises(EngineTimeoutError, match="before it wrote a word"):
        hurried.reply(prompt(RULES))
    assert progress[0].to_read > 100
    hurried._seconds = 60.0
    assert hurried.reply(prompt("Say hello.")).text
    assert progress[-1].written > 0


def test_the_time_limit_is_looked_at_after_each_small_part_of_a_prompt(loaded: GgufModel) -> None:
    progress: list[Writing] = []
    loaded.complete(RULES[::-1][:700], FEW, on_writing=progress.append)
    read = [0, *(writing.read for writing in progress)]
    assert read[-1] > 300
    assert max(after - before for before, after in pairwise(read)) <= 128
