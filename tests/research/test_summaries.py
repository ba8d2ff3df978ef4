"""A summary without a model consists of sentences from the text's parts, without boilerplate."""

from __future__ import annotations

from collections.abc import Callable

from investigator import Investigator
from investigator.engines.extractive.summarising import says_something
from investigator.records import AnswerStatus

OfTexts = Callable[..., Investigator]

REPORT = """# Annual report of the ferry company

Table of contents: 1 Passengers 3, 2 Fleet 7, 3 Fares 12, 4 Exhibits 15.

## Passengers

The ferries carried 412,000 passengers in 2023, an increase of 8% over the year before.

## Fleet

The company bought a second ship in March and sold the oldest one to a museum.

## Fares

Single fares rose to 9 euros, while the price of season tickets was left unchanged for residents.

## Exhibits

Exhibit 4.1 is incorporated by reference to the annual report of the company for 2019.
"""
TEXTS = {"ferries.md": REPORT, "bakery.txt": "The bakery rents the shop in the old town."}


def test_a_summary_covers_the_sections_and_leaves_the_furniture_out(of_texts: OfTexts) -> None:
    answer = of_texts(TEXTS).ask("Summarise the annual report of the ferry company in three points.")
    quoted = " ".join(quote.text for quote in answer.citations)
    assert all(words in quoted for words in ("412,000 passengers", "second ship", "Single fares"))
    assert "Exhibit" not in quoted
    assert "contents" not in quoted
    assert {quote.document_id for quote in answer.citations} == {"ferries.md"}
    assert answer.status is AnswerStatus.PASSAGES_FOUND  # nobody has read it


def test_a_question_for_everything_is_answered_by_sentences_of_each_document(of_texts: OfTexts) -> None:
    answer = of_texts(TEXTS).ask("Summarise these documents.")
    assert answer.status is AnswerStatus.PASSAGES_FOUND
    assert sorted(quote.document_id for quote in answer.citations) == ["bakery.txt", "ferries.md", "ferries.md"]


TRIAL = f"""# Exercise for older dancers

The exercise group was significantly better than the control group (5.1 versus 3.9, p < 0.01).

Falls were reduced by a third in the exercise group compared with the control group.

## Methods

{"The dancers were asked to keep a diary of what they do in the evenings of the week. " * 150}
"""


def test_a_long_text_is_summarised_by_the_results_that_it_begins_with(of_texts: OfTexts) -> None:
    investigator = of_texts({"dancers.md": TRIAL})
    quoted = [quote.text for quote in investigator.ask("Summarise the control group's paper on dancers.").citations]
    assert quoted[0].startswith("The exercise group was significantly better")
    assert quoted[1].startswith("Falls were reduced by a third")


def test_a_timeline_of_two_documents_keeps_to_the_years_that_are_asked_for(of_texts: OfTexts) -> None:
    texts = {
        "Ferry.txt": "Ferry\n\nIn 1884 the first ferry crossed the fjord. In 1950 it was sold to a museum.",
        "Bridge.txt": "Bridge\n\nIn 1911 the old bridge was opened by the mayor. Nobody has counted its visitors.",
        "Bakery.txt": "Bakery\n\nIn 1890 the bakery rented a shop in the old town.",
    }
    answer = of_texts(texts).ask("Make a timeline from the ferry and bridge articles between 1884 and 1911.")
    assert {quote.text[:7] for quote in answer.citations} == {"In 1884", "In 1911"}


def test_rows_lists_and_references_stand_for_nothing() -> None:
    assert says_something("The company bought a second ship in March and sold the oldest one.")
    assert not says_something("Total operating expenses 12,400 13,900 11,200 9,800 14,100 3,200.")
    assert not says_something("Smith J, Miller K et al. Ferries and their passengers, a review.")
    assert not says_something("Management's Discussion and Analysis of Financial Condition 21 Item 3.")


def test_every_document_of_a_small_folder_is_opened_without_a_model(of_texts: OfTexts) -> None:
    texts = {
        f"{crop}.txt": f"The harvest of {crop} was good.\n" for crop in ("oats", "rye", "wheat", "barley", "maize")
    }
    coverage = of_texts(texts).ask("Who bought the maize in Lisbon?").coverage
    assert (len(coverage.read), coverage.not_opened) == (5, ())
