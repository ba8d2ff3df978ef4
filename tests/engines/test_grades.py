"""The grades of models: kept in one file, and looked up for each role."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.grades import PASSES, Grades, trust_in
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEmbedder, ScriptedEngine
from investigator.errors import StoreError
from investigator.records import Trust


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "grades.json"


def test_a_model_passes_from_the_fixed_share_on_and_others_are_ungraded(file: Path) -> None:
    Grades(file).keep("openai:m", {Role.ASK: PASSES, Role.CHECK: PASSES - 0.01})
    grades = Grades(file)
    assert grades.trust_of("openai:m", Role.ASK) is Trust.PASSED
    assert grades.trust_of("openai:m", Role.CHECK) is Trust.FAILED
    assert grades.trust_of("openai:m", Role.ANSWER) is Trust.UNGRADED
    assert grades.trust_of("openai:n", Role.ASK) is Trust.UNGRADED


def test_a_new_grade_replaces_the_old_one_and_leaves_the_others(file: Path) -> None:
    grades = Grades(file)
    grades.keep("openai:m", {Role.ASK: 0.5, Role.CHECK: 1.0})
    grades.keep("openai:n", {Role.ASK: 0.1})
    grades.keep("openai:m", {Role.ASK: 0.9})
    assert [grades.trust_of("openai:m", role) for role in (Role.ASK, Role.CHECK)] == [Trust.PASSED, Trust.PASSED]
    assert grades.trust_of("openai:n", Role.ASK) is Trust.FAILED


def test_a_missing_or_damaged_file_holds_no_grades_and_can_be_written_anew(file: Path) -> None:
    grades = Grades(file)
    assert grades.trust_of("openai:m", Role.ASK) is Trust.UNGRADED
    file.parent.mkdir()
    file.write_text('{"shares": {"openai:m": {"ask": ', encoding="utf-8")
    assert grades.trust_of("openai:m", Role.ASK) is Trust.UNGRADED
    grades.keep("openai:m", {Role.ASK: 1.0})
    assert grades.trust_of("openai:m", Role.ASK) is Trust.PASSED


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match=r"cannot be stored in .*grades\.json"):
        Grades(tmp_path / "file" / "grades.json").keep("openai:m", {Role.ASK: 1.0})


def test_the_built_in_finder_does_not_read_whatever_its_grades(file: Path) -> None:
    finder, grades = ExtractiveEngine(ScriptedEmbedder()), Grades(file)
    grades.keep(finder.name, {Role.ASK: 1.0})
    grades.keep("scripted", {Role.ASK: 1.0})
    assert trust_in(finder, Role.ASK, grades) is Trust.UNREAD
    assert trust_in(ScriptedEngine([]), Role.ASK, grades) is Trust.PASSED
    assert trust_in(ScriptedEngine([]), Role.ANSWER, grades) is Trust.UNGRADED
