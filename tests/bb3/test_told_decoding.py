"""Decoding options for engines: options that are only partly supported, and how each kind of engine uses them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import gguf_files
import pytest
from chat_parts import PROMPT
from langchain_core.language_models import FakeListChatModel
from openai_server import Body, OpenAIServer, Response, completion, refusal

from investigator.bb3.decoding.told import engine_as_told, told_method, with_told
from investigator.engines.base import traits_of
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings
from investigator.engines.gguf.engine import GgufEngine
from investigator.errors import SettingsError
from investigator.language.lists import data_file
from investigator.records.decoding import OFF, Decoding, Inference


@pytest.mark.parametrize(
    ("told", "own", "method"),
    [
        ({}, None, None),
        ({"beam_max_length": 20}, Inference.BEAM, None),
        ({"inference": "beam", "topp": 0.5}, None, Inference.BEAM),
        ({"topp": 0.5}, None, Inference.NUCLEUS),
        ({"topp": 0.5}, Inference.FACTUAL_NUCLEUS, Inference.FACTUAL_NUCLEUS),
        ({"topp": 0.5, "omega_bound": 0.1}, None, Inference.FACTUAL_NUCLEUS),
        ({"topk": 3}, Inference.NUCLEUS, Inference.TOPK),
        ({"beam_size": 4}, Inference.GREEDY, Inference.BEAM),
        ({"beam_size": 4}, Inference.SAMPLE_AND_RANK, Inference.SAMPLE_AND_RANK),
        ({"temperature": 0.5}, Inference.GREEDY, Inference.NUCLEUS),
        ({"temperature": 0.5}, Inference.TOPK, Inference.TOPK),
    ],
)
def test_a_number_means_a_method_that_has_it(
    told: dict[str, Any], own: Inference | None, method: Inference | None
) -> None:
    assert told_method(Decoding(**told), own) is method


def test_what_is_not_told_stays() -> None:
    own = Decoding(inference=Inference.NUCLEUS, topp=0.6, beam_max_length=512, stop_token="")
    found = with_told(own, Decoding(temperature=0.5, beam_min_length=3))
    assert found == own.changed(temperature=0.5, beam_min_length=3)
    assert with_told(own, Decoding()) == own
    assert with_told(own, Decoding(inference=Inference.FACTUAL_NUCLEUS)).topp == 0.6


def test_a_temperature_alone_draws_from_all_tokens() -> None:
    found = with_told(Decoding(), Decoding(temperature=0.5))
    assert (found.inference, found.topp, found.temperature) == (Inference.NUCLEUS, OFF, 0.5)


One = TypeVar("One", ChatEngine, GgufEngine)


def as_told(engine: One, decoding: Decoding) -> One:
    made = engine_as_told(engine, decoding)
    assert isinstance(made, type(engine))
    return made


def chat(server: OpenAIServer, **options: Any) -> ChatEngine:
    settings = ChatSettings(base_url=server.url, **options)
    return ChatEngine("openai:m", settings)


def sampled(body: Body) -> dict[str, object]:
    """Return the fields of a request that concern the choice of tokens."""
    names = ("temperature", "top_p", "max_completion_tokens")
    return {name: body[name] for name in names if name in body}


@pytest.mark.parametrize(
    ("told", "sent"),
    [
        ({"inference": "nucleus", "topp": 0.7}, {"temperature": 1.0, "top_p": 0.7}),
        ({"inference": "nucleus"}, {"temperature": 1.0, "top_p": 0.9}),
        ({"topp": 0.7, "temperature": 0.4}, {"temperature": 0.4, "top_p": 0.7}),
        ({"temperature": 0.4}, {"temperature": 0.4}),
        ({"inference": "nucleus", "topp": -1}, {"temperature": 1.0}),
        ({"inference": "greedy"}, {"temperature": 0.0}),
        ({"beam_max_length": 40}, {"max_completion_tokens": 40}),
        ({}, {}),
    ],
)
def test_a_chat_model_is_sent_what_was_told_and_nothing_else(
    openai_server: OpenAIServer, told: dict[str, Any], sent: dict[str, object]
) -> None:
    engine = chat(openai_server)
    other = as_told(engine, Decoding(**told))
    other.reply(PROMPT)
    engine.reply(PROMPT)
    assert [sampled(body) for body in openai_server.bodies] == [sent, {}]
    assert other.name == engine.name
    assert (traits_of(other).sampling == traits_of(engine).sampling) is (not sent)


def test_the_settings_of_a_chat_model_hold_where_nothing_else_is_told(openai_server: OpenAIServer) -> None:
    engine = chat(openai_server, temperature=0.2, max_tokens=99)
    told = Decoding(beam_max_length=40), Decoding(inference=Inference.NUCLEUS), Decoding(inference=Inference.GREEDY)
    for decoding in told:
        as_told(engine, decoding).reply(PROMPT)
    whole = {"temperature": 0.2, "max_completion_tokens": 99}
    assert [sampled(body) for body in openai_server.bodies] == [
        {**whole, "max_completion_tokens": 40},
        {**whole, "top_p": 0.9},
        {"temperature": 0.0, "max_completion_tokens": 99},
    ]


def without_top_p(body: Body) -> Response:
    """A server that samples as it likes, and does not support schemas."""
    if "response_format" in body or "tools" in body:
        return refusal(400, "no response_format and no tools here")
    return refusal(400, "Unsupported parameter: 'top_p'", param="top_p") if "top_p" in body else completion("ok")


def test_what_a_server_refuses_one_decoding_no_other_sends_and_it_is_told_once(openai_server: OpenAIServer) -> None:
    notices: list[str] = []
    openai_server.answer(without_top_p)
    settings = ChatSettings(base_url=openai_server.url)
    engine = ChatEngine("openai:m", settings, on_notice=notices.append)
    one, two = (as_told(engine, Decoding(topp=share, temperature=0.5)) for share in (0.7, 0.8))
    assert [one.reply(PROMPT).text, two.reply(PROMPT).text, engine.reply(PROMPT).text] == ["ok"] * 3
    assert len(openai_server.requests) == 4 + 1 + 1  # two formats, top_p, and then one request each
    assert [sampled(body) for body in openai_server.bodies[-2:]] == [{"temperature": 0.5}, {}]
    assert (len(notices), engine.reply_format) == (3, None)
    assert sum("top_p" in notice for notice in notices) == 1


def test_a_temperature_that_no_chat_model_takes_is_refused(openai_server: OpenAIServer) -> None:
    with pytest.raises(SettingsError, match=r"5\.0 cannot be set as temperature"):
        as_told(chat(openai_server), Decoding(temperature=5.0))


def test_a_ready_model_keeps_its_own_parameters() -> None:
    with pytest.raises(SettingsError, match="keeps its own parameters"):
        as_told(ChatEngine(FakeListChatModel(responses=["a"])), Decoding(topp=0.5))


@pytest.fixture
def hollow(tmp_path: Path) -> GgufEngine:
    """Create a file with the header of a model for 4096 tokens, but without a model."""
    pytest.importorskip("xllamacpp")
    file = tmp_path / "x.gguf"
    file.write_bytes(gguf_files.model(4096))
    return GgufEngine(file)


@pytest.mark.parametrize(
    ("told", "sampling"),
    [
        ({"inference": "greedy"}, "max_tokens=1024 temperature=0 seed=0"),
        ({"topk": 3}, "max_tokens=1024 temperature=1 seed=0 top_k=3"),
        ({"topp": 0.8, "temperature": 0.5}, "max_tokens=1024 temperature=0.5 seed=0 top_p=0.8"),
        ({"inference": "nucleus"}, "max_tokens=1024 temperature=1 seed=0 top_p=0.9"),
        ({"temperature": 2.0}, "max_tokens=1024 temperature=2 seed=0"),
        ({"beam_max_length": 64}, "max_tokens=64 temperature=0 seed=0"),
    ],
)
def test_a_gguf_model_is_told_by_its_sampling(hollow: GgufEngine, told: dict[str, Any], sampling: str) -> None:
    other = as_told(hollow, Decoding(**told))
    assert traits_of(other).sampling == sampling
    assert (other.name, traits_of(hollow).sampling) == (hollow.name, "max_tokens=1024 temperature=0 seed=0")


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"beam_max_length": 4050}, "leaves no room for a prompt"),
        ({"temperature": 3.0}, r"3\.0 cannot be set as temperature"),
    ],
)
def test_a_gguf_model_cannot_be_told_everything(hollow: GgufEngine, told: dict[str, Any], why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        as_told(hollow, Decoding(**told))


def test_the_table_of_decoding_names_options_and_methods_that_there_are() -> None:
    table = data_file("decoding_table", "investigator.bb3")
    named = {option for engine in table["engines"].values() for options in engine.values() for option in options}
    methods = {method for row in table["methods"].values() for method in row}
    assert {*named, *table["methods"]} <= {*Decoding.model_fields, *Inference}
    assert methods <= set(Inference)
    assert set(table["engines"]) == {"extractive", "chat", "gguf", "transformers", "completions"}
