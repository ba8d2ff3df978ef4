"""Abbreviations that a text explains."""

from __future__ import annotations

import pytest

from investigator.language.abbreviations import abbreviations


@pytest.mark.parametrize(
    ("text", "explained"),
    [
        ("Kinetics of indocyanine green (ICG) were studied.", [("ICG", "indocyanine green")]),
        ("the ‘four-layer bandage’ (4LB) and", [("4LB", "four-layer bandage")]),
        ("restricted stock units (“RSUs”) vested", [("RSU", "restricted stock units")]),
        (
            "SP, sulphadoxine-pyrimethamine; AS, artesunate; n = 12.",
            [
                ("SP", "sulphadoxine-pyrimethamine"),
                ("AS", "artesunate"),
            ],
        ),
        ("The usual care\n(UC) group", [("UC", "usual care")]),
        ("It rose in Germany (EU) and (Table 2) at (n) and (12).", []),
        ("Smith et al. (WHO)", []),
    ],
)
def test_an_abbreviation_is_known_by_the_letters_of_the_words_that_it_stands_for(
    text: str, explained: list[tuple[str, str]]
) -> None:
    assert list(abbreviations(text)) == explained
