"""The parts that settings select, with a folder and without one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import investigator as package
from investigator import ScriptedEngine
from investigator.engines.grades import Grades
from investigator.engines.roles import Role
from investigator.records import Trust
from investigator.services.parts import Parts, open_embedder
from investigator.settings import load_settings

PICKED = {"SentenceTransformerEmbedder", "ExtractiveEngine", "open_engine", "FolderIndex", "Journal"}


def test_concrete_parts_are_picked_in_one_place() -> None:
    root = Path(package.__file__).parent
    callers = {
        file.relative_to(root).as_posix()
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PICKED
    }
    apart = {name for name in callers if not name.startswith("engines/")}
    # on a worker a shard has an index of its own, and a class of the method can be used by itself
    assert apart == {"services/parts.py", "cluster/building.py", "research/standalone.py"}


def test_the_settings_name_the_embedder_of_the_search_and_of_the_extractive_engine(tmp_path: Path) -> None:
    settings = load_settings(None, [f"embedder={tmp_path}/other"])
    parts = Parts(settings)
    assert open_embedder(settings.embedder).name == parts.embedder.name == f"{tmp_path}/other"
    assert parts.engine("extractive").name == f"extractive:{tmp_path}/other"


def test_notices_are_passed_on_once_or_go_to_who_asked_for_them() -> None:
    heard: list[str] = []
    waiting, listening = Parts(load_settings()), Parts(load_settings(), on_notice=heard.append)
    waiting.notify("it is late")
    listening.notify("it is early")
    assert [notice.text for notice in waiting.notices()] == ["it is late"]
    assert [*waiting.notices(), *listening.notices()] == []
    assert heard == ["it is early"]


def test_a_cross_encoder_that_the_settings_name_checks_in_place_of_the_model(tmp_path: Path) -> None:
    engine = ScriptedEngine("{}", name="large")
    named = Parts(load_settings(None, ["check.model=some/judge"])).engines(engine, None, tmp_path)
    assert (named[Role.CHECK].name, named[Role.ANSWER].name) == ("cross-encoder:some/judge", "large")
    off = Parts(load_settings(None, ["check.model=off"])).engines(engine, None, tmp_path)
    assert off[Role.CHECK] is engine


def test_the_finder_is_not_trusted_and_a_model_is_trusted_by_its_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    parts, model = Parts(load_settings()), ScriptedEngine("{}", name="large")
    assert parts.trust_of(Role.ASK, parts.extractive) is Trust.UNREAD
    assert parts.trust_of(Role.ASK, model) is Trust.UNGRADED
    Grades().keep("large", {Role.ASK: 0.9, Role.CHECK: 0.1})
    assert [parts.trust_of(role, model) for role in (Role.ASK, Role.CHECK)] == [Trust.PASSED, Trust.FAILED]
