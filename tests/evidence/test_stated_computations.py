"""Figures computed from values that sentences state."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.evidence.stated_computations import StatedComputation, stated_computation
from investigator.records import AnswerStatus
from investigator.tables.document_tables import tables_of

MINUTES = """# Minutes of the general meeting of the rowing club

Membership rose from 212 in 2021 to 240 in 2022. Junior membership fell from 40 in 2021 to 31 in 2022.

The annual dinner cost 1,900 euros in 2021. In 2022 the annual dinner cost 2,300 euros. The summer party cost 1,450
euros in 2022. The summer party in Leeds cost 900 euros in 2021.

In 2022, electricity cost 3,100 euros and gas cost 2,050 dollars. The subscription was increased from 80 to 95 euros.
The boat house is expected to grow from 300 to 450 square metres. The number of boats did not rise from 12 to 15.
From 2021 to 2022 visits dropped from 5,000 to 4,200.
"""


def _computed(question: str, text: str = MINUTES) -> StatedComputation | None:
    source = SourceFile(text.encode(), "minutes.md")
    return stated_computation(question, tables_of(read(source, "minutes.md", "h", ReaderSettings()).documents[0]))


@pytest.mark.parametrize(
    ("question", "formula"),
    [
        ("By how much did membership grow?", "240 − 212 = 28"),
        ("By how much did membership grow from 2021 to 2022?", "240 − 212 = 28"),
        ("How much did the membership rise in 2022?", "240 − 212 = 28"),
        ("By what percentage did membership grow from 2021 to 2022?", "240 against 212 = 13.2 %"),
        ("By how much did junior membership fall?", "31 − 40 = -9"),
        ("By how much did the subscription increase?", "95 − 80 = 15 euros"),
        ("By how much did visits drop from 2021 to 2022?", "4,200 − 5,000 = -800"),
        ("How much did the cost of the annual dinner rise from 2021 to 2022?", "2,300 − 1,900 = 400 euros"),
        ("What did the annual dinner and the summer party cost together in 2022?", "2,300 + 1,450 = 3,750 euros"),
        ("Which was more expensive in 2022, the annual dinner or the summer party?", "2,300 > 1,450 euros"),
    ],
)
def test_two_figures_of_one_or_two_sentences_are_computed_with(question: str, formula: str) -> None:
    found = _computed(question)
    assert found is not None
    assert found.result.formula == formula


@pytest.mark.parametrize(
    "question",
    [
        "By how much did membership fall?",  # it rose
        "By how much did membership grow from 2020 to 2021?",
        "By how much did senior membership grow?",
        "By how much did the boat house grow?",  # only expected
        "By how much did the number of boats rise?",  # denied
        "What did electricity and gas cost together in 2022?",  # euros and dollars
        "What did the annual dinner and the tournament cost together in 2022?",
        "How much did the cost of the summer party rise from 2021 to 2022?",  # the one of 2021 was in Leeds
    ],
)
def test_another_thing_time_unit_or_direction_is_not_computed_with(question: str) -> None:
    assert _computed(question) is None


def test_two_things_are_told_apart_by_the_sentence_and_not_by_the_title() -> None:
    trial = "# Fentanyl or ketamine after surgery\n\nThe dose was 1 μg after surgery.\n"
    assert _computed("What is the difference between the dose of fentanyl and the dose of ketamine?", trial) is None
    asked = "the difference between the annual dinner and the summer party in 2022"
    assert _computed(f"What is {asked}?") is not None
    assert _computed(f"With respect to cost, characterize {asked}.") is None


def test_different_statements_of_one_change_leave_it_open() -> None:
    again = f"{MINUTES}\nAccording to the treasurer, membership rose from 210 in 2021 to 240 in 2022.\n"
    assert _computed("By how much did membership grow?", again) is None


def test_the_answer_quotes_the_sentences_of_the_figures(tmp_path: Path) -> None:
    (tmp_path / "minutes.md").write_text(MINUTES, encoding="utf-8")
    (tmp_path / "letter.md").write_text(
        "# Letter\n\nOur tournament in York cost 700 euros in 2022.\n", encoding="utf-8"
    )
    investigator = Investigator(tmp_path, embedder=ScriptedEmbedder())
    answer = investigator.ask("By how much did membership grow?")
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.claims[0].text == "Membership: 240 − 212 = 28 (2022 less 2021)"
    assert [quote.text for quote in answer.claims[0].quotes] == ["Membership rose from 212 in 2021 to 240 in 2022."]
    answer = investigator.ask("What did the annual dinner and the summer party cost together in 2022?")
    assert answer.status is AnswerStatus.ANSWERED
    assert len(answer.claims[0].quotes) == 2
    answer = investigator.ask("What did the annual dinner and the tournament cost together in 2022?")
    assert answer.status is not AnswerStatus.ANSWERED
    assert not any(claim.computation for claim in answer.claims)


def test_a_change_stated_with_instead_is_computed_in_its_direction() -> None:
    text = "# Change to the lease of Mill Barn\n\n1. From 1 June 2023 the monthly rent is EUR 950 instead of EUR 900.\n"
    found = _computed("By how much did the monthly rent of Mill Barn go up?", text)
    assert found is not None
    assert found.result.formula == "950 − 900 = 50 EUR"
    assert _computed("By how much did the monthly rent of Mill Barn go down?", text) is None
    assert _computed("By how much did the monthly rent of Hill Farm go up?", text) is None
