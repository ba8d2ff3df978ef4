"""Whole investigations with the recorded replies of a strong language model, replayed without any model.

The recordings are matched by template, document and ordinal, so a reworded prompt does not void them; every quote must
still stand in its document.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigator import Answer, Investigator, ScriptedEmbedder, load_settings
from tests.recordings import OUTCOMES, QUESTIONS, ROOT, options, outcome, recording

KEPT: dict[str, Any] = json.loads(OUTCOMES.read_text(encoding="utf-8"))
NAMES = [question["name"] for question in QUESTIONS]


@pytest.fixture(scope="session")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The place of one workspace for each folder, so that each is read once."""
    return tmp_path_factory.mktemp("workspaces")


def replayed(question: dict[str, Any], workspaces: Path) -> Answer:
    made = Investigator(
        ROOT / question["folder"],
        model=f"recorded:{recording(question)}",
        settings=load_settings(None, options(question)),
        workspace=workspaces / question["folder"].replace("/", "-"),
        embedder=ScriptedEmbedder(),
    )
    return made.ask(question["question"])


@pytest.mark.parametrize("question", QUESTIONS, ids=NAMES)
def test_a_recorded_investigation_comes_out_as_it_was_read(question: dict[str, Any], workspaces: Path) -> None:
    answer = replayed(question, workspaces)
    assert json.loads(json.dumps(outcome(answer))) == KEPT[question["name"]]


def test_the_recordings_show_answers_in_other_words_than_the_quotes() -> None:
    answered = [KEPT[name] for name in NAMES if KEPT[name]["status"] in ("answered", "answered_in_part")]
    supports = {support for one in answered for _, _, support, _ in one["statements"]}
    assert len(answered) >= 8
    assert "supported" in supports


def test_the_recordings_hold_silence_too() -> None:
    silent = {KEPT[name]["status"] for name in NAMES} & {"not_found", "not_found_so_far", "premise_wrong"}
    assert silent
