"""Many questions to a folder as a whole share one index, and a question can be limited to some documents."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from power_plants import ALL, index, read, write_folder

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine, load_settings
from investigator.engines.base import Traits
from investigator.records import AskedQuestions, BatchEnded, Event, Notice

WEATHER = "How was the weather?"
MODEL = Traits(is_model=True, concurrency=4)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder and its index."""
    at = tmp_path_factory.mktemp("plants")
    folder = write_folder(at / "folder")
    return folder, index(folder, at / "workspace")


@pytest.fixture
def place(prepared: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    return prepared[0], shutil.copytree(prepared[1], tmp_path / "workspace")


def opened(place: tuple[Path, Path], *settings: str) -> tuple[Investigator, ScriptedEngine]:
    engine, chosen = ScriptedEngine(read, traits=MODEL), load_settings(None, settings)
    folder, workspace = place
    return Investigator(folder, model=engine, settings=chosen, workspace=workspace, embedder=ScriptedEmbedder()), engine


def ended(events: list[Event]) -> AskedQuestions:
    assert isinstance(events[-1], BatchEnded)
    assert isinstance(events[-1].outcome, AskedQuestions)
    return events[-1].outcome


def test_a_question_that_is_limited_to_a_document_is_answered_from_it_alone(place: tuple[Path, Path]) -> None:
    investigator, engine = opened(place)
    answer = investigator.ask(ALL, only=["birch.txt"])
    assert {quote.document_id for quote in answer.citations} == {"birch.txt"}
    assert answer.coverage.total == 1
    assert not any("alder" in prompt.text for prompt in engine.asked)
    (summary,) = investigator.runs()
    assert summary.scope == ("birch.txt",)
    assert investigator.replay(summary.id).same


def test_each_distinct_question_is_asked_once_and_kept(place: tuple[Path, Path]) -> None:
    investigator, _ = opened(place)
    batch = ended(list(investigator.investigate_all([ALL, WEATHER, f" {ALL} "])))
    assert [outcome.question for outcome in batch.outcomes] == [ALL, WEATHER]
    answers = [outcome.investigation.answer for outcome in batch.outcomes if outcome.investigation]
    assert len({quote.document_id for quote in answers[0].citations}) > 1
    assert answers[1].status.value.startswith("not_found")
    again, engine = opened(place)
    events = list(again.investigate_all([ALL, WEATHER]))
    assert engine.asked == []
    assert Notice(text="2 of 2 questions were answered earlier; their answers are kept.") in events


def test_a_ceiling_holds_over_all_questions_and_all_processes(place: tuple[Path, Path]) -> None:
    limited, engine = opened(place, "budget.calls=6")
    assert ended(list(limited.investigate_all([ALL, WEATHER]))).usage.calls == 6
    assert len(engine.asked) == 6
    again, engine = opened(place, "budget.calls=6")
    list(again.investigate_all([ALL, WEATHER]))
    assert engine.asked == []
