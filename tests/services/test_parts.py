"""The parts that settings select, with a folder and without one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import investigator as package
from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.engines.embedding.embedders import DEFAULT_MODEL
from investigator.engines.roles import Role
from investigator.errors import SettingsError
from investigator.services.parts import Parts, open_embedder, standalone_client, standalone_library
from investigator.settings import load_settings

PICKED = {"SentenceTransformerEmbedder", "ExtractiveEngine", "open_engine", "KnownServers", "FolderIndex", "Journal"}


def test_concrete_parts_are_picked_in_one_place() -> None:
    root = Path(package.__file__).parent
    callers = {
        file.relative_to(root).as_posix()
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PICKED
    }
    apart = {name for name in callers if not name.startswith("engines/")}
    assert apart == {"services/parts.py", "cluster/building.py"}  # on a worker a shard has an index of its own


def test_the_settings_name_the_embedder_of_the_search_and_of_the_extractive_engine(tmp_path: Path) -> None:
    settings = load_settings(None, [f"embedder={tmp_path}/other"])
    parts = Parts(settings)
    assert open_embedder(settings).name == parts.embedder.name == f"{tmp_path}/other"
    assert parts.engine("extractive").name == f"extractive:{tmp_path}/other"


def test_notices_are_passed_on_once_or_go_to_who_asked_for_them() -> None:
    heard: list[str] = []
    waiting, listening = Parts(load_settings()), Parts(load_settings(), on_notice=heard.append)
    waiting.notify("it is late")
    listening.notify("it is early")
    assert [notice.text for notice in waiting.notices()] == ["it is late"]
    assert [*waiting.notices(), *listening.notices()] == []
    assert heard == ["it is early"]


def test_an_engine_without_a_price_is_refused_only_under_a_limit_of_money() -> None:
    engine = ScriptedEngine("{}", name="openai:unheard-of")
    Parts(load_settings()).check_prices([engine])
    with pytest.raises(SettingsError, match="openai:unheard-of"):
        Parts(load_settings(None, ["budget.money=1"])).check_prices([engine])


def test_a_part_of_the_method_finds_its_client_and_its_library_without_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("The mill burned down in 1907.", encoding="utf-8")
    with pytest.raises(SettingsError, match="no workspace"):
        standalone_library(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    investigator = Investigator(tmp_path, embedder=ScriptedEmbedder())
    for _ in investigator.index():
        pass
    assert standalone_library(investigator.workspace).document_ids() == ("a.txt",)
    assert standalone_client().name(Role.ASK).startswith(f"extractive:{DEFAULT_MODEL}@")
