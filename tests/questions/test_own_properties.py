"""Questions about a property of a document are distinguished from questions about its contents."""

from __future__ import annotations

import pytest

from investigator.questions.own_properties import OwnProperty, asked_property


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is the date of this document?", OwnProperty.DATE),
        ("When was this report published?", OwnProperty.DATE),
        ("Who wrote this document?", OwnProperty.AUTHOR),
        ("What is this document's author?", OwnProperty.AUTHOR),
        ("Who is this letter addressed to?", OwnProperty.RECIPIENT),
        ("Who sent this e-mail?", OwnProperty.SENDER),
        ("Who issued this invoice?", OwnProperty.ISSUER),
        ("Title of the document", OwnProperty.TITLE),
        ("Which version is this document?", OwnProperty.VERSION),
        ("How many pages does this document have?", OwnProperty.PAGES),
    ],
)
def test_a_property_of_a_document_is_recognised(question: str, wanted: OwnProperty) -> None:
    assert asked_property(question) is wanted


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote the minutes of 7 April?",
        "When was the contract signed?",
        "What is the date of the meeting?",
        "What is the title of the song?",
        "What is the version of the software?",
        "How many pages does the novel have?",
    ],
)
def test_a_property_of_what_a_document_speaks_of_is_not(question: str) -> None:
    assert asked_property(question) is None
    assert asked_property(question, alone=True) is None


def test_a_property_that_is_only_named_counts_if_nothing_else_answers() -> None:
    assert asked_property("Author?") is None
    assert asked_property("Author?", alone=True) is OwnProperty.AUTHOR
    assert asked_property("What is the date of the report?", alone=True) is OwnProperty.DATE
