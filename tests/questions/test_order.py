"""Conclusions from the word order of a question, without a parser."""

from __future__ import annotations

import pytest

from investigator.questions.order import Clause, Pair, clause, pairs, stand_together, stands_alone, verbs


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the net income in 2022?", [("net", "income")]),
        ("How much did each oak bench cost?", [("oak", "bench")]),
        ("Why did net sales of the iPhone fall?", [("net", "sales")]),
        ("Was the water tank delivered?", [("water", "tank")]),
        ("How much vitamin A does each capsule hold?", [("vitamin", "a")]),
        ("What was the balance on 30 April 2024?", [("30", "april")]),
        ("Who is the director of Spirit Mill?", []),
        ("Why does aspirin contain alcohol?", []),
    ],
)
def test_words_that_name_one_thing_belong_together(question: str, expected: list[tuple[str, str]]) -> None:
    assert [(both.first, both.second) for both in pairs(question)] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("May the landlord keep a dog?", Clause(("landlord",), "keep", is_passive=False)),
        ("Can the soup be frozen?", Clause(("soup",), "frozen", is_passive=True)),
        ("When was the water tank delivered?", Clause(("water", "tank"), "delivered", is_passive=True)),
        ("Why must patients not drive?", Clause(("patients",), "drive", is_passive=False)),
        ("How much does the trust now pay for it?", Clause(("trust",), "pay", is_passive=False)),
        ("What did the council's lawyer write to the club?", Clause(("lawyer",), "write", is_passive=False)),
        ("What did the board pay Hallam Roofing?", Clause(("board",), "pay", is_passive=False)),
        ("What did the council tell Ann?", Clause(("council",), "tell", is_passive=False)),
        ("Does the club still own the boat?", None),
        ("When is the Christmas party?", None),
        ("What was the net income?", None),
        ("Who will organise the plant sale?", None),
        ("Is the offer valid?", None),
    ],
)
def test_subject_and_verb_are_told_by_their_places(question: str, expected: Clause | None) -> None:
    assert clause(question) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Net income was 5.", True),
        ("The income (net of tax)", False),
        ("Other income (expense), net", False),
    ],
)
def test_words_met_apart_do_not_stand_together(text: str, expected: bool) -> None:
    assert stand_together(Pair("net", "income"), text) is expected


def test_the_other_order_counts_with_a_preposition() -> None:
    assert stand_together(Pair("committee", "chair"), "The chair of the committee resigned.")


def test_a_noun_with_another_word_before_it_is_another_thing() -> None:
    assert not stands_alone("income", "Operating income rose.")
    assert stands_alone("income", "The income rose.")


def test_verbs_are_told_from_nouns() -> None:
    assert {"drink"} == verbs("Is it safe to drink coffee?")
    assert "keep" in verbs("May the tenant keep a dog?")
    assert "held" in verbs("Which countries were the trials held in?")
    assert "children" not in verbs("How many of them were children?")


def test_a_number_with_separators_of_thousands_is_one_word() -> None:
    assert pairs("Is the deposit £6,900?") == ()
    assert Pair("rent", "42", is_exact=True) not in pairs("Is the annual rent £42,000?")
    assert Pair("room", "6", is_exact=True) in pairs("Is room 6, upstairs, empty?")


@pytest.mark.parametrize(
    ("question", "subject", "verb"),
    [
        ("How much power does the Emsland plant make?", ("Emsland", "plant"), "make"),
        ("How much money did the Scouts receive last year?", ("Scouts",), "receive"),
        ("How many chairs did Ann Cole order?", ("Ann", "Cole"), "order"),
    ],
)
def test_a_noun_after_a_name_is_not_the_verb(question: str, subject: tuple[str, ...], verb: str) -> None:
    found = clause(question)
    assert found is not None
    assert (found.subject, found.verb) == (subject, verb)
