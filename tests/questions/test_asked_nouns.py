"""The noun that a question asks for, and statements that leave it open."""

from __future__ import annotations

import pytest

from investigator.questions.asked_nouns import asked_noun, lacks_asked_noun, lacks_member, leaves_which_open


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("Which studio did they record it in?", "studio"),
        ("What kind of camera was it filmed with?", "camera"),
        ("Which of the boats won?", "boats"),
        ("Which wall holds the mirror?", "wall"),
        ("In what year was it?", ""),
        ("What is the rent?", ""),
        ("Who won?", ""),
    ],
)
def test_the_noun_behind_which_or_what_is_asked_for(question: str, noun: str) -> None:
    assert asked_noun(question) == noun


@pytest.mark.parametrize(
    ("question", "sentence", "is_open"),
    [
        ("Which studio did they record the ballad in?", "The ballad was recorded in 1960.", True),
        ("Which studio did they record the ballad in?", "They recorded the ballad at RCA Studio B.", False),
        ("Which song did they record?", "They recorded Yellow Hill.", False),
        ("Which teacher recorded it?", "Ann Pell recorded it.", False),
    ],
)
def test_a_sentence_without_the_noun_leaves_it_open(question: str, sentence: str, is_open: bool) -> None:
    assert lacks_asked_noun(question, sentence) is is_open


@pytest.mark.parametrize(
    ("question", "sentence", "is_open"),
    [
        ("Who is on the committee?", "The committee chose Hallam Roofing.", True),
        ("Who is on the committee?", "Ruth Pell sits on our committee.", False),
        ("Who is on the committee?", "Members of the committee: Ruth Pell, Ian Foss.", False),
        ("Who chose the committee?", "The committee was chosen by Ann.", False),
    ],
)
def test_what_a_group_did_does_not_say_who_is_in_it(question: str, sentence: str, is_open: bool) -> None:
    assert lacks_member(question, sentence) is is_open


def test_a_mention_of_them_all_leaves_open_which() -> None:
    assert leaves_which_open("Which pods are free?", "Please clean the pods.")
    assert not leaves_which_open("Which pods are free?", "The pods with a view are free.")
