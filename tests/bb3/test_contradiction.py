"""If two memories contradict each other, the later one is valid."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator.bb3.memory.contradiction import NEGATED, is_overturned, settled_topics, what_holds

HELD_BACK = [
    line.split("\t")
    for line in Path(__file__).with_name("held_back_contradictions.tsv").read_text(encoding="utf-8").splitlines()
]
"""(kind, older, newer) of pairs that no rule was written for: 30 that contradict each other, 24 that both hold."""


def test_of_pairs_that_no_rule_was_written_for_nearly_all_contradictions_are_seen_and_nothing_else() -> None:
    seen = [(kind, what_holds([older, newer])[0] != older) for kind, older, newer in HELD_BACK]
    assert seen.count(("contradict", True)) >= 27
    assert seen.count(("both hold", True)) <= 1


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I have a dog.", "I do not have a dog."),
        ("I don't have a dog", "I have a dog called Rex."),
        ("I have a dog", "I don't have a dog or a cat"),
        ("I have a dog", "I used to have a dog"),
        ("I like tea", "I hate tea."),
        ("I love tea", "I don't like tea anymore"),
        ("I like meat", "I can't stand meat"),
        ("I smoke", "I gave up smoking"),
        ("I like tea but not coffee", "I like coffee, not tea"),
        ("My name is Anna", "My name is Berta"),
        ("I live in Berlin", "I moved to Paris"),
        ("I live in Berlin", "I live in Paris."),
        ("I have two dogs", "I have three dogs"),
        ("I am single", "I am married"),
        ("My wife's name is Eva", "My wife is called Ada"),
        ("My favourite colour is red", "my favorite color is green now"),
        ("Ich habe einen Hund", "Ich habe keinen Hund"),
        ("Ich mag Tee", "Ich mag Tee nicht"),
        ("J'ai un chien", "Je n'ai pas de chien"),
        ("Je m'appelle Zoé", "Mon nom est Léa"),
        ("Tengo un perro", "No tengo perro"),
        ("I am vegetarian", "I'm not vegetarian any more."),
        ("I live in Berlin", "I don't live in Berlin any more"),
        ("I am based in Berlin", "I moved out of Berlin last year."),
        ("I live in Berlin, Germany", "I no longer live in Berlin"),
        ("I live in Trinidad and Tobago", "I moved to Paris"),
        ("Ich wohne in Köln", "Ich bin von Köln nach Hamburg gezogen"),
        ("Ich lebe in Köln", "Ich wohne nicht mehr in Köln"),
        ("J'habite à Lyon", "J'ai déménagé de Lyon à Paris"),
        ("I live in Berlin", "Vivo en París"),
        ("Vivo en Madrid", "Ya no vivo en Madrid"),
        ("I have a dog called Rex", "My dog is dead."),
        ("I have two dogs", "Sadly, my dogs died last week"),
        ("Ich habe einen Hund", "Mein Hund ist gestorben"),
        ("J'ai un chien", "Mon chien est mort"),
        ("Tengo un perro", "Mi perro ha muerto"),
        ("I have a dog and a cat", "I have neither a dog nor a cat"),
        ("I have two cats and three dogs", "I have no cats and no dogs"),
        ("Ich habe einen Hund", "Ich habe weder Hund noch Katze"),
    ],
)
def test_the_newer_of_two_holds(older: str, newer: str) -> None:
    assert what_holds([older, newer]) == ["", newer]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I have a dog", "I don't have a cat"),
        ("I have a dog", "I do not have a dog called Rex"),
        ("I like my dog food brand", "I don't have a dog"),
        ("I married a vegetarian", "I am not a vegetarian"),
        ("I live in Berlin", "I live in a small house"),
        ("I live in Berlin", "My brother lives in Rome"),
        ("I like tea", "I do not like tea with milk"),
        ("My name is Anna Berg", "My name is Anna"),
        ("My name is Anna", "My dog's name is Rex"),
        ("My dog is called Rex", "My dog's name is Max"),
        ("I work as a baker", "I work at night"),
        ("I don't like tea", "I don't like tea at all"),
    ],
)
def test_what_can_both_be_true_both_holds(older: str, newer: str) -> None:
    assert what_holds([older, newer]) == [older, newer]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I am allergic to nuts and penicillin.", "I am no longer allergic to nuts."),
        ("I'm allergic to nuts, penicillin", "I'm not allergic to penicillin"),
        ("I have two cats and a parrot.", "I no longer have a parrot."),
        ("I have a dog and live in Berlin.", "I no longer live in Berlin."),
        ("I live in Berlin and have a dog.", "I moved to Paris."),
        ("I live in Berlin and have a dog.", "I moved out of Berlin"),
        ("I am married and a nurse", "I am divorced"),
        ("I like tea, coffee and milk", "I hate coffee"),
        ("I like coffee, not milk or tea", "I like milk"),
        ("I have a dog and a cat", "My dog died"),
        ("Ich bin Hebamme und habe zwei Katzen.", "Ich bin keine Hebamme mehr."),
        ("J'ai un chien et un chat", "Je n'ai plus de chien"),
        ("Soy alérgico a las nueces y a la penicilina", "Ya no soy alérgico a las nueces"),
    ],
)
def test_who_denies_one_thing_of_a_list_has_not_denied_the_others(older: str, newer: str) -> None:
    assert what_holds([older, newer]) == [older, newer]


def test_who_denies_all_of_a_list_one_by_one_has_denied_it() -> None:
    assert what_holds(["I have a dog and a cat.", "I have no dog.", "I have no cat."])[0] == ""


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I have two cats", "My cat died"),
        ("I have dogs", "My dog died"),
        ("I have a phone", "My phone died"),
        ("I have a dog", "My dog died laughing"),
        ("I live in Berlin", "I moved out of Paris"),
        ("I live in Berlin", "I moved from Paris to Berlin"),
    ],
)
def test_what_died_or_was_left_is_not_what_is_told(older: str, newer: str) -> None:
    assert what_holds([older, newer]) == [older, newer]


def test_the_rest_of_a_memory_still_holds() -> None:
    told = ["My name is Anna. I live in Berlin and I have a dog.", "I moved to Paris", "My name is Berta"]
    assert what_holds(told) == ["I have a dog.", "I moved to Paris", "My name is Berta"]


def test_the_rest_is_told_as_it_was_written() -> None:
    told = "I have a dog, I am a nurse and I live in Berlin."
    assert what_holds([told, "I moved to Paris"])[0] == "I have a dog, I am a nurse"
    assert what_holds([told, "I am not a nurse"])[0] == "I have a dog I live in Berlin."


def test_the_last_word_counts_whatever_was_said_between() -> None:
    told = ["I have a dog.", "I have no dog.", "I have a dog again."]
    assert what_holds(told)[1:] == ["", "I have a dog again."]
    assert is_overturned(["I have no dog."], "I have a dog.")
    assert not is_overturned(["I have a cat."], "I have a dog.")


def test_what_is_being_said_counts_and_what_is_asked_does_not() -> None:
    assert what_holds(["I have a dog."], ["Oh no. I do not have a dog."]) == [""]
    assert what_holds(["I have no dog."], ["Do I have a dog?"]) == ["I have no dog."]
    assert what_holds(["I have no dog."], ["do I have a dog"]) == ["I have no dog."]


def test_a_memory_is_found_by_what_it_settles() -> None:
    assert settled_topics("I live in Berlin. I have no dog.") == {f"{NEGATED}home", NEGATED}
    assert settled_topics("I sing.") == set()


@pytest.mark.parametrize("text", ["", "…", "🐶", "x" * 2_000, "no " * 600, "I have, " * 250, "我没有狗", "\u202e"])
def test_any_text_can_be_compared(text: str) -> None:
    assert what_holds([text, "I have a dog."])[1] == "I have a dog."
