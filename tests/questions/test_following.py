"""A follow-up question is completed from the subjects of earlier questions."""

from __future__ import annotations

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
