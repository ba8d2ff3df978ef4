"""The beginning, end and duration of something, and who holds a role, are judged by the words of the clause."""

from __future__ import annotations

import pytest

from investigator.questions.constraints import constraints
from investigator.questions.matching import matches
from investigator.questions.spans import Moment, in_span, time_spans
from investigator.questions.succession import succession
from investigator.questions.surroundings import Surroundings
from investigator.records import ConstraintKind, MatchState

OPEN = "Registration is open from 1 to 20 December 2026."
LEASE = "The lease starts on 1 May 2024 and runs for 36 months."
FEE = "From 1 September 2026 the fee is EUR 3.55."
RESIGNS = "Pieter Vos resigns as treasurer on 30 June 2026."
TAKES_OVER = "Helga Nyman takes over as treasurer from 1 July 2026."


def is_met(question: str, sentence: str) -> bool:
    found = matches(constraints(question), question, Surroundings(sentence))
    return all(match.state is MatchState.MET for match in found)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When does registration start?", OPEN),
        ("When does registration close?", OPEN),
        ("When does the lease start?", LEASE),
        ("When does the office close?", "The office is open from 7:00 to 21:00."),
        ("Until when is the hall let?", "The hall is let until 31 March."),
        ("Since when has the list been closed?", "The list has been closed since 1 May 2025."),
        ("What is the deadline for applications?", "Applications must reach the secretary by 30 April."),
        ("What is the fee in October 2026?", FEE),
        ("What is the fee in 2027?", FEE),
        ("What was the fee in March 2026?", "The fee was EUR 3.20 until 31 August 2026."),
        ("Is there a course on 7 April?", "The course takes place from 6 to 9 April 2027."),
        ("Who is the treasurer?", TAKES_OVER),
        ("Who will be treasurer in August 2026?", TAKES_OVER),
        ("Who was treasurer in May 2026?", RESIGNS),
        ("When did the inspection take place?", "The inspection was planned for 5 May, but took place on 9 May."),
    ],
)
def test_a_clause_that_gives_the_time_meets_the_question(question: str, sentence: str) -> None:
    assert is_met(question, sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When does the lease end?", LEASE),
        ("When does the open day end?", "The open day takes place on 5 May 2027."),
        ("When does the lease end?", "Notice must be given by 31 March before the end of the lease."),
        ("When does the trip end?", "The fee for the trip is 180 euros until 30 April."),
        ("When will the list be opened?", "The list has been closed since 1 May 2025."),
        ("When does Suki Mori leave?", "Suki Mori starts as a waiter on 15 June 2026."),
        ("What is the fee in August 2026?", FEE),
        ("What was the fee in 2020?", "Until the end of 2022 the fee was EUR 3."),
        ("How many cars were sold in 2017?", "Since 2015 the firm has sold 300 cars."),
        ("Is there a course on 12 April?", "The course takes place from 6 to 9 April 2027."),
        ("Who is the treasurer?", RESIGNS),
        ("Who will be treasurer in August 2026?", RESIGNS),
        ("Who was treasurer in May 2026?", TAKES_OVER),
        ("Who was the previous treasurer?", TAKES_OVER),
        ("What are the current assets?", "The assets are 40 million."),
    ],
)
def test_a_clause_about_another_time_does_not(question: str, sentence: str) -> None:
    assert not is_met(question, sentence)


@pytest.mark.parametrize(
    ("sentence", "leaving", "taking"),
    [
        ("Rosa Tal was elected chair instead of Sam Ull.", {"Sam Ull"}, {"Rosa Tal"}),
        ("The new chair is Ann Ode; the former chair, Tom Ots, moved to Riga.", {"Tom Ots"}, {"Ann Ode"}),
        ("Ann Cole was replaced by Ben Dow in May.", {"Ann Cole"}, {"Ben Dow"}),
        ("Mira Tal worked as cook until March.", {"Mira Tal"}, set()),
        ("Kadri Saar is the treasurer until October.", set(), set()),
        ("Ann Cole hands over the post of chair to Ben Dow.", {"Ann Cole"}, {"Ben Dow"}),
    ],
)
def test_a_sentence_says_who_leaves_a_role_and_who_takes_it(sentence: str, leaving: set[str], taking: set[str]) -> None:
    assert succession(sentence) == (leaving, taking)


def test_a_span_over_the_turn_of_the_year_has_two_years() -> None:
    sentence = "The office is closed from 20 December to 6 January 2027."
    assert in_span(Moment("", 2026, 12, 28), sentence)
    assert in_span(Moment("", 2027, 12, 28), sentence) is False


def test_the_year_of_a_report_begins_no_span() -> None:
    assert time_spans("Cash requirements have not changed since the 2021 Form 10-K.") == ()
    assert time_spans("The fee has been 40 euros since 2021.") != ()


def test_a_day_that_is_moved_is_no_span() -> None:
    assert time_spans("The exam has been moved from 15 February to 18 February 2027.") == ()


SEASON = "Unit: Pod; Dates 2023: 21 July - 3 September; Price: 74.00"


@pytest.mark.parametrize(
    ("year", "sentence", "named", "held"),
    [
        (2023, SEASON, None, True),
        (2022, SEASON, None, False),  # the only year of the row
        (2022, "Open from 21 July to 3 September.", 2023, False),  # the year of the title
        (2022, "Open from 21 July to 3 September.", None, True),
    ],
)
def test_a_span_without_a_year_belongs_to_that_of_its_row_or_title(
    year: int, sentence: str, named: int | None, held: bool
) -> None:
    assert in_span(Moment("August", year, 8), sentence, named) is held


@pytest.mark.parametrize(("question", "state"), [("in 2020", MatchState.MET), ("in 2021", MatchState.CONTRADICTED)])
def test_an_entry_of_a_log_is_of_the_day_above_it(question: str, state: MatchState) -> None:
    question = f"What was the damage {question}?"
    near = "9 February 2020 Damage: 1,900 euros. 26 October 2021 Nobody was hurt."
    found = matches(constraints(question), question, Surroundings("Damage: 1,900 euros.", near, day="9 February 2020"))
    assert state in {match.state for match in found if match.constraint.kind is ConstraintKind.PERIOD}


def test_a_time_of_day_is_no_price() -> None:
    question = "What time do we have to be off the pitch?"
    assert not is_met(question, "Pitch: low season; 31 March - 25 May; Price (GBP): 6.50")
    assert is_met(question, "Please leave the pitch by 10:30.")


def test_the_holder_before_somebody_is_named_beside_them() -> None:
    question = "Who was the base manager before Des?"
    assert not is_met(question, "Base manager: Des. Base manager at Top Lock: Lorna, in place of Keith Ambler.")
    assert is_met(question, "Keith Ambler was replaced by Des as base manager.")
