"""A follow-up question is completed from the subjects of earlier questions."""

from __future__ import annotations

import pytest

from investigator.questions.following import EarlierQuestion, completed

TRIAL = EarlierQuestion("How many children of the Gambia trial carried gametocytes?", ("gambia_trial.txt",))


def test_a_question_without_a_name_of_its_own_takes_up_that_of_the_last_one() -> None:
    asked = completed("Was the difference significant?", [TRIAL])
    assert asked.startswith("Was the difference significant? (")
    assert "Gambia" in asked
    assert "gametocytes" in asked


def test_what_was_carried_over_is_carried_further() -> None:
    second = EarlierQuestion(completed("Was the difference significant?", [TRIAL]), TRIAL.documents)
    assert "Gambia" in completed("Who funded the study?", [second])


def test_a_question_that_names_something_itself_stays_as_it_is() -> None:
    asked = "How many people live in the city of Hamburg on the river Elbe?"
    assert completed(asked, [TRIAL]) == asked


def test_a_question_for_documents_is_not_limited_to_the_last_one() -> None:
    assert completed("Which documents mention a deposit?", [TRIAL]) == "Which documents mention a deposit?"


@pytest.mark.parametrize(
    ("before", "said", "asked"),
    [
        ("What was the premium in 2023?", "And in 2024?", "What was the premium in 2024?"),
        ("What is the rent?", "what about 2025", "What is the rent 2025?"),
        ("What was the premium in 2024?", "And the excess?", "What was the excess in 2024?"),
        ("How much is the main hall per hour?", "How about the small room?", "How much is the small room per hour?"),
        ("What is the deposit for a canoe?", "And for the small tent?", "What is the deposit for the small tent?"),
        ("What is the hire of the small tent?", "and the deposit?", "What is the deposit of the small tent?"),
        ("Does Bram have a key?", "and Lena?", "Does Lena have a key?"),
        ("How much did Hallam Roofing ask for?", "And Bexley Builders?", "How much did Bexley Builders ask for?"),
    ],
)
def test_a_follow_up_that_changes_one_thing_asks_the_last_question_with_it(before: str, said: str, asked: str) -> None:
    assert completed(said, [EarlierQuestion(before, ("insurance_2023.txt",))]) == asked


def test_the_date_in_the_name_of_a_document_and_the_verb_of_the_last_question_are_not_carried_over() -> None:
    before = EarlierQuestion("Who leads the Scouts?", ("minutes_2024-11-20.md",))
    assert completed("And when do they meet?", [before]) == "And when do they meet? (Scouts; minutes)"


def test_a_follow_up_with_a_question_of_its_own_is_not_put_in_place_of_the_last_one() -> None:
    assert completed("And who paid for it?", [TRIAL]).startswith("And who paid for it? (")
