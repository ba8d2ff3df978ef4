"""Names are mapped to engines, also of other packages, and options to roles."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from openai_server import OpenAIServer

from investigator import Investigator, ScriptedEmbedder
from investigator.engines.base import Engine
from investigator.engines.catalogue import GROUP, EngineOptions, open_engine, parse_model_options
from investigator.engines.chat.models import ChatSettings
from investigator.engines.recorded import RecordedEngine
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import SettingsError


def no_extractive() -> Engine:
    raise AssertionError("the built-in engine was not asked for")


def test_one_name_serves_every_role_but_those_set_apart() -> None:
    models = parse_model_options(["ollama:llama3:8b", "answer=openai:gpt-4o", "ASK=extractive"])
    assert models.name_for(Role.ANSWER) == "openai:gpt-4o"
    assert models.name_for(Role.ASK) == "extractive"
    assert models.name_for(Role.PLAN) == "ollama:llama3:8b"
    assert {parse_model_options([]).name_for(role) for role in Role} == {"extractive"}


@pytest.mark.parametrize(
    "name",
    ["openai:gpt-4o", "ollama:llama3:8b", "gguf:C:\\models\\x.gguf", "gguf:/data/a=b/x.gguf", "openai:ft:gpt-4o=x"],
)
def test_colons_and_equal_signs_inside_a_name_stay_there(name: str) -> None:
    assert parse_model_options([name]).default == name
    assert parse_model_options([f"plan={name}"]).name_for(Role.PLAN) == name


@pytest.mark.parametrize(
    ("values", "message", "hint"),
    [
        (["writer=openai:gpt-4o"], "'writer' is not a role", "plan, ask, reflect, answer, check, chat"),
        ([""], "does not name a model", "provider:name"),
        (["  "], "does not name a model", "provider:name"),
        (["ask="], "does not name a model", "provider:name"),
        (["openai:a", "openai:b"], "two models for every role", "one of them"),
        (["ask=openai:a", "ask=openai:b"], "two models for the role ask", "one of them"),
    ],
)
def test_an_option_that_names_no_model_of_a_role_is_refused(values: list[str], message: str, hint: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        parse_model_options(values)
    assert hint in caught.value.hint


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


ROOT = Path(__file__).parents[2]

TOY = """
from investigator.errors import SettingsError
from investigator.records import Reply

class Toy:
    def __init__(self, name, options):
        self.name = f"toy:{name}"
        self.inner = options.extractive()
        options.on_notice(f"{self.name} is a toy")

    def reply(self, prompt):
        return self.inner.reply(prompt)

def broken(name, options):
    raise SettingsError(f"no toy {name}", hint="Buy one.")

def nothing(name, options):
    return None

NUMBER = 7
"""
ENTRY_POINTS = f"""[{GROUP}]
toy = toy_box.engine:Toy
broken-toy = toy_box.engine:broken
no-toy = toy_box.engine:nothing
number-toy = toy_box.engine:NUMBER
openai = toy_box.engine:Toy
gguf = toy_box.engine:Toy
"""


@pytest.fixture(autouse=True)
def toy_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a package with engines on the path, as an installer would."""
    site = tmp_path / "site"
    (site / "toy_box").mkdir(parents=True)
    (site / "toy_box" / "__init__.py").write_text("")
    (site / "toy_box" / "engine.py").write_text(TOY)
    metadata = site / "toy_box-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-box\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(site))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    (made / "harbour.md").write_text("# Harbour\n\nThe harbour of Vigo was dredged in 1997.\n", encoding="utf-8")
    return made


def extractive() -> ScriptedEngine:
    return ScriptedEngine("{}")


@pytest.mark.parametrize("model", ["toy:x", "toy_box.engine:Toy:x"])
def test_a_question_is_answered_by_the_engine_of_another_package(folder: Path, model: str) -> None:
    investigator = Investigator(folder, model=model, embedder=ScriptedEmbedder())
    assert investigator.engine_name == "toy:x"
    assert "1997" in investigator.ask("When was the harbour of Vigo dredged?").text


def test_an_engine_may_tell_the_user_something() -> None:
    notices: list[str] = []
    open_engine("toy:x", EngineOptions(extractive, on_notice=notices.append))
    assert notices == ["toy:x is a toy"]


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("broken-toy:x", "no toy x", "Buy one."),
        ("no-toy:x", "did not return an engine", "reply"),
        ("number-toy:x", "number-toy cannot be called", "options"),
        ("toy_box.engine:missing", "toy_box.engine:missing cannot be loaded", "installed"),
        ("tou:x", "tou", "Did you mean 'toy'?"),
        ("opnai:x", "opnai", "Did you mean 'openai'?"),
        ("llama3.2:latest", "unknown model provider 'llama3.2'", "provider:name"),
        ("nonsense", "nonsense", "broken-toy, chat, cohere"),
        ("extractive:large", "no model 'large'", "extractive"),
    ],
)
def test_what_cannot_be_opened_is_refused_with_what_to_do(name: str, message: str, hint: str) -> None:
    with pytest.raises(SettingsError, match=message) as refused:
        open_engine(name, EngineOptions(extractive))
    assert hint in refused.value.hint


def test_no_package_takes_a_name_of_ours() -> None:
    with pytest.raises(SettingsError, match=r"x\.gguf"):
        open_engine("gguf:x.gguf", EngineOptions(extractive))


def test_the_metadata_of_packages_is_not_read_for_names_of_ours() -> None:
    code = """
import importlib.metadata
def unwanted(**_): raise AssertionError("read")
import investigator.plugins
investigator.plugins.entry_points = unwanted
from investigator.engines.catalogue import open_engine
from investigator.engines.catalogue import EngineOptions
from investigator.engines.scripted import ScriptedEngine
open_engine("extractive", EngineOptions(lambda: ScriptedEngine("{}")))
try:
    open_engine("toy:x", EngineOptions(lambda: ScriptedEngine("{}")))
except AssertionError:
    print("read for others")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "read for others\n"
