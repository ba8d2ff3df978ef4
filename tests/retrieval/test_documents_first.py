"""Documents are ranked first: their properties decide which one is asked if their words are alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.retrieval.library import Library

FIRMS = {"BEST_BUY": "Best Buy Co., Inc.", "GENERALMILLS": "General Mills, Inc."}
QUARTERS = ("2022_Q3", "2022_Q4", "2023_Q1")
TEXT = (
    "# {firm}\n\nQuarterly report\n\n# Results\n\nNet sales rose on higher prices and volumes in all segments.\n\n"
    "# Liquidity\n\nCash from operations was used for dividends and the repurchase of shares.\n"
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("reports")
    for name, firm in FIRMS.items():
        for quarter in QUARTERS:
            (folder / f"{quarter}_{name}.md").write_text(TEXT.format(firm=firm), encoding="utf-8")
    (folder / "notes.txt").write_text("Net sales of Best Buy in Q3 2022: net sales, net sales.", encoding="utf-8")
    with Investigator(folder, embedder=ScriptedEmbedder()).library() as opened:
        yield opened


def first(library: Library, question: str) -> str:
    return library.cards((question,))[0].document_id


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("How did net sales of General Mills develop in Q3 2022?", "2022_Q3_GENERALMILLS.md"),
        ("How did net sales of General Mills develop in the fourth quarter of 2022?", "2022_Q4_GENERALMILLS.md"),
        ("What was cash used for at Best Buy in the first quarter of 2023?", "2023_Q1_BEST_BUY.md"),
        ("What was cash used for according to the latest report of Best Buy?", "2023_Q1_BEST_BUY.md"),
        ("What was cash used for according to the earliest report of General Mills?", "2022_Q3_GENERALMILLS.md"),
    ],
)
def test_the_firm_and_the_period_that_are_asked_for_decide(library: Library, question: str, document: str) -> None:
    assert first(library, question) == document
    assert all(0.0 <= card.match <= 1.0 for card in library.cards((question,)))


def test_the_texts_alone_could_not_have_told(library: Library) -> None:
    result = library.ranked("How did net sales of General Mills develop in Q3 2022?", 20)
    assert result[0].document_id == "notes.txt"


def test_a_firm_that_has_no_document_is_likely_nowhere(library: Library) -> None:
    known = library.cards(("What was cash of Best Buy used for in Q4 2022?",))[0]
    unknown = library.cards(("What was cash of Intel used for in Q4 2022?",))[0]
    assert known.match > unknown.match + 0.4


def test_a_search_of_the_folder_puts_the_passage_of_the_right_document_first(library: Library) -> None:
    question = "What was cash used for at General Mills in Q4 2022?"
    assert library.hits(question, 5)[0].passage.document_id == "2022_Q4_GENERALMILLS.md"
    passage = library.passages(question)[0]
    assert passage.document_id == "2022_Q4_GENERALMILLS.md"
    assert "dividends" in passage.text
    assert passage.document_match == library.cards((question,))[0].match


def test_scores_of_a_search_fall_from_first_to_last(library: Library) -> None:
    scores = [hit.passage.score for hit in library.hits("net sales of Best Buy in Q3 2022", 10)]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


def test_an_author_and_a_date_tell_a_document_too(tmp_path: Path) -> None:
    page = (
        '<html><head><title>Notes {n}</title><meta name="author" content="{a}"><meta name="date" content="{d}"></head>'
    )
    rows = (("1", "Anna Berg", "2019-03-01"), ("2", "Karl Maurer", "2021-03-01"), ("3", "Anna Berg", "2021-05-01"))
    for number, author, date in rows:
        text = (
            page.format(n=number, a=author, d=date) + "<body><p>The trial was repeated in the spring.</p></body></html>"
        )
        (tmp_path / f"{number}.html").write_text(text, encoding="utf-8")
    with Investigator(tmp_path, embedder=ScriptedEmbedder()).library() as library:
        assert first(library, "What did Maurer repeat?") == "2.html"
        assert {c.document_id for c in library.cards(("What did Berg repeat?",))[:2]} == {"1.html", "3.html"}


def test_a_file_of_one_word_does_not_change_the_chance_of_another_document(tmp_path: Path) -> None:
    chances = []
    for name in ("without", "with"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "report.md").write_text(
            "# Trial\n\nThe follow-up took 24 months and ended in June.\n", encoding="utf-8"
        )
        (folder / "lease.txt").write_text("The lease of the mill runs for five years.\n", encoding="utf-8")
        if name == "with":
            (folder / "word.txt").write_text("follow-up\n", encoding="utf-8")
        with Investigator(folder, embedder=ScriptedEmbedder()).library() as opened:
            standings = opened.standings("How long was the follow-up?")
        chances.append(next(entry.chance for entry in standings if entry.document_id == "report.md"))
    assert chances[1] == pytest.approx(chances[0], abs=0.1)
