"""The kind of answer that a question requests, and its subject."""

from __future__ import annotations

import pytest

from investigator.questions.kinds import kind_of
from investigator.questions.parts import parts_of, sides_of
from investigator.questions.topics import topics_of
from investigator.records import ConstraintKind, QuestionKind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How deep is the lake?", QuestionKind.FACT),
        ("How many children were randomised in the Gambia trial?", QuestionKind.FACT),
        ("By how much did rents change year over year?", QuestionKind.FACT),
        ("what is banned based on which of these", QuestionKind.FACT),
        ("Which documents mention a deposit?", QuestionKind.WHICH),
        ("In which of the leases does the landlord bring up heating?", QuestionKind.WHICH),
        ("Find every letter that mentions the bakery.", QuestionKind.LIST),
        ("diabetes trials and their sizes", QuestionKind.LIST),
        ("How many of these contracts mention a notice period?", QuestionKind.COUNT),
        ("Compare the rent of the bakery and the bank.", QuestionKind.COMPARISON),
        ("How has the rent changed over the years?", QuestionKind.TREND),
        ("Do the two leases contradict each other?", QuestionKind.CONTRADICTION),
        ("Why was the trial stopped?", QuestionKind.WHY),
        ("Summarise the report in five points.", QuestionKind.SUMMARY),
        ("Tell me everything.", QuestionKind.SUMMARY),
        ("What's in these documents?", QuestionKind.SUMMARY),
        ("What is this about?", QuestionKind.SUMMARY),
        ("How many e-mails are there?", QuestionKind.COUNT),
        ("What is her e-mail?", QuestionKind.FACT),
        ("What are their e-mails?", QuestionKind.FACT),
        ("What do the documents say about the roof?", QuestionKind.FACT),
        ("Is the rent due in March?", QuestionKind.YES_NO),
    ],
)
def test_the_form_of_a_question_tells_what_it_asks_for(question: str, kind: QuestionKind) -> None:
    assert kind_of(question) is kind


def test_what_documents_are_looked_through_for_is_free_of_what_only_asks() -> None:
    (topic,) = topics_of("Which of these quarterly reports still talk about COVID-19 in any form?")
    assert [term.text for term in topic.terms] == ["COVID-19"]
    assert topic.is_mention
    assert "covid" in topic.searched[0]


def test_who_a_document_is_of_is_told_from_what_it_mentions() -> None:
    (topic,) = topics_of("In which filings does Amazon bring up its stock split?")
    assert [(term.text, term.of_whom) for term in topic.terms] == [("Amazon", True), ("stock split", False)]


def test_other_wordings_of_a_term_count_for_it() -> None:
    (term, *_) = topics_of("Which trials were double-blind (or double-masked)?")[0].terms
    assert term.stands_in(("a", "doubl", "mask", "trial"))
    assert not term.stands_in(("a", "mask", "trial"))


def test_both_spellings_of_a_word_are_one() -> None:
    (term,) = topics_of("Which papers describe a randomised design?")[0].terms[:1]
    assert term.stands_in(topics_of("Which papers describe a randomized design?")[0].terms[0].roots[0])


def test_the_short_form_of_a_name_is_not_that_of_another_one() -> None:
    ((term,),) = [topic.terms for topic in topics_of("Which articles mention the American Civil War?")]
    whole = "America at war. The American army."
    assert term.stands_short("He fell in the Civil War.", whole)
    assert not term.stands_short("He fell in the English Civil War.", whole)


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (
            "compare the operating income of Amazon and Apple",
            ["operating income of Amazon", "operating income of Apple"],
        ),
        (
            "Put the cost of the ulcer study next to the one from the heart study.",
            ["cost of the ulcer study", "cost from the heart study"],
        ),
        ("How does the Berlin lease differ from the Hamburg lease?", ["the Berlin lease", "the Hamburg lease"]),
        ("Compare the two compilations.", []),
    ],
)
def test_the_sides_of_a_comparison_are_asked_apart(question: str, sides: list[str]) -> None:
    assert [part.question for part in sides_of(question)] == sides


def test_a_side_is_bound_by_its_name_wherever_that_stands() -> None:
    parts = sides_of("Compare Apple's and Amazon's buybacks.")
    assert [one.text for part in parts for one in part.constraints if one.kind is ConstraintKind.ENTITY] == [
        "Apple",
        "Amazon",
    ]


def test_evidence_of_a_trend_need_not_say_that_something_moved() -> None:
    (part,) = parts_of("How has the rent of the bakery changed over the years?", QuestionKind.TREND)
    assert "changed" not in " ".join(one.text for one in part.constraints)
