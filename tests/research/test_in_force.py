"""An answer is what is valid at the requested time, and not what a later statement has replaced."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from investigator import Investigator
from investigator.records import AnswerStatus, Claim, Decision, Part, Quote, QuotedCell
from investigator.research.in_force import not_overtaken
from investigator.research.verdict import Verdict

OfTexts = Callable[..., Investigator]

MINUTES = """Minutes of the board, 12 March 2026

Present: Marta Olsen (chair), Pieter Vos (treasurer), Aisha Rahman (secretary).

The monthly fee stays at EUR 3.20 per square metre until 31 December 2026.
"""
LATER = """Minutes of the board, 18 June 2026

Present: Marta Olsen (chair), Aisha Rahman (secretary), Helga Nyman (member).

The decision on the monthly fee is changed: from 1 September 2026 the monthly fee is EUR 3.55 per square metre.

Pieter Vos resigns as treasurer on 30 June 2026. Helga Nyman takes over as treasurer from 1 July 2026.
"""


@pytest.fixture(scope="module")
def board(of_texts: OfTexts) -> Investigator:
    return of_texts({"march.md": MINUTES, "june.md": LATER}, embedder=None)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who is the treasurer?", "Helga Nyman takes over"),
        ("Who was treasurer in May 2026?", "Pieter Vos resigns"),
        ("What will the monthly fee be in October 2026?", "EUR 3.55"),
        ("What will the monthly fee be in July 2026?", "EUR 3.20"),
    ],
)
def test_only_what_holds_at_the_asked_time_is_the_answer(board: Investigator, question: str, words: str) -> None:
    answer = board.ask(question)
    assert (answer.status, len(answer.claims)) == (AnswerStatus.ANSWERED, 1)
    assert words in answer.claims[0].text


def test_values_of_several_times_are_a_conflict_if_no_time_is_asked_for(board: Investigator) -> None:
    assert board.ask("What is the monthly fee?").status is AnswerStatus.CONFLICTING


def test_nobody_holds_a_role_that_somebody_else_took_over(of_texts: OfTexts) -> None:
    texts = {
        "lease.txt": "Lease of 2015\n\nSigned for the Club: Ruth Okon, treasurer\n",
        "agm.txt": "Minutes of 2024\n\nHamish Boyd was elected treasurer, taking over from Ruth Okon.\n",
    }
    club = of_texts(texts, embedder=None)
    assert club.ask("Is Ruth Okon the treasurer?").decision is None
    assert club.ask("Is Hamish Boyd the treasurer?").decision is Decision.YES


def test_who_is_it_now_comes_before_who_it_was(of_texts: OfTexts) -> None:
    texts = {
        "contract.txt": "Contract\n\n9. Contact persons: Ida Berg for the Mill, Ole Fry for the Inn.\n",
        "change.txt": "Amendment\n\nThe contact person for the Inn is now Odile Renard.\n",
    }
    answer = of_texts(texts, embedder=None).ask("Who is our contact for the Inn now?")
    assert [claim.text for claim in answer.claims] == ["The contact person for the Inn is now Odile Renard."]


def test_a_cell_is_not_overtaken_by_one_with_a_date_in_its_header() -> None:
    cells = [
        QuotedCell(start=0, end=1, value="7", row=("Total",), column=("Shares purchased",)),
        QuotedCell(start=0, end=1, value="9", row=("Stock",), column=("Three Months Ended June 25, 2022",)),
    ]
    place = {"document_id": "a.md", "page": None, "line": 1, "start": 0, "end": 1, "text": "x", "source_hash": "h"}
    quotes = [Quote(**place, cell=cell) for cell in cells]
    claims = tuple(Claim(text=quote.said, quotes=(quote,)) for quote in quotes)
    part = Part(question="How many shares were purchased in the three months ended June 25, 2022?")
    found = Verdict(AnswerStatus.ANSWERED, claims, parts=((part, None),))
    library = SimpleNamespace(document={}.__getitem__)
    assert not_overtaken(found, (), library).claims == claims


@pytest.fixture(scope="module")
def hall(of_texts: OfTexts) -> Investigator:
    texts = {
        "hire.md": "# Hall hire, 10 January 2022\n\nThe monthly fee is 450 euros.\n",
        "amendment.md": (
            "# Amendment to the hall hire, 5 February 2024\n\nFrom 1 March 2024 the monthly fee is 480 euros.\n"
        ),
        "deposits.md": "# Deposits\n\nOld deposit (until 31 December 2023): 30 euros\nCurrent deposit: 36 euros\n",
        "minutes.md": "# Minutes of the hall committee, 2 May 2023\n\nIn the first quarter there were 14 concerts.\n",
    }
    return of_texts(texts, embedder=None)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the current monthly fee?", "480 euros"),
        ("What is the current deposit?", "36 euros"),
        ("What is the deposit?", "36 euros"),
        ("What was the old deposit?", "30 euros"),
        ("How many concerts were there in the first quarter of 2023?", "14 concerts"),
    ],
)
def test_what_is_superseded_is_not_current(hall: Investigator, question: str, words: str) -> None:
    answer = hall.ask(question)
    assert (answer.status, len(answer.claims)) == (AnswerStatus.ANSWERED, 1)
    assert words in answer.claims[0].text


def test_a_quarter_without_a_year_is_one_of_the_year_of_its_minutes(hall: Investigator) -> None:
    for year in (2021, 2022, 2024):
        question = f"How many concerts were there in the first quarter of {year}?"
        assert hall.ask(question).status is not AnswerStatus.ANSWERED


def _rules(year: int, quorum: int, fee: int, ending: str) -> str:
    return (
        f"# Rules of Marlow Allotment Society ({year})\n\n## 1. Fees\nPlot holders pay a yearly rent of £{fee}.\n\n"
        f"## 2. Meetings\nThe quorum of a general meeting is {quorum} plot holders.\n\n{ending}\n"
    )


@pytest.fixture(scope="module")
def allotments(of_texts: OfTexts) -> Investigator:
    texts = {
        "rules-2018.md": _rules(2018, 12, 60, "Adopted on 3 May 2018."),
        "rules-2022.md": _rules(2022, 15, 75, "These rules replace the rules of 2018."),
        "show.csv": "Grower,Class A,Class B,Total\nIvy Lang,3,4,7\nSaul Reed,5,4,9\n",
        "lease.txt": "GROUND LEASE\n\nLandlord: Marlow Town Council\nTenant: Marlow Allotment Society\n"
        "Yearly rent: GBP 900\nGoverning law: Scotland\n\nSigned for the tenant: Ivy Lang\n",
        "change.txt": "CHANGE TO THE GROUND LEASE\n\nDate: 4 May 2023\n\n1. From 1 June 2023 the yearly rent of the "
        "ground lease is GBP 950 instead of GBP 900.\n\nSigned: Ivy Lang (Marlow Allotment Society)\n",
    }
    return of_texts(texts, embedder=None)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the quorum?", "15 plot holders"),
        ("How many plot holders are the quorum of a general meeting?", "15 plot holders"),
        ("What yearly rent do plot holders pay?", "£75"),
    ],
)
def test_a_document_that_says_what_it_replaces_is_the_only_answer(
    allotments: Investigator, question: str, words: str
) -> None:
    answer = allotments.ask(question)
    assert (answer.status, len(answer.claims), answer.conflicts) == (AnswerStatus.ANSWERED, 1, ())
    assert words in answer.claims[0].text
    assert "rules-2022.md says that it replaces rules-2018.md" in answer.reason


def test_a_question_about_the_past_keeps_what_was_replaced_behind_what_is_in_force(allotments: Investigator) -> None:
    answer = allotments.ask("What was the quorum?")
    assert [claim.quotes[0].document_id for claim in answer.claims] == ["rules-2022.md", "rules-2018.md"]


@pytest.mark.parametrize(
    "question",
    [
        "How many points did Saul Reed have in total?",
        "What is the governing law of the ground lease?",
        "How many votes did Ivy Lang get?",
        "What is the yearly rent of the ground lease from June 2023?",
        "What is the deposit of the ground lease?",
    ],
)
def test_no_disagreement_about_another_thing_or_a_replaced_value_is_shown(
    allotments: Investigator, question: str
) -> None:
    answer = allotments.ask(question)
    assert answer.status is not AnswerStatus.CONFLICTING
    assert answer.conflicts == ()


def test_a_newer_edition_takes_the_place_of_an_older_statement(of_texts: OfTexts) -> None:
    common = "Medicines policy\n\nEvery dose is entered on form M1."
    older, newer = "Inhalers are kept on the hook by the door.", "Inhalers go in the yellow bag."
    folder = of_texts({"policy_2020.txt": f"{common}\n{older}\n", "policy_2024.txt": f"{common}\n{newer}\n"})
    answer = folder.ask("Where are the inhalers kept?")
    assert answer.status is AnswerStatus.PASSAGES_FOUND
    assert "policy_2024.txt is newer than policy_2020.txt" in answer.reason
    assert folder.ask("What is entered on form M1?").status is AnswerStatus.ANSWERED


def test_minutes_and_logs_take_no_other_document_s_place(of_texts: OfTexts) -> None:
    texts = {
        "minutes_2023.txt": "Minutes\n\nThe keys are kept in the office on the shelf.\n",
        "minutes_2024.txt": "Minutes\n\nThe roof was mended.\n",
    }
    assert of_texts(texts).ask("Where are the keys kept?").status is AnswerStatus.ANSWERED
    texts = {
        "rules_2023.txt": "Elm Lane Nursery: rules of 2023\n\nThe keys are kept in the office on the shelf.\n",
        "log_2024.txt": "Elm Lane Nursery: log of 2024\n\nThe roof was mended.\n",
    }
    assert of_texts(texts).ask("Where are the keys kept?").status is AnswerStatus.ANSWERED


def test_a_statement_that_a_value_changes_comes_first(of_texts: OfTexts) -> None:
    change = "The day rate for the hall goes from 1.50 to 1.80 per person from 1 April."
    texts = {
        "rules_2024.txt": "Rules for the hall\n\nThe day rate for the hall is 1.50 per person.\n",
        "notes.txt": f"Committee notes 2025-02-11\n\n{change}\n",
    }
    answer = of_texts(texts).ask("What is the day rate for the hall?")
    assert answer.claims[0].text == change
    assert "notes.txt changes 1.50 to 1.80" in answer.reason
