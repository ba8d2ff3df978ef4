"""A newer edition is found by a line that differs in one number."""

from __future__ import annotations

import time

import pytest

from investigator.evidence.editions import said_in_newer
from investigator.evidence.quotes import quote_at
from investigator.records import Document


def document(name: str, text: str) -> Document:
    return Document(id=name, title="", media_type="text/plain", content_hash=name, text=text)


def said(line: str, newer: str, *, name: str = "fees-2024.txt") -> list[tuple[str, str | None]]:
    older = document("fees-2023.txt", f"Fees\n{line}\n")
    sides = said_in_newer(quote_at(older, 5, 5 + len(line)), older, [document(name, f"Fees\n{newer}\n")])
    return [(side.value, side.date) for side in sides]


@pytest.mark.parametrize(
    ("line", "newer", "values"),
    [
        ("A plot of 250 m2 costs 62.00 a year.", "A plot of 250 m2 costs\n66.00 a year.", ["62.00", "66.00"]),
        ("A plot of 250 m2 costs 62.00 a year.", "A plot of 250 m2 costs 62.00 a year.", []),
        ("A plot of 250 m2 costs 62.00 a year.", "A plot of 125 m2 costs 40.00 a year.", []),
        ("A plot of 250 m2 costs 62.00 a year.", "A shed of 250 m2 costs 66.00 a year.", []),
        ("12 62.00", "12 66.00", []),
    ],
)
def test_one_other_number_in_the_same_line_is_a_new_value(line: str, newer: str, values: list[str]) -> None:
    assert [value for value, _ in said(line, newer)] == values


@pytest.mark.parametrize("name", ["fees-2022.txt", "fees.txt"])
def test_a_document_that_is_older_or_undated_is_no_newer_edition(name: str) -> None:
    assert said("A plot costs 62.00.", "A plot costs 66.00.", name=name) == []


def test_a_line_of_many_numbers_is_compared_quickly() -> None:
    started = time.perf_counter()
    assert said(f"sizes {'1 ' * 150}", f"sizes {'1' * 100_000} {'1 ' * 100}") == []
    assert time.perf_counter() - started < 5
