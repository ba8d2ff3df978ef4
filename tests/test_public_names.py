"""The names that others import from the package: none may go, and a new one is a promise."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any

import pytest

import investigator

PUBLIC_NAMES = [
    "Answer",
    "AnswerStatus",
    "Claim",
    "Coverage",
    "Embedder",
    "Engine",
    "Event",
    "HistorySelector",
    "Investigation",
    "Investigator",
    "InvestigatorError",
    "Memory",
    "MemoryStream",
    "Plan",
    "PlanStep",
    "Planner",
    "Query",
    "Quote",
    "Reflection",
    "RunError",
    "RunOptions",
    "ScriptedEmbedder",
    "ScriptedEngine",
    "Settings",
    "Status",
    "StopReason",
    "TacticalPlanning",
    "UserError",
    "load_settings",
]


def test_the_public_names_are_these() -> None:
    assert sorted(investigator.__all__) == sorted(PUBLIC_NAMES) == sorted(dir(investigator))


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_a_public_name_is_that_of_what_it_loads(name: str) -> None:
    assert getattr(getattr(investigator, name), "__name__", name) == name


def test_the_version_is_that_of_the_installed_distribution() -> None:
    assert investigator.__version__ == importlib.metadata.version("document-investigator")


@pytest.mark.parametrize(
    ("wrong", "called"),
    [
        ({"folder": None}, "the folder is of type NoneType"),
        ({"settings": {"method": {"rounds": 2}}}, "the settings are of type dict"),
        ({"workspace": 3}, "the workspace is of type int"),
        ({"prompts": 3}, "the prompts folder is of type int"),
        ({"model": 3}, "the model is of type int"),
    ],
)
def test_a_value_of_a_wrong_type_is_an_error_of_ours(wrong: dict[str, Any], called: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The rent is 5 dollars.", encoding="utf-8")
    with pytest.raises(investigator.UserError, match=called) as caught:
        investigator.Investigator(**{"folder": tmp_path, **wrong})
    assert caught.value.hint


@pytest.mark.parametrize("question", [None, 3, ["What is the rent?"]])
def test_a_question_that_is_no_text_is_an_error_of_ours(question: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The rent is 5 dollars.", encoding="utf-8")
    with pytest.raises(investigator.UserError, match="not text"):
        investigator.Investigator(tmp_path).ask(question)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Investigater"):
        _ = investigator.Investigater
