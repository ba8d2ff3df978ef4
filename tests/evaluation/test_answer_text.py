"""Known answers and evidence in a text: SQuAD's definition, computed by hand as in its script, and ParlAI's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.evaluation.answer_text import (
    PARLAI,
    SQUAD,
    Overlap,
    contains_answer,
    exact_match,
    holds,
    normalize_answer,
    number_recall,
    overlaps,
    says,
    share_found,
    tokens,
    word_overlap,
)

SENTENCE = "Monaco has four “traditional” quarters – from west to east."


@pytest.mark.parametrize(
    ("guess", "answers", "f1"),
    [
        ("The Eiffel Tower", ["Eiffel Tower!"], 1.0),  # article and punctuation do not count
        ("in the year 1990", ["1990"], 0.5),  # 1 shared of 3 and 1: 2 * 1 / 4
        ("Denver Broncos", ["Carolina Panthers"], 0.0),
        ("cat cat dog", ["cat dog dog"], 2 / 3),  # a repeated word counts as often as both have it
        ("Paris", ["Rome", "Paris France", "paris"], 1.0),  # the likest answer counts
        ("", ["Paris"], 0.0),
        ("蒸汽机", ["蒸汽"], 0.8),  # characters: 2 shared of 3 and 2
        ("in 1990", [], 0.0),
        ("...", ["!!!"], 1.0),
    ],
)
def test_token_f1(guess: str, answers: list[str], f1: float) -> None:
    assert word_overlap(guess, answers).f1 == pytest.approx(f1)


@pytest.mark.parametrize(
    ("guess", "answers", "precision", "recall", "f1"),
    [
        ("kitchen", [], 0.0, 0.0, 0.0),
        ("...", ["!!!"], 0.0, 0.0, 0.0),  # texts without words
        ("one two", ["one", "one two three four"], 1.0, 1.0, 2 / 3),  # each figure is the best over the answers
        ("dog dog dog", ["dog dog cat cat"], 2 / 3, 0.5, 4 / 7),
        ("word " * 1_000_000, ["word"], 1e-6, 1.0, 2e-6),
    ],
)
def test_precision_recall_and_f1_of_parlai(
    guess: str, answers: list[str], precision: float, recall: float, f1: float
) -> None:
    overlap = word_overlap(guess, answers, PARLAI)
    assert (overlap.precision, overlap.recall, overlap.f1) == pytest.approx((precision, recall, f1))


WORDS = st.lists(st.sampled_from(["red", "green", "blue", "grey"]), max_size=6)


@given(WORDS, WORDS)
def test_precision_and_recall_change_places_with_the_texts(guess: list[str], answer: list[str]) -> None:
    there = word_overlap(" ".join(guess), [" ".join(answer)], PARLAI)
    back = word_overlap(" ".join(answer), [" ".join(guess)], PARLAI)
    assert there == Overlap(back.recall, back.precision, pytest.approx(back.f1))


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("  The  Cat,\tsat\n", "cat sat"),
        ("don't", "don t"),
        ("a theatre, an anthem", "theatre anthem"),
        ("snake_case `x` [1]", "snake case x 1"),
        ("«Привет»", "«привет»"),
        ("שלום, עולם!", "שלום עולם"),
        ("👋🏽 hi 👋🏽", "👋🏽 hi 👋🏽"),
        ("", ""),
    ],
)
def test_texts_are_normalised_as_by_parlai(text: str, normalised: str) -> None:
    assert normalize_answer(text) == normalised == normalize_answer(normalised)


def test_words_and_characters_are_told_apart() -> None:
    assert tokens("The U.S. Dollar, 10%") == ["us", "dollar", "10"]
    assert tokens("在1990年。Ｗatt") == ["在", "1990", "年", "watt"]
    assert [by.words("Don't 蒸汽") for by in (PARLAI, SQUAD)] == [["don", "t", "蒸汽"], ["dont", "蒸", "汽"]]


def test_exact_match_allows_articles_and_punctuation_and_nothing_else() -> None:
    for by in (SQUAD, PARLAI):
        assert exact_match("the Magna Carta.", ["Domesday Book", "Magna Carta"], by)
        assert not exact_match("Magna Carta of 1215", ["Magna Carta"], by)
        assert not exact_match("kitchen", [], by)
        assert exact_match("...", ["!!!"], by)


def test_an_answer_is_contained_as_whole_words_side_by_side() -> None:
    assert contains_answer("It was signed by James Watt in 1781.", ["james watt"])
    assert not contains_answer("James and Mary Watt signed it.", ["James Watt"])
    assert not contains_answer("It cost 1990 euros.", ["199"])
    assert not contains_answer("Anything.", ["!"])
    assert contains_answer("由詹姆斯瓦特改良", ["瓦特"])


def test_numbers_are_found_whole_and_whatever_marks_their_thousands() -> None:
    text = "Cash rose from $30,177 million to 49605 (11.4 %)."
    assert number_recall(text, ["30177", "49,605", "11.4", "605"]) == pytest.approx(3 / 4)
    assert number_recall(text, ["1.4"]) == 0.0


@pytest.mark.parametrize(
    ("text", "answer", "is_given"),
    [
        ("It makes 42.1 million crowns.", "42,100,000", True),
        ("| Revenue | 42.1 |", "42.1 million", True),  # the unit of a table stands elsewhere
        ("It makes 421 crowns.", "42.1", False),
        ("It makes 4.21 crowns.", "42.1", False),
        ("It weighs 42 kg.", "42 %", False),
        ("Mortality was 7.5 %.", "7.5", True),
        ("It opened on March 24, 1990.", "24 March 1990", True),
        ("It opened on May 24, 1990.", "24 March 1990", False),
        ("There were twelve of them.", "12", True),
        ("It was built by James Watt.", "james watt", True),
        ("James and Mary Watt built it.", "James Watt", False),
    ],
)
def test_numbers_are_compared_by_value_and_words_in_their_order(text: str, answer: str, is_given: bool) -> None:
    assert says(text, answer) is is_given


@pytest.mark.parametrize(
    ("quote", "evidence", "is_overlap", "is_whole"),
    [
        ('So it is:\nMONACO has four "traditional"\nquarters -  from west to east. Yes.', SENTENCE, True, True),
        ("from west to east", SENTENCE, True, False),
        (SENTENCE, "from west to east", True, True),
        ("red green blue white black", "red green and blue and white and yellow", True, False),  # four of five words
        ("red green blue white black", "red green and blue and brown and yellow", False, False),
        ("in west Monaco quarters", "Monaco quarters lie in the west", False, False),  # all four, but only four
        ("", SENTENCE, False, False),
        (SENTENCE, "  ", False, False),
    ],
)
def test_a_quote_overlaps_evidence_by_its_words_and_holds_all_of_it_or_not(
    quote: str, evidence: str, is_overlap: bool, is_whole: bool
) -> None:
    assert (overlaps(quote, evidence), holds(quote, evidence)) == (is_overlap, is_whole)


def test_each_piece_of_evidence_counts_once() -> None:
    assert share_found(["It opened in 1988.", "It opened in 1988!"], ["opened in 1988", "owned by RWE"]) == 0.5
