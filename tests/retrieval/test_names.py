"""The names of documents, and the documents that a question names."""

from __future__ import annotations

import pytest

from investigator.records import DocumentCard
from investigator.retrieval.names import Names, named_words, names_nothing

FILINGS = ("BESTBUY_2019_10K.pdf", "BESTBUY_2020_10K.pdf", "APPLE_2019_10K.pdf", "sub/GeneralMills2020.pdf")


def cards(*names: str, **dates: str) -> list[DocumentCard]:
    return [DocumentCard(document_id=name, title=name, date=dates.get(name)) for name in names]


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        ("What did Best Buy earn?", {"BESTBUY_2019_10K.pdf", "BESTBUY_2020_10K.pdf"}),
        ("what did best buy earn?", {"BESTBUY_2019_10K.pdf", "BESTBUY_2020_10K.pdf"}),
        ("BestBuy", {"BESTBUY_2019_10K.pdf", "BESTBUY_2020_10K.pdf"}),
        ("the sales of Apple", {"APPLE_2019_10K.pdf"}),
        ("Which brands has General Mills?", {"sub/GeneralMills2020.pdf"}),
        ("generalmills", {"sub/GeneralMills2020.pdf"}),
        ("What did Walmart earn?", set()),
        ("What happened in 2019?", set()),
    ],
)
def test_a_question_names_the_documents_whose_names_hold_its_words(question: str, documents: set[str]) -> None:
    named = Names(cards(*FILINGS)).named(question)
    assert {document_id for document_id, share in named.items() if share == 1.0} == documents


def test_a_rare_word_of_a_name_counts_more_than_one_of_many() -> None:
    names = Names(cards("acme-report.pdf", "beta-report.pdf", "gamma-report.pdf", "delta-report.pdf"))
    named = names.named("What does the report of Acme say?")
    assert named["acme-report.pdf"] == 1.0
    assert 0.0 < named["beta-report.pdf"] < 0.5


def test_titles_name_documents_too() -> None:
    names = Names([DocumentCard(document_id="0001.pdf", title="The Mill at Dornbach"), *cards("0002.pdf")])
    assert names.named("Who owns the mill at Dornbach?") == {"0001.pdf": 1.0}


def test_the_period_in_a_name_is_for_or_against_it_and_no_period_says_nothing() -> None:
    result = Names(cards(*FILINGS, "notes.txt")).in_period("What did Best Buy earn in FY2019?")
    assert result == {
        "BESTBUY_2019_10K.pdf": 1.0,
        "APPLE_2019_10K.pdf": 1.0,
        "BESTBUY_2020_10K.pdf": -1.0,
        "sub/GeneralMills2020.pdf": -1.0,
    }
    assert Names(cards(*FILINGS)).in_period("What did Best Buy earn?") == {}


def test_the_newest_is_that_of_the_documents_that_the_question_names() -> None:
    names = Names(cards(*FILINGS, "APPLE_2023_10K.pdf"))
    question = "What does the latest filing of Best Buy say?"
    assert names.of_age(question, names.named(question)) == {"BESTBUY_2019_10K.pdf": -1.0, "BESTBUY_2020_10K.pdf": 1.0}
    oldest = "the oldest filing of Best Buy"
    assert names.of_age(oldest, names.named(oldest))["BESTBUY_2019_10K.pdf"] == 1.0
    assert names.of_age("What does Best Buy say?", names.named("Best Buy")) == {}


def test_a_document_without_a_period_in_its_name_is_as_old_as_its_date() -> None:
    names = Names(cards("a.txt", "b.txt", "c.txt", **{"a.txt": "2021-05-02", "b.txt": "2023-01-09T10:00:00"}))
    assert names.of_age("the latest note", {}) == {"a.txt": -1.0, "b.txt": 1.0, "c.txt": -1.0}


def test_documents_of_one_age_are_neither_newest_nor_oldest() -> None:
    assert Names(cards("a-2020.txt", "b-2020.txt")).of_age("the latest", {}) == {}
    assert Names([]).of_age("the latest", {}) == {}


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("What did Best Buy earn in Q3 2022?", {"best", "buy"}),
        ("In September 2023, what did Anna say?", {"anna"}),
        ("What's the COVID-19 rate?", {"covid", "19"}),
        ("what did best buy earn?", set()),
        ("How long did it last in FY2019?", set()),
        ("What happened in Q3 2022?", set()),
    ],
)
def test_words_with_a_capital_are_names_and_periods_are_not(question: str, written: set[str]) -> None:
    assert named_words(question) <= written
    assert {word for word in written if word.isalpha()} <= named_words(question)
    assert names_nothing(question) is not bool(written)


@pytest.mark.parametrize(
    "question",
    ["蒸汽机是谁改良的？", "من هو المؤسس؟", "ทำไม", "¿?", "", "  ", "?!", "\u0301", "12", "İstanbul", "💥"],
)
def test_any_script_can_be_asked_for_names(question: str) -> None:
    assert names_nothing(question) is False
    assert isinstance(Names(cards("蒸汽机.txt", *FILINGS)).named(question), dict)


def test_names_in_a_script_without_capitals_are_not_missed_by_their_documents() -> None:
    assert set(Names(cards("蒸汽机.txt", *FILINGS)).named("蒸汽机是谁改良的？")) == {"蒸汽机.txt"}


def test_a_german_noun_may_pass_for_a_name() -> None:
    assert named_words("Wie hoch war der Umsatz?") == {"umsatz"}
    assert not names_nothing("Wie hoch war der Umsatz?")
