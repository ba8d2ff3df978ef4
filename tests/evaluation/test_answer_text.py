"""Values worked out by hand; the first pairs follow the rules of the SQuAD evaluation script."""

from __future__ import annotations

import pytest

from investigator.evaluation.answer_text import contains_answer, exact_match, number_recall, token_f1, tokens


@pytest.mark.parametrize(
    ("said", "answers", "f1"),
    [
        ("The Eiffel Tower", ["Eiffel Tower!"], 1.0),  # article and punctuation do not count
        ("in the year 1990", ["1990"], 0.5),  # 1 shared of 3 and 1: 2 * 1 / 4
        ("Denver Broncos", ["Carolina Panthers"], 0.0),
        ("cat cat dog", ["cat dog dog"], 2 / 3),  # a repeated word counts as often as both have it
        ("Paris", ["Rome", "Paris France", "paris"], 1.0),  # the likest answer counts
        ("", ["Paris"], 0.0),
        ("蒸汽机", ["蒸汽"], 0.8),  # characters: 2 shared of 3 and 2
        ("in 1990", [], 0.0),
    ],
)
def test_token_f1(said: str, answers: list[str], f1: float) -> None:
    assert token_f1(said, answers) == pytest.approx(f1)


def test_words_and_characters_are_told_apart() -> None:
    assert tokens("The U.S. Dollar, 10%") == ["us", "dollar", "10"]
    assert tokens("在1990年。Ｗatt") == ["在", "1990", "年", "watt"]


def test_exact_match_allows_articles_and_punctuation_and_nothing_else() -> None:
    assert exact_match("the Magna Carta.", ["Magna Carta"])
    assert not exact_match("Magna Carta of 1215", ["Magna Carta"])


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
