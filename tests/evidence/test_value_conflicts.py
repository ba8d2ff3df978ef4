"""Different values that statements give for one thing, and cases that only look like conflicts."""

from __future__ import annotations

import pytest

from investigator.evidence.conflicts import DatedSentence
from investigator.evidence.stated_values import stated_value, thing_asked
from investigator.evidence.value_conflicts import value_conflict
from investigator.records import Quote


def statement(text: str, document: str, **known: object) -> DatedSentence:
    quote = Quote(document_id=document, page=None, line=1, start=0, end=len(text), text=text, source_hash=document)
    return DatedSentence(quote, text, **known)


def values(question: str, first: str, second: str, **known: object) -> set[str]:
    thing = thing_asked(question)
    assert thing is not None
    one, other = statement(first, "a", **known), statement(second, "b")
    found = value_conflict(question, thing, [one], [one, other])
    return {side.value for side in found.sides} if found else set()


@pytest.mark.parametrize(
    ("question", "sentence", "value", "replaced"),
    [
        ("What is the annual rent?", "The annual rent in clause 3 is changed to £42,000 from May.", "£42,000", []),
        ("What is the subscription?", "The subscription rises from £180 to £195.", "£195", ["£180"]),
        ("When is the fair?", "The fair is on 22 June instead of 15 June.", "22 June", ["15 June"]),
        ("How many seats does the hall have?", "The hall has 220 seats, the gallery 40 seats.", "220 seats", []),
        ("How many seats does the gallery have?", "The hall has 220 seats, the gallery 40 seats.", "40 seats", []),
        ("How large is the flat?", "The flat at 18 Mill Lane has 61 square metres.", "61 square metres", []),
    ],
)
def test_the_value_of_what_is_asked_is_told_from_others(
    question: str, sentence: str, value: str, replaced: list[str]
) -> None:
    thing = thing_asked(question)
    found = thing and stated_value(thing, sentence, frozenset())
    assert found
    assert (found.text, [one.text.strip(" .") for one in found.replaces]) == (value, replaced)


@pytest.mark.parametrize("sentence", ["One patient was lost to follow-up.", "The follow-up reached 44.4 %."])
def test_a_number_that_is_no_duration_does_not_say_how_long_something_is(sentence: str) -> None:
    thing = thing_asked("How long was the follow-up?")
    assert thing
    assert stated_value(thing, sentence, frozenset()) is None
    assert stated_value(thing, "The follow-up was 18 weeks.", frozenset())


def test_a_sentence_that_gives_several_values_gives_none() -> None:
    thing = thing_asked("What is the fee?")
    assert thing
    assert stated_value(thing, "The fee is £20 or £30.", frozenset()) is None


@pytest.mark.parametrize(
    ("question", "first", "second", "both"),
    [
        (
            "What is the floor area?",
            "He lets the ground floor with a floor area of 142 square metres.",
            "The measured floor area of the ground floor is 136 square metres.",
            {"142 square metres", "136 square metres"},
        ),
        (
            "What is the notice period?",
            "The notice period is three months.",
            "The notice period is extended to six months.",
            {"three months", "six months"},
        ),
        (
            "How much notice is needed?",
            "2. Half a year of notice, at least six months' notice, is needed.",
            'The words "six months\'" in clause 2 are replaced by "nine months\'".',
            {"six months", "nine months"},
        ),
    ],
)
def test_other_words_for_one_thing_conflict(question: str, first: str, second: str, both: set[str]) -> None:
    assert values(question, first, second) == both


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("How much is the fee?", "The fee for guests is 35 euros.", "The fee for members is 18 euros."),
        ("How much is the rent?", "The rent is 940 euros a month.", "The annual rent is 11,280 euros."),
        ("What was the balance?", "The balance on 3 May 2023 was £410.", "The balance on 3 May 2024 was £980."),
        ("What does the pier cost?", "The pier costs £780,000.", "The pier would cost £900,000."),
        ("What is the length?", "The Heron has a length of 9 m.", "On the Otter a length of 11 m is usual."),
        ("When is the next meeting?", "The next meeting is on 3 June.", "The next meeting is on 1 July."),
        ("How long is the notice period?", "The notice period is 30 days.", "The notice period is 30 days."),
    ],
)
def test_another_scope_span_time_or_plan_is_no_conflict(question: str, first: str, second: str) -> None:
    assert values(question, first, second) == set()


def test_documents_of_a_series_conflict_only_by_a_statement_of_change() -> None:
    series = {"alongside": frozenset({"b"})}
    assert values("What is the fee?", "The fee is £20.", "The fee is £25.") == {"£20", "£25"}
    assert values("What is the fee?", "The fee is £20.", "The fee is £25.", **series) == set()
    assert values("What is the fee?", "The fee is £20.", "The fee rises to £25.", **series) == {"£20", "£25"}
