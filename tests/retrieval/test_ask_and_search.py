"""Without a model, `ask` shows what `search` finds, in whole lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import command

from investigator import Answer, Investigator

PRICES = "\n".join(
    f"Code: {number}; Item: {item}; Unit: piece; Price EUR: {number}.50; Supplier: Nordhav AS, Skagen; Minimum order: 1"
    for number, item in enumerate(("Shackle", "Cleat", "Fender", "Hatch", "Compass", "Winch", "Porthole", "Anode"), 11)
)
DIARY = """Yard diary, 2024
4 March. 5 on board. Mast down.
7 March. 3 on board. No work after lunch, power cut.
14 March. 2 on board. Compressor broken.
"""
OWN = ("--set", "embedder=all-MiniLM-L6-v2")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "yard"
    place.mkdir()
    (place / "prices_2024.txt").write_text(f"Skagen Boatyard: prices 2024\nValid from 1 May\n{PRICES}\n")
    (place / "diary.txt").write_text(DIARY)
    (place / "works.csv").write_text("No,Additional work,State\n1,Keel bolts,disputed\n2,Rudder,agreed\n")
    (place / "menu.txt").write_text("Soup of the day: leek and potato.\n")
    return place


def answer(folder: Path, question: str) -> Answer:
    found = Investigator(folder).ask(question)
    assert found.run.engine.startswith("extractive")
    return found


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What does a porthole cost in 2024?", PRICES.splitlines()[6]),
        ("Which additional work is disputed?", "No: 1; Additional work: Keel bolts; State: disputed"),
        ("When was the power cut?", DIARY.splitlines()[2]),
        ("When was the compressor broken?", DIARY.splitlines()[3]),
    ],
)
def test_the_first_passage_has_the_line_that_answers_whole(folder: Path, question: str, line: str) -> None:
    assert line in answer(folder, question).statements[0].quotes[0].text.splitlines()


def test_the_nearest_passages_are_those_of_a_search(folder: Path) -> None:
    question = "Which zebras vaccinated no donkey on board?"
    found = answer(folder, question)
    hits = Investigator(folder).search(question, limit=3)
    assert len(hits) == 3
    assert not found.statements
    assert found.nearest == tuple(hit.passage for hit in hits)


def test_words_that_no_document_contains_are_named(folder: Path) -> None:
    assert answer(folder, "Who vaccinates zebras?").reason.endswith(
        " No searched document contains: vaccinates, zebras."
    )
    shown = command("ask", folder, "What does a copper porthole cost in 2024?", *OWN).stdout
    assert "No searched document contains: copper, cost." in " ".join(shown.split())
    searched = command("search", folder, "apprentices of the yard", *OWN)
    assert searched.stderr.splitlines()[-1] == "no searched document contains: apprentices"
    assert "no searched document contains" not in command("search", folder, "the yard", *OWN).stderr
