"""A line with a label is a statement of its own: "Owner: Human Resources"."""

from __future__ import annotations

import time

import pytest

from investigator.language.labels import label_line
from investigator.language.sentences import statement_spans


def statements(text: str) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in statement_spans(text)]


@pytest.mark.parametrize(
    ("line", "label", "value"),
    [
        ("Owner: Human Resources", "Owner", "Human Resources"),
        ("- **Version**: 3", "Version", "3"),
        ("Old fee (until May 2023): 30 euros", "Old fee (until May 2023)", "30 euros"),
        ("Signed for the tenant:\n\nAnn Cole", "Signed for the tenant", "Ann Cole"),
    ],
)
def test_a_line_with_a_label_has_a_value(line: str, label: str, value: str) -> None:
    assert label_line(line) == (label, value)


@pytest.mark.parametrize(
    "line",
    [
        "The bar opens at 10:30 every day.",
        "See https://example.org",
        "There is one condition: the hall must be clean.",
        "He came late. Reason: the train.",
        "Agenda:",
    ],
)
def test_a_sentence_with_a_colon_has_no_label(line: str) -> None:
    assert label_line(line) is None


def test_each_line_with_a_label_is_a_statement_with_the_lines_that_continue_it() -> None:
    text = "Present: Ann Cole (chair), Ben Dow,\n  Cara Eck\nApologies: Max Quill\nThe hall was cold.\n"
    assert statements(text) == [
        "Present: Ann Cole (chair), Ben Dow, Cara Eck",
        "Apologies: Max Quill",
        "The hall was cold.",
    ]


def test_a_name_below_its_label_belongs_to_it() -> None:
    text = "Signed for the tenant:\nAnn Cole\nDate: 3 May 2024\n\nSigned for the landlord:\n\nBen Dow\n"
    assert statements(text) == [
        "Signed for the tenant: Ann Cole",
        "Date: 3 May 2024",
        "Signed for the landlord: Ben Dow",
    ]


def test_a_list_and_a_wrapped_sentence_are_no_values_of_labels() -> None:
    wrapped = "Everybody who came to the meeting saw pictures of two towns in Italy\nRome: a capital."
    text = f"Agenda:\n- Heating\n- Roof\n\n{wrapped}\n"
    assert statements(text)[:3] == ["Agenda:", "- Heating", "- Roof"]
    assert statements(text)[3].endswith("Rome: a capital.")


@pytest.mark.parametrize("text", [" " * 50_000, "for the " * 20_000, "signed ,," * 20_000, "for" + " \n" * 30_000])
def test_hostile_lines_take_no_time(text: str) -> None:
    began = time.process_time()
    label_line(text)
    assert time.process_time() - began < 1
