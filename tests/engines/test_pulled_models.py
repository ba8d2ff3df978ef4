"""Models are pulled from a hub, verified, resumed, and used by name. The hub is a server on loopback."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import gguf_files
import pytest
from forked import Ended, ForkServer
from hub_server import HubServer

from investigator.cli.model import models_text
from investigator.engines.catalogue import EngineOptions, open_engine
from investigator.engines.gguf.pulled import (
    ModelList,
    PulledModel,
    keep,
    pulled_models,
    recommended_models,
    remove_pulled,
)
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import SettingsError
from investigator.files import make_private_folder

REPO = "someone/Tiny-GGUF"
FILE = "tiny-q4.gguf"
MODEL = f"{REPO}:{FILE}"


@pytest.fixture
def hub() -> Iterator[HubServer]:
    server = HubServer(REPO, {FILE: gguf_files.model() + bytes(range(256)) * 100_000})
    yield server
    server.close()


Run = Callable[..., Ended]


@pytest.fixture(scope="module")
def forks() -> Iterator[ForkServer]:
    server = ForkServer("engines", "forked_command", os.environ)
    yield server
    server.close()


@pytest.fixture
def run(forks: ForkServer, hub: HubServer, tmp_path: Path) -> Run:
    """Run a command in a separate process, because huggingface_hub reads its environment when it is imported."""

    def ran(*words: str, **environment: str) -> Ended:
        variables = {
            "HF_ENDPOINT": hub.url,
            "HF_HUB_OFFLINE": "0",
            "HF_HOME": str(tmp_path / "hf"),
            "XDG_DATA_HOME": str(tmp_path),
            "HF_HUB_DOWNLOAD_TIMEOUT": "5",
        }
        return forks.run(words, tmp_path / "said", **(variables | environment))

    return ran


def listed(run: Run) -> list[dict[str, object]]:
    rows = json.loads(run("model", "list", "--json").output)["models"]
    return [row for row in rows if "size" in row]


def test_a_model_is_pulled_checked_listed_and_removed(run: Run, hub: HubServer, tmp_path: Path) -> None:
    done = run("model", "pull", MODEL)
    assert done.code == 0, done.complaints
    assert "--model tiny-q4" in done.complaints
    (model,) = listed(run)
    path = tmp_path / "investigator" / "models" / "tiny-q4" / FILE
    assert path.read_bytes() == hub.files[FILE]
    assert model["sha256"] == hashlib.sha256(hub.files[FILE]).hexdigest()
    assert (model["name"], model["licence"]) == ("tiny-q4", "apache-2.0")
    again = run("model", "pull", MODEL)
    assert again.code == 0, again.complaints
    assert len(hub.ranges) == 1  # what is there is not fetched again
    assert run("model", "remove", "tiny-q4").code == 0
    assert listed(run) == []
    assert not path.exists()


def test_a_download_that_breaks_is_resumed(run: Run, hub: HubServer) -> None:
    hub.cut = 15_000_000  # huggingface_hub writes ten megabytes at a time
    broken = run("model", "pull", MODEL)
    if broken.code == 0:  # huggingface_hub has gone on by itself
        assert any(range_ is not None for range_ in hub.ranges)
    else:
        assert "run the same command again" in broken.complaints.lower()
        hub.cut = None
        assert run("model", "pull", MODEL).code == 0
        assert hub.ranges[-1] is not None
    assert listed(run) != []


def test_a_file_with_another_checksum_is_deleted(run: Run, hub: HubServer, tmp_path: Path) -> None:
    data = hub.files[FILE]
    hub.lies = data[:-1] + b"X"
    done = run("model", "pull", MODEL)
    assert done.code == 1
    assert "is damaged" in done.complaints
    assert "it was deleted" in done.complaints
    assert listed(run) == []
    assert not (tmp_path / "investigator" / "models" / "tiny-q4" / FILE).exists()


@pytest.mark.parametrize(
    ("name", "environment", "complaint", "code"),
    [
        (MODEL, {"HF_ENDPOINT": "http://127.0.0.1:9"}, "the hub could not be reached", 1),
        ("someone/Nothing-GGUF:a.gguf", {}, "the hub has no someone/Nothing-GGUF", 1),
        (f"{REPO}:other.gguf", {}, "has no file other.gguf", 1),
        (MODEL, {"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE forbids downloads", 1),
        ("qwen", {}, "unknown model 'qwen'", 2),
    ],
)
def test_what_cannot_be_pulled_is_said_with_a_hint(
    run: Run, name: str, environment: dict[str, str], complaint: str, code: int
) -> None:
    done = run("model", "pull", name, **environment)
    assert done.code == code
    assert complaint in done.complaints
    assert "hint: " in done.complaints


def test_a_pulled_model_is_named_as_local_or_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(SettingsError, match="no model was pulled") as raised:
        open_engine("local", EngineOptions(lambda: ScriptedEngine("")))
    assert "investigator model pull" in raised.value.hint
    for day, name in enumerate(("older", "newer"), start=1):
        model = PulledModel(
            name=name,
            repo=REPO,
            file=f"{name}.gguf",
            commit="c",
            sha256="0" * 64,
            size=100,
            pulled=datetime(2026, 1, day, tzinfo=UTC),
        )
        make_private_folder(model.folder)
        model.path.write_bytes(gguf_files.model())
        keep(model)
    opened = {
        name: open_engine(name, EngineOptions(lambda: ScriptedEngine(""))).name
        for name in ("local", "local:older", "older")
    }
    assert opened["local"].startswith("gguf:newer.gguf@")
    assert opened["older"] == opened["local:older"]
    assert opened["older"].startswith("gguf:older.gguf@")
    with pytest.raises(SettingsError, match="'other'"):
        open_engine("local:other", EngineOptions(lambda: ScriptedEngine("")))
    assert remove_pulled("newer").name == "newer"
    assert [model.name for model in pulled_models()] == ["older"]


def test_the_recommended_models_are_whole_and_pin_nothing_that_was_not_seen() -> None:
    models = recommended_models()
    assert len({model.name for model in models}) == len(models) >= 3
    assert all(model.licence and model.file.endswith(".gguf") and model.measured for model in models)
    table = models_text(ModelList(models=models)).plain
    assert all(model.name in table for model in models)
    assert "not measured" in table
