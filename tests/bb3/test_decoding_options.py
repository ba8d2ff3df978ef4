"""Options with the prefix of a module, and the engines that support them."""

from __future__ import annotations

import pytest
from commands import command

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
from investigator.errors import SettingsError
from investigator.records.decoding import Decoding, Inference


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
