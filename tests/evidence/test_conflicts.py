from __future__ import annotations

import pytest

from investigator.evidence.conflicts import DatedSentence, conflicts
from investigator.records import Quote

PLANT = "The Zevenaar plant has a capacity of 412 MW."


def statement(text: str, document: str, *, date: str | None = None, subject: str = "", version: int | None = None):
    quote = Quote(document_id=document, page=None, line=1, start=0, end=len(text), text=text, source_hash=document)
    return DatedSentence(quote, text, date, subject, version)


def values(first: str, second: str, *, version: int | None = None) -> list[str]:
    found = conflicts("?", [statement(first, "a", version=version), statement(second, "b", version=version)])
    return [side.value for conflict in found for side in conflict.sides]


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("The capacity of the Zevenaar plant is 512 MW.", ["412 MW", "512 MW"]),
        (
            "The Zevenaar plant does not have a capacity of 412 MW.",
            [PLANT, "The Zevenaar plant does not have a capacity of 412 MW."],
        ),
    ],
)
def test_two_values_of_one_thing_conflict(second, expected):
    assert values(PLANT, second) == expected


def test_dates_conflict_and_are_listed_with_the_dates_of_their_documents():
    old = statement("The Hall in Lund was opened on 3 May 1912.", "old.txt", date="1950")
    new = statement("The Hall in Lund opened on 5 May 1912.", "new.txt", date="2001")
    (conflict,) = conflicts("When was the hall opened?", [new, old])
    assert [(side.value, side.date) for side in conflict.sides] == [("3 May 1912", "1950"), ("5 May 1912", "2001")]


def test_names_conflict_if_all_else_is_the_same():
    assert values("The bridge in Lund was designed by Anna Holm.", "The bridge in Lund was designed by Erik Berg.") == [
        "Anna Holm",
        "Erik Berg",
    ]


@pytest.mark.parametrize(
    "second",
    [
        "The Zevenaar plant has a capacity of about 410 MW.",  # rounded
        "The Arnhem plant has a capacity of 512 MW.",  # another plant
        "In 2019 the Zevenaar plant had a capacity of 512 MW.",  # another time than now
        "The Zevenaar plant has 512 employees.",  # another unit
        "The Zevenaar plant was visited by 30 guests.",
        PLANT,
    ],
)
def test_what_is_rounded_or_about_something_else_is_no_conflict(second):
    assert values(PLANT, second) == []


def test_sentences_without_a_name_conflict_only_in_versions_of_one_document():
    first, second = "The mean age of the participants was 45 years.", "The mean age of the participants was 52 years."
    assert values(first, second) == []
    assert values(first, second, version=1) == ["45 years", "52 years"]


def test_reports_about_two_periods_do_not_conflict():
    first = statement("Apple's total net sales were 117 million dollars.", "q1", subject="Apple 2023 Q1", version=1)
    second = statement("Apple's total net sales were 94 million dollars.", "q2", subject="Apple 2023 Q2", version=1)
    assert conflicts("?", [first, second]) == ()


def test_ten_versions_of_a_report_are_one_conflict_with_ten_sides():
    told = [
        statement(f"The fund paid {n} million euros.", f"v{n}.txt", date=f"20{n}", version=1) for n in range(20, 30)
    ]
    (conflict,) = conflicts("?", told)
    assert [side.value for side in conflict.sides] == [f"{n} million euros" for n in range(20, 30)]
