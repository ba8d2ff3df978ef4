"""Votes, and questions about anybody, are decided by what is said of the same people."""

from __future__ import annotations

import pytest

from investigator.questions.indefinite import about_anybody, with_anybody
from investigator.questions.votes import decision_of_vote
from investigator.records import Decision

BEFORE = "The council rejected the sale of the mill."


@pytest.mark.parametrize(
    ("question", "sentence", "decision"),
    [
        ("Did Ann Cole vote for the sale of the mill?", "Ann Cole abstained.", Decision.NO),
        ("Did Ann Cole vote against the sale of the mill?", "Ann Cole abstained.", Decision.NO),
        ("Did Ann Cole vote for the sale of the mill?", "Ann Cole voted against.", Decision.NO),
        ("Did Ann Cole vote against the sale of the mill?", "Ann Cole voted against.", Decision.YES),
        ("Did Ann Cole vote in favour of the sale of the mill?", "Ann Cole voted for it.", Decision.YES),
        ("Did Ben Dow vote for the sale of the mill?", "Ann Cole abstained.", None),
        ("Did Ann Cole vote for the sale of the barn?", "Ann Cole abstained.", None),
        ("Did Ann Cole vote for the sale of the mill?", "Ann Cole was absent.", None),
        ("Did Ann Cole vote for the sale of the mill?", "Ann Cole voted for it and Ben Dow abstained.", None),
    ],
)
def test_a_vote_is_decided_by_its_side_and_its_voter(question: str, sentence: str, decision: Decision | None) -> None:
    assert decision_of_vote(question, sentence, BEFORE) is decision


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Nobody was injured.", "anybody was not injured."),
        ("No one complained.", "anybody not complained."),
        ("Two visitors were injured.", "anybody were injured."),
        ("The driver was injured.", "The driver was injured."),
    ],
)
def test_nobody_and_a_number_of_people_are_about_anybody(sentence: str, said: str) -> None:
    assert about_anybody(sentence) == said


def test_only_an_indefinite_subject_is_anybody() -> None:
    assert with_anybody("Was anyone injured?") == "Was anybody injured?"
    assert with_anybody("Were people hurt?") == "Were anybody hurt?"
    assert with_anybody("Was the driver injured?") == ""
