"""Misspelled words of a question."""

from __future__ import annotations

import pytest

from investigator.questions.spelling import as_written, compounds, is_known, with_respelled_request


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Wich documnets mentoin the wel?", "Which documents mention the wel?"),
        ("how mnay files conatin hail", "how many files contain hail"),
        ("Lsit the tools", "List the tools"),
        ("How much was Fernhill invoiced in 2023?", "How much was Fernhill invoiced in 2023?"),
        ("Which county has five mills?", "Which county has five mills?"),
        ("Which documents mention Wich?", "Which documents mention Wich?"),
        ("Which letters name Lits Ltd?", "Which letters name Lits Ltd?"),
        ("Wo ist die Lise?", "Wo ist die Lise?"),
    ],
)
def test_only_words_of_the_request_are_corrected(typed: str, meant: str) -> None:
    assert with_respelled_request(typed) == meant


def test_a_comparative_is_a_known_word() -> None:
    assert is_known("longer")
    assert not is_known("osteopatic")


@pytest.mark.parametrize(
    ("stem", "word"), [("committe", "committee"), ("chariti", "charities"), ("novemb", "november"), ("porch", "")]
)
def test_a_corrected_stem_is_shown_as_the_text_writes_it(stem: str, word: str) -> None:
    assert as_written(stem, "Every committee met charities in November; nobody came.") == word


def test_a_compound_has_no_stop_word_and_no_thousand_letters() -> None:
    assert ("wi", "fi") in compounds("wifi")
    assert ("not", "able") not in compounds("notable")
    assert compounds("x" * 1_000_000) == []
