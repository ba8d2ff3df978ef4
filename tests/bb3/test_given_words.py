"""A reply about documents states nothing in words that are in no quote."""

from __future__ import annotations

import pytest
from whole_quotes import whole_quote

from investigator.bb3.forms.proven_replies import is_told_in, resting_on

FOLLOW_UP = "The follow-up took 24 months and ended in June."
FUNDING = "The trial was funded by the German Research Foundation."
ASKED = "How long was the follow-up, and who paid?"


@pytest.mark.parametrize(
    "reply",
    [
        "The follow-up took 24 months.",
        "It ended in June.",
        "The follow-up lasted 24 months. The trial was funded by the German Research Foundation.",
        "Shall I look for more?",
        "The German Research Foundation paid.",
    ],
)
def test_words_of_the_quotes_and_of_the_conversation_may_be_said(reply: str) -> None:
    assert is_told_in(reply, [FOLLOW_UP, FUNDING, ASKED])


@pytest.mark.parametrize(
    "reply",
    [
        "The follow-up took 24 months. You should stop taking your medicine.",
        "The follow-up took 24 months. Everyone died.",
        "The trial was funded by Pfizer.",
        "It was secretly funded by the German Research Foundation.",
        "The German Research Foundation only funded the trial.",
        "The follow-up ended in July.",
        "The follow-up took less than 24 months.",
        "The follow-up ended because of fraud.",
    ],
)
def test_another_word_makes_another_statement(reply: str) -> None:
    assert not is_told_in(reply, [FOLLOW_UP, FUNDING, ASKED])


def test_a_reply_rests_on_the_quotes_that_its_words_come_from() -> None:
    both = (whole_quote(FUNDING), whole_quote(FOLLOW_UP))
    assert resting_on("The follow-up took 24 months.", both) == (both[1],)
    assert resting_on("It took 24 months, and the German Research Foundation paid.", both) == both
    assert resting_on("Hm.", both) == both
    assert resting_on("Hm.", ()) == ()
