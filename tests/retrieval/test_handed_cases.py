"""Handed folders in which documents of the same name or subject must be told apart."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.records import DocumentCard, Imprint, SearchHit

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"


def cards_and_hits(case: str, question: str, tmp_path: Path) -> tuple[dict[str, DocumentCard], tuple[SearchHit, ...]]:
    """Return the cards of a case's documents by id, and what the search finds for a question."""
    if not (CASES / case).exists():
        pytest.skip("the handed inputs are not here")
    shutil.copytree(CASES / case / "docs", tmp_path / "docs")
    with Investigator(tmp_path / "docs", embedder=ScriptedEmbedder()).library() as library:
        return {card.document_id: card for card in library.cards((question,))}, library.hits(question, 4)


def test_a_question_about_two_years_finds_both_documents_of_the_same_name(tmp_path: Path) -> None:
    cards, hits = cards_and_hits("21-same-name", "What was the total in 2024 and in 2025?", tmp_path)
    passages = {hit.passage.document_id: hit.passage.text for hit in hits}
    assert "Total: 1,204.00 EUR" in passages["2024/invoice.pdf"]
    assert "Total: 1,318.40 EUR" in passages["2025/invoice.pdf"]
    assert {name: card.imprint.dated for name, card in cards.items()} == {
        "2024/invoice.pdf": "2024-02-14",
        "2025/invoice.pdf": "2025-02-12",
    }


def test_a_card_is_dated_by_the_last_change_and_states_nothing_that_the_document_does_not(tmp_path: Path) -> None:
    cards, hits = cards_and_hits("38-date-from-template", "What is the current fee for a passport photo?", tmp_path)
    assert {hit.passage.document_id for hit in hits} == {"fees-new.xlsx", "fees-old.xlsx"}
    assert {name: card.date for name, card in cards.items()} == {
        "fees-new.xlsx": "2025-03-03",  # the properties' last change; the template was made in 2011
        "fees-old.xlsx": "2019-05-21",
    }
    for card in cards.values():
        assert (card.title, card.headings) == ("Fees", ("Fees",))
        assert card.imprint == Imprint()  # no kind, organisation or period is stated on the sheets
