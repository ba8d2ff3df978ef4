from __future__ import annotations

from investigator.questions.related import related, root
from investigator.questions.spelling import distance, respelled


def test_forms_of_a_word_have_one_root() -> None:
    assert root("paid") == root("pays") == root("pay")
    assert root("children") == root("child")
    assert root("responsible") == root("responsibility") != root("response")


def test_words_that_may_stand_for_each_other_are_related_both_ways() -> None:
    assert "pay" in related("funded")
    assert "fund" in related("paid")
    assert "kid" in related("children")
    assert related("xyzzy") == ()
    assert "date" not in related("supplied")  # dating supplies a date, bedding a bed


def test_a_swapped_or_missing_letter_is_one_slip() -> None:
    assert distance("osteopahtic", "osteopathic") == 1
    assert distance("osteopatic", "osteopathic") == 1
    assert distance("mill", "mill") == 0


def test_of_equally_near_words_the_more_frequent_is_meant_and_short_words_are_left_alone() -> None:
    assert respelled("trail", [("trial", 90), ("train", 2)]) == "trial"
    assert respelled("form", [("from", 90)]) is None
    assert respelled("bakery", [("randomised", 3)]) is None
