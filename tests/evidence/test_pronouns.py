"""A quote that depends on a pronoun is shown with the pronoun's meaning, and proves claims that name it."""

from __future__ import annotations

import pytest
from whole_quotes import whole_quote

from investigator.evidence.claims import prove
from investigator.evidence.quotes import Source
from investigator.evidence.statements import statements
from investigator.records import Document, Quote

BUILT = "The harbour was built in 1900."

CLEAR = [
    (f"{BUILT} It is 14 m deep.", "The harbour is 14 m deep."),
    (f"{BUILT} Its depth is 14 m.", "The depth of the harbour is 14 m."),
    (f"{BUILT} In 1990 it was sold. It is 14 m deep.", "The harbour is 14 m deep."),
    (f"{BUILT} It opened in 1901, and its depth is 14 m.", "The harbour's depth is 14 m."),
    ("The harbour is the largest port in Italy. It is 14 m deep.", "The harbour is 14 m deep."),
    ("Lena Weber (born 1970) is a sister of Anna Weber. She directed two films.", "Lena Weber directed two films."),
    ("Lena Weber was born in Bern. She directed two films.", "Two films were directed by Lena Weber."),
    ("The results were good. They were published in 2001.", "The results were published in 2001."),
    ("Orion and Vega merged in 2001. They sold the mill.", "Orion and Vega sold the mill."),
]

UNCLEAR = [
    ("The ship entered the harbour. It is 14 m deep.", "The harbour is 14 m deep."),
    ("The ship entered the harbour. It is 14 m deep.", "The ship is 14 m deep."),
    ("Orion was sued by Vega. It paid 5 million.", "Orion paid 5 million."),
    ("Lena met Anna. She directed two films.", "Lena directed two films."),
    ("The results were good. It was published in 2001.", "The results were published in 2001."),
    ("The children took tablets. They were weighed daily.", "The children were weighed daily."),
    ("The harbour was closed. He died in 2001.", "The harbour died in 2001."),
    (f"{BUILT} Before it was sold, the mill ran for years.", "The harbour ran for years."),
    ("He began with theatre in East Germany. He made 20 films.", "East Germany made 20 films."),
    ("Duties\n\nIt is 14 m deep.", "Duties is 14 m deep."),
]


def quoted(text: str) -> Quote:
    """Return the last sentence of a text as a quote."""
    document = Document(id="a.txt", title="", media_type="text/plain", content_hash="h", text=text)
    quote = Source(document).named_quote(text.replace("\n", " ").split(". ")[-1].split("\n")[-1])
    assert quote is not None
    return quote


@pytest.mark.parametrize(("text", "claim"), CLEAR)
def test_what_a_pronoun_can_only_mean_is_shown_with_it_and_proven(text: str, claim: str) -> None:
    quote = quoted(text)
    assert quote.text == text
    assert prove(claim, (quote,)).is_proven


@pytest.mark.parametrize(("text", "claim"), UNCLEAR)
def test_what_a_pronoun_may_mean_is_not_proven(text: str, claim: str) -> None:
    assert not prove(claim, (quoted(text),)).is_proven
    whole = whole_quote(text, "a")
    assert not prove(claim, (whole,)).is_proven


@pytest.mark.parametrize(
    "text",
    ["The plant is old. It is false that the plant is safe.", "Orion was sued by Vega. It paid.", BUILT],
)
def test_a_quote_is_not_widened_for_nothing(text: str) -> None:
    assert quoted(text).text == text.split(". ")[-1]


def test_a_false_claim_about_what_a_pronoun_means_is_not_proven() -> None:
    quote = quoted(f"{BUILT} It may be 14 m deep.")
    assert not prove("The harbour is 14 m deep.", (quote,)).is_proven


def test_words_that_were_split_apart_are_read() -> None:
    assert [word.text for word in statements("He did n't pay .")[0].words] == ["he", "did", "not", "pay"]
