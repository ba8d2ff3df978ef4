"""A follow-up question in the Python API keeps to the subject of the previous run."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator import Investigator, RunOptions, ScriptedEmbedder
from investigator.errors import NotFoundError

TEXTS = {
    "gambia.txt": "The Gambia trial. Carriage of gametocytes fell to 8 percent. The difference was significant.",
    "lake.txt": "The lake survey. Depth was 78 metres at both stations. The difference was not significant.",
}


def test_a_follow_up_is_asked_with_the_question_before_it(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "folder" / name).write_text(text, encoding="utf-8")
    investigator = Investigator(tmp_path / "folder", embedder=ScriptedEmbedder(), workspace=tmp_path / "workspace")
    investigator.ask("How far did carriage of gametocytes fall in the Gambia trial?")
    answer = investigator.ask("Was the difference significant?", after="last")
    case = investigator.show(investigator.runs()[0].id)
    assert answer.question == case.question == "Was the difference significant?"
    assert "Gambia" in case.full_question
    assert "gambia.txt" in {quote.document_id for quote in answer.citations}
    investigator.ask("How far did carriage of gametocytes fall in the Gambia trial?")
    with investigator.opened() as measured:
        list(measured("How deep was the lake at both stations?", RunOptions()))
    assert "Gambia" in investigator.show("last").question  # kept from before, and asked last by the user
    with pytest.raises(NotFoundError):
        investigator.ask("Was it?", after="no such run")
