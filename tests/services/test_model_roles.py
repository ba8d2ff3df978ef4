"""The engine of each role, and its record in the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator import ScriptedEngine
from investigator.engines.roles import Role
from investigator.errors import SettingsError
from investigator.records import Traits
from investigator.services.model_roles import engines_by_role, record_replies

EMBEDDED = ScriptedEngine("{}", name="embedded")
SMALL = ScriptedEngine("{}", name="small", traits=Traits(is_model=True))
LARGE = ScriptedEngine("{}", name="large", traits=Traits(is_model=True))
EVERY_ROLE = dict.fromkeys(Role, SMALL)


def test_an_engine_of_several_roles_is_opened_once() -> None:
    opened: list[str] = []

    def open_engine(name: str) -> ScriptedEngine:
        opened.append(name)
        return ScriptedEngine("{}", name=name)

    engines = engines_by_role(["a:one", "plan=b:two"], open_engine)
    assert sorted(opened) == ["a:one", "b:two"]
    assert (engines[Role.PLAN].name, engines[Role.ASK].name, engines[Role.CHECK].name) == ("b:two", "a:one", "a:one")


def test_a_recording_among_the_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="inside the folder of documents"):
        record_replies(EVERY_ROLE, tmp_path / "replies.jsonl", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_one_recording_holds_one_model_and_leaves_other_engines_alone(tmp_path: Path) -> None:
    file, folder = tmp_path / "replies.jsonl", tmp_path / "documents"
    around = record_replies({**EVERY_ROLE, Role.PLAN: EMBEDDED}, file, folder)
    assert (around[Role.PLAN], around[Role.ASK].name) == (EMBEDDED, "small")
    assert around[Role.ASK] is around[Role.ANSWER]
    with pytest.raises(SettingsError, match="several models"):
        record_replies({**EVERY_ROLE, Role.PLAN: LARGE}, file, folder)
