from __future__ import annotations

import time

from investigator.questions.constraints import constraints
from investigator.questions.parts import taken_apart
from investigator.records import ConstraintKind


def of(kind: ConstraintKind, question: str) -> list[str]:
    return [one.text for one in constraints(question) if one.kind is kind]


def test_two_questions_joined_by_and_are_two_parts() -> None:
    parts = taken_apart("Who owns the bakery and who funded the Zebra trial?")
    assert [part.question for part in parts] == ["Who owns the bakery", "who funded the Zebra trial?"]


def test_a_part_that_points_back_by_a_pronoun_names_what_it_points_to() -> None:
    assert taken_apart("Who founded Acme Corp and when was it sold?")[1].question == "when was it sold? (Acme Corp)"


def test_a_part_names_the_thing_of_its_pronoun_or_all_that_it_leaves_out() -> None:
    def second(question: str) -> str:
        return taken_apart(question)[1].question

    assert second("Who repaired the freezer at Leer and what did it cost?") == "what did it cost? (freezer Leer)"
    assert second("Who mows the lawn these days and what do they charge?") == "what do they charge? (lawn these days)"
    assert second("How much milk was sold in May and how much in June?") == "how much in June? (milk; sold)"
    assert second("Which firm did the porch and at what price?") == "at what price? (porch)"
    assert second("Which van did we buy and what did we pay?") == "what did we pay? (buy)"
    assert second("Who is the new clerk and since when?") == "since when? (new clerk)"
    assert second("What did the new tank cost and who supplied it?") == "who supplied it? (new tank)"
    assert second("Who led the trip and when did she resign?") == "when did she resign?"


def test_a_question_word_at_the_end_asks_the_same_again() -> None:
    parts = [part.question for part in taken_apart("Which race was called off and why?")]
    assert parts == ["Which race was called off", "why was the race called off"]
    assert [part.question for part in taken_apart("When did Ann resign, and why?")][1] == "why did Ann resign"
    found = [part.question for part in taken_apart("  Who  discovered it and when? ")]
    assert found == ["Who discovered it", "when did this happen? (discovered it)"]


def test_a_comparison_asks_the_same_of_each_side() -> None:
    parts = taken_apart("Who was born later, Anna Berg or Jan Velde?")
    assert [part.question for part in parts] == ["Anna Berg: Who was born later", "Jan Velde: Who was born later"]
    assert len(taken_apart("Are Anna Berg and Jan Velde both painters?")) == 2


def test_a_question_that_holds_one_question_stays_as_it_is() -> None:
    for question in ("Katze", "For the trial, how many took part?", "?", "5"):
        (part,) = taken_apart(question)
        assert part.question == question


def test_twenty_parts_are_found_and_a_megabyte_costs_no_time() -> None:
    twenty = " and ".join(f"who owns the mill number {i}" for i in range(20)) + "?"
    assert len(taken_apart(twenty)) == 20
    began = time.process_time()
    taken_apart("who owns it and " * 70_000)
    constraints("Who " * 1_000)
    assert time.process_time() - began < 10


def test_names_periods_and_numbered_things_bind_a_question() -> None:
    question = "What did Apple's Mac net sales reach in the third quarter of 2022, after week 12?"
    assert of(ConstraintKind.ENTITY, question) == ["Apple", "Mac"]
    assert of(ConstraintKind.PERIOD, question) == ["third quarter of 2022"]
    assert of(ConstraintKind.CONDITION, question) == ["week 12"]
    assert of(ConstraintKind.PLACE, "Where in Leer did it burn?") == ["Leer"]


def test_the_kind_of_figure_and_what_is_counted_bind_a_question() -> None:
    assert of(ConstraintKind.QUANTITY, "What was the median age?") == ["median"]
    assert of(ConstraintKind.QUANTITY, "How many eligible children were randomised?") == ["count of eligible children"]
    assert of(ConstraintKind.QUANTITY, "What percentage of patients died?") == ["share"]


def test_nouns_show_the_kind_of_thing_that_an_answer_must_hold() -> None:
    assert of(ConstraintKind.ANSWER_TYPE, "What does a training day cost?") == ["number"]
    assert of(ConstraintKind.ANSWER_TYPE, "What is the hourly rate for work on site?") == ["number"]
    assert of(ConstraintKind.ANSWER_TYPE, "Which pupil from 7a was fetched?") == ["name"]
    assert of(ConstraintKind.ANSWER_TYPE, "What did the study find about the cost of coaching?") == []


def test_the_role_of_a_name_binds_a_question() -> None:
    assert of(ConstraintKind.ROLE, "Which chain did Spirit Mill buy?") == ["done by Spirit Mill | buy"]
    assert of(ConstraintKind.ROLE, "Which chain bought Spirit Mill in 1999?") == ["done to Spirit Mill | bought"]


def test_parts_in_two_languages_are_parts() -> None:
    parts = taken_apart("Wem gehört die Bäckerei, and who founded the clinic?")
    assert [part.question for part in parts] == ["Wem gehört die Bäckerei", "who founded the clinic?"]
