"""Options with the prefix of a module, and the engines that support them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import gguf_files
import pytest
from chat_parts import PROMPT
from commands import command
from langchain_core.language_models import FakeListChatModel
from openai_server import Body, OpenAIServer, Response, completion, refusal

from investigator.bb3.decoding.applied import engine_with_decoding, method_of, updated_decoding
from investigator.bb3.decoding.options import (
    OptionValue,
    is_module_option,
    module_arguments,
    module_options,
    must_come_first,
)
from investigator.bb3.forms.prefix_form import PrefixOptions
from investigator.bb3.module_table import Weights
from investigator.bb3.records import Module
from investigator.engines.base import traits_of
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings
from investigator.engines.gguf.engine import GgufEngine
from investigator.errors import SettingsError
from investigator.language.lists import data_file
from investigator.records.decoding import OFF, Decoding, Inference


def decodings(options: dict[str, OptionValue], weights: Weights = Weights.LARGE) -> dict[Module, Decoding]:
    return {module: told.decoding for module, told in module_options(options, weights).items()}


@pytest.mark.parametrize("name", ["--srm-inference", "srm_inference", "srm-inference"])
def test_an_option_with_the_prefix_of_a_module_is_for_that_module_alone(name: str) -> None:
    changed, usual = decodings({name: "nucleus"}), decodings({})
    assert changed[Module.SRM].inference is Inference.NUCLEUS
    assert {module for module in Module if changed[module] != usual[module]} == {Module.SRM}


def test_an_option_without_prefix_is_for_all_and_yields_to_one_with_it() -> None:
    found = decodings({"temperature": "0.5", "srm_temperature": 0.9})
    assert found[Module.SRM].temperature == 0.9
    assert {found[module].temperature for module in Module if module is not Module.SRM} == {0.5}


def test_texts_of_a_command_line_become_numbers_and_switches() -> None:
    found = decodings({"srm_beam_size": "4", "srm_topp": "0.8", "srm_p_reset": "false"})[Module.SRM]
    assert (found.beam_size, found.topp, found.p_reset) == (4, 0.8, False)


def test_the_bound_of_all_prompts_is_not_the_one_of_a_module() -> None:
    found = module_options({"max_prompt_len": 60, "sgm_max_prompt_len": 30}, Weights.LARGE)
    assert found[Module.SGM].prompt.max_prompt_len == 30
    assert found[Module.SGM].prompt.max_total_len == 60
    assert found[Module.SRM].prompt.max_prompt_len is None


def test_models_without_fine_tuning_have_instructions_and_examples() -> None:
    raw, tuned = (module_options({}, weights)[Module.SDM].prompt for weights in (Weights.RAW, Weights.LARGE))
    assert (raw.include_prompt, raw.num_shots) == (True, -1)
    assert (tuned.include_prompt, tuned.num_shots) == (False, 0)
    assert module_options({"num_shots": 2}, Weights.RAW)[Module.SDM].prompt.num_shots == 2


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("srm_inferense", "srm_inference"),
        ("--srm-beam-siz", "srm_beam_size"),
        ("sdn_inference", "sdm_inference"),
        ("srm_top_p", "srm_topp"),
    ],
)
def test_an_unknown_option_is_an_error_with_the_name_that_is_near(name: str, near: str) -> None:
    assert not is_module_option(name)
    with pytest.raises(SettingsError, match=rf"unknown option {name}; did you mean .*\b{near}\b"):
        module_options({name: 1}, Weights.LARGE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("srm_inference", "telepathy"),
        ("srm_beam_size", 0),
        ("srm_topp", "much"),
        ("temperature", -1),
        ("num_shots", -5),
    ],
)
def test_a_value_without_meaning_is_an_error_that_names_option_and_value(name: str, value: OptionValue) -> None:
    with pytest.raises(SettingsError, match=rf"{value}.*{name.removeprefix('srm_')}"):
        module_options({name: value}, Weights.LARGE)


OWN = ("--search", "--user", "--model")


def test_engines_and_options_are_told_apart() -> None:
    told = module_arguments(
        ["--sdm-model", "gguf:/a/b=c.gguf", "--srm-inference=nucleus", "--srm_topp", "0.8", "--beam-max-length", "40"]
    )
    assert told.models == {Module.SDM: "gguf:/a/b=c.gguf"}
    assert told.decodings[Module.SRM] == Decoding(inference=Inference.NUCLEUS, topp=0.8, beam_max_length=40)
    assert told.decodings[Module.SDM].model_fields_set == {"beam_max_length"}
    assert told.about_prompts == ()


def test_options_about_prompts_are_known_by_name() -> None:
    told = module_arguments(["--srm-max-prompt-len", "100", "--include-prompt", "true", "--srm-topp", "0.8"])
    assert set(told.about_prompts) == {"srm_max_prompt_len", "include_prompt"}
    assert set(told.decodings) == {Module.SRM}


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("--srm-topq", "srm_topp"),
        ("--smr-topp", "srm_topp"),
        ("--serach", "--search"),
        ("--usre", "--user"),
        ("--modle", "--model"),
        ("--srm-beam-sise=3", "srm_beam_size"),
    ],
)
def test_an_unknown_option_names_a_near_one(typed: str, near: str) -> None:
    with pytest.raises(SettingsError, match="unknown option") as caught:
        module_arguments([typed, "1"], OWN)
    assert f"did you mean {near}" in caught.value.message


@pytest.mark.parametrize(
    "typed",
    [["--srm-topp"], ["--srm-topp", "7"], ["--srm-inference", "magic"], ["word"], ["--sdm-model"], ["--xyzzy", "1"]],
)
def test_what_makes_no_sense_is_refused(typed: list[str]) -> None:
    with pytest.raises(SettingsError):
        module_arguments(typed, OWN)


def test_an_option_near_to_none_gets_a_short_hint_with_where_to_see_them_all() -> None:
    with pytest.raises(SettingsError, match=r"unknown option --banana$") as caught:
        module_arguments(["--banana", "1"], OWN)
    assert "--help" in caught.value.hint
    assert "investigator dialogue module --help" in caught.value.hint
    assert len(caught.value.hint) < 120


def test_the_help_of_the_module_command_lists_every_option_of_modules() -> None:
    shown = set(command("dialogue", "module", "--help").stdout.replace(",", " ").replace(".", " ").split())
    assert shown >= {*PrefixOptions.model_fields, *Decoding.model_fields}


def test_the_folder_stands_before_the_options_of_modules() -> None:
    must_come_first("folder", "the folder")
    with pytest.raises(SettingsError, match="expected the folder, found --srm-topp"):
        must_come_first("--srm-topp", "the folder")


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
    assert method_of(Decoding(**told), own) is method


def test_what_is_not_told_stays() -> None:
    own = Decoding(inference=Inference.NUCLEUS, topp=0.6, beam_max_length=512, stop_token="")
    found = updated_decoding(own, Decoding(temperature=0.5, beam_min_length=3))
    assert found == own.changed(temperature=0.5, beam_min_length=3)
    assert updated_decoding(own, Decoding()) == own
    assert updated_decoding(own, Decoding(inference=Inference.FACTUAL_NUCLEUS)).topp == 0.6


def test_a_temperature_alone_draws_from_all_tokens() -> None:
    found = updated_decoding(Decoding(), Decoding(temperature=0.5))
    assert (found.inference, found.topp, found.temperature) == (Inference.NUCLEUS, OFF, 0.5)


One = TypeVar("One", ChatEngine, GgufEngine)


def with_decoding(engine: One, decoding: Decoding) -> One:
    made = engine_with_decoding(engine, decoding)
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
    other = with_decoding(engine, Decoding(**told))
    other.reply(PROMPT)
    engine.reply(PROMPT)
    assert [sampled(body) for body in openai_server.bodies] == [sent, {}]
    assert other.name == engine.name
    assert (traits_of(other).sampling == traits_of(engine).sampling) is (not sent)


def test_the_settings_of_a_chat_model_hold_where_nothing_else_is_told(openai_server: OpenAIServer) -> None:
    engine = chat(openai_server, temperature=0.2, max_tokens=99)
    told = Decoding(beam_max_length=40), Decoding(inference=Inference.NUCLEUS), Decoding(inference=Inference.GREEDY)
    for decoding in told:
        with_decoding(engine, decoding).reply(PROMPT)
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
    one, two = (with_decoding(engine, Decoding(topp=share, temperature=0.5)) for share in (0.7, 0.8))
    assert [one.reply(PROMPT).text, two.reply(PROMPT).text, engine.reply(PROMPT).text] == ["ok"] * 3
    assert len(openai_server.requests) == 4 + 1 + 1  # two formats, top_p, and then one request each
    assert [sampled(body) for body in openai_server.bodies[-2:]] == [{"temperature": 0.5}, {}]
    assert (len(notices), engine.reply_format) == (3, None)
    assert sum("top_p" in notice for notice in notices) == 1


def test_a_temperature_that_no_chat_model_takes_is_refused(openai_server: OpenAIServer) -> None:
    with pytest.raises(SettingsError, match=r"5\.0 is not a valid value of the option temperature"):
        with_decoding(chat(openai_server), Decoding(temperature=5.0))


def test_a_ready_model_keeps_its_own_parameters() -> None:
    with pytest.raises(SettingsError, match="keeps its own parameters"):
        with_decoding(ChatEngine(FakeListChatModel(responses=["a"])), Decoding(topp=0.5))


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
def test_a_gguf_model_is_told_by_its_settings(hollow: GgufEngine, told: dict[str, Any], sampling: str) -> None:
    other = with_decoding(hollow, Decoding(**told))
    assert traits_of(other).sampling == sampling
    assert (other.name, traits_of(hollow).sampling) == (hollow.name, "max_tokens=1024 temperature=0 seed=0")


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"beam_max_length": 4050}, "leaves no room for a prompt"),
        ({"temperature": 3.0}, r"3\.0 is not a valid value of the option temperature"),
    ],
)
def test_a_gguf_model_cannot_be_told_everything(hollow: GgufEngine, told: dict[str, Any], why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        with_decoding(hollow, Decoding(**told))


def test_the_table_of_decoding_names_options_and_methods_that_there_are() -> None:
    table = data_file("decoding_table", "investigator.bb3")
    named = {option for engine in table["engines"].values() for options in engine.values() for option in options}
    methods = {method for row in table["methods"].values() for method in row}
    assert {*named, *table["methods"]} <= {*Decoding.model_fields, *Inference}
    assert methods <= set(Inference)
    assert set(table["engines"]) == {"extractive", "chat", "gguf", "transformers", "completions"}
