"""The names that others import from the package: none may be removed, and a new one is a commitment."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

import investigator
from investigator import Investigation, RunOptions, load_settings

PUBLIC_NAMES = [
    "Answer",
    "AnswerStatus",
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
    "Statement",
    "Status",
    "StopReason",
    "TacticalPlanning",
    "UserError",
    "load_settings",
]


def test_the_public_names_are_these() -> None:
    assert sorted(investigator.__all__) == sorted(PUBLIC_NAMES) == sorted(dir(investigator))


def test_a_public_name_is_that_of_what_it_loads() -> None:
    assert [getattr(getattr(investigator, name), "__name__", name) for name in PUBLIC_NAMES] == PUBLIC_NAMES


def test_the_version_is_that_of_the_installed_distribution() -> None:
    assert investigator.__version__ == importlib.metadata.version("document-investigator")


@pytest.mark.parametrize(
    ("wrong", "called"),
    [
        ({"folder": None}, "folder must be str or Path, not NoneType"),
        ({"settings": {"research": {"rounds": 2}}}, "settings must be Settings, not dict"),
        ({"workspace": 3}, "workspace must be str or Path, not int"),
        ({"prompts": 3}, "prompts must be str or Path, not int"),
        ({"model": 3}, "model must be a name or an engine, not int"),
        ({"model": [3]}, "each model must be str, not int"),
        ({"model": {}}, "no engine given for plan"),
        ({"callbacks": None}, "callbacks must be Sequence, not NoneType"),
        ({"joint": 3}, "joint must be Budget or None, not int"),
    ],
)
def test_a_value_of_a_wrong_type_is_an_error_of_ours(wrong: dict[str, Any], called: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The rent is 5 dollars.", encoding="utf-8")
    with pytest.raises(investigator.UserError, match=called) as caught:
        investigator.Investigator(**{"folder": tmp_path, **wrong})
    assert caught.value.hint


_WRONG_CALLS: tuple[tuple[Callable[[investigator.Investigator], object], str], ...] = (
    (lambda door: door.ask(cast(str, None)), "the question must be str, not NoneType"),
    (lambda door: door.ask(cast(str, ["What is the rent?"])), "the question must be str, not list"),
    (lambda door: door.ask("Rent?", mission=cast(str, 3)), "mission must be str or None, not int"),
    (lambda door: door.ask("Rent?", only="a.txt"), "only must be a list of documents, not one string"),
    (lambda door: door.ask("Rent?", fresh=cast(bool, "no")), "fresh must be bool, not str"),
    (lambda door: door.ask("Rent?", after=cast(str, 3)), "after must be str, not int"),
    (lambda door: door.investigate("Rent?", cast(RunOptions, {})), "options must be RunOptions, not dict"),
    (lambda door: door.forecast("Rent?", cast(RunOptions, None)), "options must be RunOptions, not NoneType"),
    (lambda door: door.matrix("Rent?"), "questions must be a list, not one string"),
    (lambda door: door.matrix(cast(Sequence[str], 3)), "questions must be Iterable, not int"),
    (lambda door: door.extract(cast(str, 3)), "the schema is not a JSON object"),
    (lambda door: door.extract('{"properties": {}}'), "the schema has no properties"),
    (lambda door: door.show(cast(str, 3)), "the id of the run must be str, not int"),
    (lambda door: door.search("rent", limit=cast(int, "3")), "limit must be int, not str"),
    (lambda door: door.search("rent", limit=0), "limit must be at least 1, not 0"),
    (lambda door: door.enclosures(cast(Investigation, {})), "investigation must be Investigation, not dict"),
    (lambda _: load_settings(cast(str, {})), "the settings file must be Path or str or None, not dict"),
    (lambda _: load_settings(None, "research.rounds=2"), "overrides must be a list, not a string"),
)


@pytest.mark.parametrize(("call", "said"), _WRONG_CALLS)
def test_a_call_with_a_wrong_type_is_an_error_of_ours(
    call: Callable[[investigator.Investigator], object], said: str, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("The rent is 5 dollars.", encoding="utf-8")
    with pytest.raises(investigator.InvestigatorError, match=said):
        call(investigator.Investigator(tmp_path))


def test_an_answer_names_its_run_and_what_it_cost(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The rent is 5 dollars.", encoding="utf-8")
    door = investigator.Investigator(tmp_path, embedder=investigator.ScriptedEmbedder())
    answer = door.ask("What is the rent?")
    assert door.show(answer.run.id).answer == door.show("last").answer == answer
    assert answer.run.usage == door.show("last").usage
    assert answer.run.usage.calls > 0
    assert answer.run.elapsed == door.show("last").elapsed


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Investigater"):
        _ = investigator.Investigater
