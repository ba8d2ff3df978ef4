"""Lists inside sentences."""

from __future__ import annotations

import pytest

from investigator.evidence.listed_items import enumerated

KIT = "The kit contains a rope, two lamps, a first-aid box and a map."


@pytest.mark.parametrize(
    ("question", "sentence", "items"),
    [
        ("What does the kit contain?", KIT, 4),
        ("What is in the kit?", KIT, 4),
        ("What does the kit not contain?", KIT, 0),
        ("What does the chest contain?", KIT, 0),
        ("Who was present?", "Members present: Marta Olsen (chair, treasurer), Tom Brandt and Li Na.", 3),
        ("Who attended?", "Present: Marta Olsen, Tom Brandt.", 2),
        ("What is not allowed?", "Dogs, bicycles and drones are not allowed.", 3),
        ("What is allowed?", "Dogs, bicycles and drones are not allowed.", 0),
        ("What does the fee include?", "The fee includes 4,000 euros for paint and 900 euros for plants.", 2),
        ("Who are the members?", "The members met on Monday, Tuesday and Friday.", 0),
        ("What was net income?", "Net income was 5, 6 and 7 million in 2021, 2022 and 2023.", 0),
        ("What did Keller do?", "Keller was chosen because it was cheaper, faster and nearer.", 0),
        ("How much does the kit cost?", KIT, 0),
    ],
)
def test_a_sentence_lists_all_that_is_asked_for(question: str, sentence: str, items: int) -> None:
    found = enumerated(question, sentence)
    assert len(found) == items
    assert all(item in sentence for item in found)


def test_a_pronoun_stands_for_what_the_sentence_before_names() -> None:
    sentence = "It does not include insurance or visas."
    assert enumerated("What does the trip not include?", sentence, "The trip lasts a week.") == ("insurance", "visas")
    assert enumerated("What does the trip not include?", sentence, "The fair lasts a week.") == ()
