"""Wordings that ask the same by grammar."""

from __future__ import annotations

import pytest

from investigator.questions.equivalents import equivalents
from investigator.records import Part


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("Who audited the accounts?", "Who was the auditor of the accounts?"),
        ("Who owns the policy?", "Who is the owner of the policy?"),
        ("Who was the auditor of the accounts?", "Who audited the accounts?"),
        ("Who took part in the meeting?", "Who attended the meeting?"),
        ("How long does the lease last?", "How long does the lease run?"),
        ("How long did the strike last?", "How long is the term of the strike?"),
        ("Who is in charge of the orchard?", "Who is the orchard manager?"),
        ("Who leads pest control?", "Who is the pest control lead?"),
        ("Did the board decide to sell the barn?", "Did the board approve to sell the barn?"),
    ],
)
def test_a_question_has_another_wording(question: str, other: str) -> None:
    assert other in [part.question for part in equivalents(Part(question=question))]


@pytest.mark.parametrize("question", ["When was the barn sold?", "Did the board sell the barn?"])
def test_other_questions_have_only_their_own(question: str) -> None:
    assert [part.question for part in equivalents(Part(question=question))] == [question]
