"""Names are mapped to engines, and options to roles."""

from __future__ import annotations

from pathlib import Path

import pytest
from openai_server import OpenAIServer

from investigator.engines.base import Engine
from investigator.engines.catalogue import EngineOptions, ModelNames, open_engine, parse_model_options
from investigator.engines.chat.models import ChatSettings
from investigator.engines.recorded import RecordedEngine
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import SettingsError


def no_extractive() -> Engine:
    raise AssertionError("the built-in engine was not asked for")


def test_without_options_every_role_has_the_embedded_default() -> None:
    models = parse_model_options([])
    assert {models.name_for(role) for role in Role} == {"extractive"}


def test_one_name_serves_every_role_but_those_set_apart() -> None:
    models = parse_model_options(["ollama:llama3:8b", "answer=openai:gpt-4o", "ASK=extractive"])
    assert models.name_for(Role.ANSWER) == "openai:gpt-4o"
    assert models.name_for(Role.ASK) == "extractive"
    assert models.name_for(Role.PLAN) == "ollama:llama3:8b"


@pytest.mark.parametrize(
    "name",
    ["openai:gpt-4o", "ollama:llama3:8b", "gguf:C:\\models\\x.gguf", "gguf:/data/a=b/x.gguf", "openai:ft:gpt-4o=x"],
)
def test_colons_and_equal_signs_inside_a_name_stay_there(name: str) -> None:
    assert parse_model_options([name]).default == name
    assert parse_model_options([f"plan={name}"]).name_for(Role.PLAN) == name


def test_an_unknown_role_lists_the_roles() -> None:
    with pytest.raises(SettingsError, match="'writer' is not a role") as caught:
        parse_model_options(["writer=openai:gpt-4o"])
    assert "plan, ask, reflect, answer, check, chat" in caught.value.hint


@pytest.mark.parametrize("value", ["", "  ", "ask="])
def test_an_option_without_a_model_is_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="does not name a model"):
        parse_model_options([value])


@pytest.mark.parametrize("values", [["openai:a", "openai:b"], ["ask=openai:a", "ask=openai:b"]])
def test_two_models_for_one_thing_are_refused(values: list[str]) -> None:
    with pytest.raises(SettingsError, match="two models"):
        parse_model_options(values)


def test_models_travel_as_json() -> None:
    models = parse_model_options(["openai:a", "ask=openai:b"])
    assert ModelNames.model_validate_json(models.model_dump_json()) == models


def test_each_name_opens_its_engine(tmp_path: Path, openai_server: OpenAIServer) -> None:
    script = tmp_path / "script.json"
    script.write_text("{}", encoding="utf-8")
    recording = tmp_path / "run.jsonl"
    RecordedEngine(recording, ScriptedEngine([], name="who"))
    embedded = ScriptedEngine([])
    assert open_engine("extractive", EngineOptions(lambda: embedded)) is embedded
    assert open_engine(f"scripted:{script}", EngineOptions(no_extractive)).name == "scripted:script.json"
    assert open_engine(f"recorded:{recording}", EngineOptions(no_extractive)).name == "who"
    chat = open_engine("openai:m", EngineOptions(no_extractive, chat=ChatSettings(base_url=openai_server.url)))
    assert chat.name.startswith("openai:m@127.0.0.1:")


@pytest.mark.parametrize("name", ["gguf:", "scripted:", "recorded:", "nonsense", ""])
def test_a_name_that_opens_nothing_is_a_setting_to_correct(name: str) -> None:
    with pytest.raises(SettingsError):
        open_engine(name, EngineOptions(no_extractive))
