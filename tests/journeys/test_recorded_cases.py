"""Questions about near-identical documents, replayed from the recorded replies of a strong language model."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.records import AnswerStatus

RECORDED = Path(__file__).parents[1] / "recorded"
CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
TURNS = [
    ("k1", "How much is a tyre change for the Kestrel 3?", "49 EUR"),
    ("k2", "What about a service?", "210 EUR"),
    ("k3", "And a windscreen replacement?", "380 EUR"),
    ("k4", "And for the Kestrel 5?", "455 EUR"),
]


def folder_of(case: str) -> Path:
    folder = CASES / case / "docs"
    if not folder.exists():
        pytest.skip("the handed inputs are not here")
    return folder


def recorded(folder: Path, name: str, workspace: Path) -> Investigator:
    return Investigator(
        folder, model=f"recorded:{RECORDED / name}.jsonl", workspace=workspace, embedder=ScriptedEmbedder()
    )


def test_a_list_over_near_identical_documents_names_exactly_those_that_belong(tmp_path: Path) -> None:
    answer = recorded(folder_of("12-near-duplicates"), "sites", tmp_path / "w").ask(
        "Which sites have no first-aid room?"
    )
    assert answer.status is AnswerStatus.ANSWERED
    assert {quote.document_id for quote in answer.citations} == {
        "site-02-askim.md",
        "site-18-kviberg.md",
        "site-28-torslanda.md",
    }
    assert all(name in answer.text for name in ("Askim", "Kviberg", "Torslanda"))


def test_follow_ups_about_things_that_differ_by_a_number_are_not_mixed(tmp_path: Path) -> None:
    folder, before = folder_of("11-follow-up"), ""
    for name, question, price in TURNS:
        answer = recorded(folder, name, tmp_path / "w").ask(question, after=before)
        assert (answer.status, answer.disagreements) == (AnswerStatus.ANSWERED, ())
        assert answer.lead is not None
        assert price in answer.lead.text
        assert {quote.document_id for quote in answer.citations} == {"kestrel-5.md" if name == "k4" else "kestrel-3.md"}
        before = answer.run.id
