"""The names that others import from the package: none may go, and a new one is a promise."""

from __future__ import annotations

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


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Investigater"):
        _ = investigator.Investigater
