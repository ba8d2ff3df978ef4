"""Of two editions that differ in a number, the newer one decides; an older one alone proves no yes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from investigator import Investigator
from investigator.records import Answer, AnswerStatus, Decision

PRICES = """# Ropeworks, price list {year}

| Item | Price (EUR) |
|---|---|
| Anchor line | {line} |
| Splicing, per hour | 40.00 |

Delivery to the islands: surcharge of {surcharge} per cent.
"""
FOLDER = {
    "prices-2023.md": PRICES.format(year=2023, line="12.50", surcharge=15),
    "prices-2024.md": PRICES.format(year=2024, line="13.80", surcharge=20),
    "board-2024-05.txt": """Board meeting, 6 May 2024

Present: Una Brandt, Jos Kramer
Excused: Mette Holm

1. Kiosk. The request for 30 chairs was refused, because the budget is spent.
2. Manager. The board appointed Ada Lindqvist as manager. She starts on 1 July 2024. Her salary is 41,000 euros.
3. Roof. A wire screen was fixed below the roof of the hall on 14 April by Harper Brothers for 380 euros.
4. Grants. Jos Kramer applied to the Harbour Fund for 9,000 euros towards the new slip.
5. Berths. The north pier has 24 berths.
- Harvest dinner. 12 October in the Old Mill. Jos Kramer books the band.
""",
    "letter.txt": """Dear Ms Brandt,

your permit has been extended to the end of 2026.

Yours sincerely
Piet Vos
Head of Permits, Harbour Office
""",
}


@pytest.fixture(scope="module")
def ropeworks(of_texts: Callable[..., Investigator]) -> Investigator:
    return of_texts(FOLDER, embedder=None)


def values(answer: Answer) -> list[tuple[str, str | None]]:
    return [(side.value, side.date) for conflict in answer.conflicts for side in conflict.sides]


def test_a_yes_of_an_older_edition_is_shown_with_what_the_newer_one_says(ropeworks: Investigator) -> None:
    answer = ropeworks.ask("Does an anchor line cost 12.50?")
    assert (answer.status, answer.decision) == (AnswerStatus.CONFLICTING, None)
    assert values(answer) == [("12.50", "2023"), ("13.80", "2024")]


@pytest.mark.parametrize(
    "question",
    [
        "Is the surcharge 20 per cent?",
        "Does an anchor line cost 13.80?",
        "Did an anchor line cost 12.50 in 2023?",
    ],
)
def test_what_the_newest_or_the_named_edition_says_is_a_yes(ropeworks: Investigator, question: str) -> None:
    answer = ropeworks.ask(question)
    assert (answer.status, answer.decision) == (AnswerStatus.ANSWERED, Decision.YES)


def test_the_value_of_the_newest_edition_comes_first(ropeworks: Investigator) -> None:
    answer = ropeworks.ask("How much is an anchor line?")
    assert answer.claims[0].quotes[0].document_id == "prices-2024.md"
    assert "prices-2024.md is newer than prices-2023.md." in answer.reason


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What is Ada Lindqvist's salary and when does she start?", ["Her salary is 41,000 euros", "1 July 2024"]),
        ("When is the harvest dinner and where?", ["12 October in the Old Mill"]),
        ("Who fixed the wire screen?", ["by Harper Brothers for 380 euros"]),
        ("Who is the head of permits?", ["Piet Vos Head of Permits, Harbour Office"]),
    ],
)
def test_what_stands_in_two_lines_or_sentences_is_read_together(
    ropeworks: Investigator, question: str, answers: list[str]
) -> None:
    answer = ropeworks.ask(question)
    assert answer.status is AnswerStatus.ANSWERED
    assert all(any(text in claim.text for claim in answer.claims) for text in answers)


@pytest.mark.parametrize(
    ("question", "decision"),
    [
        ("Is the surcharge 15 per cent?", Decision.NO),
        ("Was the request for 30 chairs granted?", Decision.NO),
        ("Was Mette Holm present on 6 May 2024?", Decision.NO),
    ],
)
def test_the_opposite_of_what_is_asked_is_a_no(ropeworks: Investigator, question: str, decision: Decision) -> None:
    assert ropeworks.ask(question).decision is decision


@pytest.mark.parametrize(
    "question",
    [
        "How much did the Harbour Fund give towards the new slip?",
        "How many berths of the north pier are not let?",
        "What did the meeting on the north pier show?",
    ],
)
def test_what_is_applied_for_or_denied_or_only_on_the_subject_is_no_answer(
    ropeworks: Investigator, question: str
) -> None:
    assert ropeworks.ask(question).status is not AnswerStatus.ANSWERED


def test_a_year_in_the_question_selects_the_edition_of_that_year(of_texts: Callable[..., Investigator]) -> None:
    insured = "Goods are insured up to {} pounds for each consignment.\n"
    older = f"CARGO BIKES\nTariff from 1 February 2023\n\nInsurance\n{insured.format(250)}"
    newer = f"Tariff from 1 May 2024\n\nThis tariff replaces that of February 2023.\n\n{insured.format(400)}"
    answer = of_texts(
        {"tariff_2023.txt": older, "tariff_2024.md": newer},
        embedder=None,
    ).ask("Up to what amount were goods insured under the 2023 tariff?")
    assert (answer.status, answer.conflicts) == (AnswerStatus.ANSWERED, ())
    assert "250 pounds" in answer.text


def test_rules_that_the_newer_edition_no_longer_contains_confirm_nothing(of_texts: Callable[..., Investigator]) -> None:
    older = "House rules, June 2022\n\n1. Each visitor may bring two items.\n\n2. Repairs are free.\n"
    newer = "House rules, September 2024\n\n1. Each visitor may bring one item.\n\n2. Repairs are free.\n"
    cafe = of_texts({"house_rules_2022.txt": older, "house_rules_2024.txt": newer}, embedder=None)
    assert cafe.ask("May each visitor bring two items?").decision is None
    assert cafe.ask("May each visitor bring one item?").decision is Decision.YES


def test_a_deposit_counts_nothing_and_names_nobody(of_texts: Callable[..., Investigator]) -> None:
    hire = of_texts({"hire.csv": "item,deposit\nCanoe,100 euros\nTrailer,150 euros\n"}, embedder=None)
    assert "100 euros" in hire.ask("What is the deposit for a canoe?").text
    for question in ("How many canoes do we have?", "Who pays the deposit for a canoe?"):
        assert hire.ask(question).status is not AnswerStatus.ANSWERED
    assert "100 euros" in hire.ask("How much is the deposit for a canoe?").text
