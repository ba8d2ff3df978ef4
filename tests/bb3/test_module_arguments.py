"""Options for single modules on the command line."""

from __future__ import annotations

import pytest
from commands import command

from investigator.bb3.commands.module_arguments import module_arguments, must_come_first
from investigator.bb3.forms.prefix_form import PrefixOptions
from investigator.bb3.records import Module
from investigator.errors import SettingsError
from investigator.records.decoding import Decoding, Inference

OWN = ("--search", "--user", "--model")


def test_engines_and_options_are_told_apart() -> None:
    told = module_arguments(
        ["--sdm-model", "gguf:/a/b=c.gguf", "--srm-inference=nucleus", "--srm_topp", "0.8", "--beam-max-length", "40"]
    )
    assert told.models == {Module.SDM: "gguf:/a/b=c.gguf"}
    assert told.decodings[Module.SRM] == Decoding(inference=Inference.NUCLEUS, topp=0.8, beam_max_length=40)
    assert told.decodings[Module.SDM].model_fields_set == {"beam_max_length"}
    assert told.about_prompts() == ()


def test_options_about_prompts_are_known_by_name() -> None:
    told = module_arguments(["--srm-max-prompt-len", "100", "--include-prompt", "true", "--srm-topp", "0.8"])
    assert set(told.about_prompts()) == {"srm_max_prompt_len", "include_prompt"}
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
    assert "investigator module --help" in caught.value.hint
    assert len(caught.value.hint) < 120


def test_the_help_of_the_module_command_lists_every_option_of_modules() -> None:
    shown = set(command("module", "--help").stdout.replace(",", " ").replace(".", " ").split())
    assert shown >= {*PrefixOptions.model_fields, *Decoding.model_fields}


def test_the_folder_stands_before_the_options_of_modules() -> None:
    must_come_first("folder", "the folder")
    with pytest.raises(SettingsError, match="expected the folder, found --srm-topp"):
        must_come_first("--srm-topp", "the folder")
