"""Of two memories that contradict each other the later one holds."""

from __future__ import annotations

import pytest

from investigator.bb3.memory.contradiction import NEGATED, is_overturned, settled_topics, what_holds


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I have a dog.", "I do not have a dog."),
        ("I don't have a dog", "I have a dog called Rex."),
        ("I have a dog called Rex", "I have no dog"),
        ("I have a dog", "I don't have a dog or a cat"),
        ("I have a dog", "I used to have a dog"),
        ("I like tea", "I hate tea."),
        ("I hate tea", "I don't hate tea"),
        ("I love tea", "I don't like tea anymore"),
        ("I like meat", "I can't stand meat"),
        ("I smoke", "I gave up smoking"),
        ("I like tea but not coffee", "I like coffee, not tea"),
        ("I am a vegetarian", "I'm not a vegetarian"),
        ("My name is Anna", "My name is Berta"),
        ("I live in Berlin", "I moved to Paris"),
        ("I live in Berlin", "I live in Paris."),
        ("I live in Berlin", "I do not live in Berlin"),
        ("I have two dogs", "I have three dogs"),
        ("I am single", "I am married"),
        ("My wife's name is Eva", "My wife is called Ada"),
        ("My favourite colour is red", "my favorite color is green now"),
        ("Ich habe einen Hund", "Ich habe keinen Hund"),
        ("Ich mag Tee", "Ich mag Tee nicht"),
        ("Ich mag Tee", "Ich hasse Tee"),
        ("Ich wohne in Köln", "Ich bin nach Hamburg gezogen"),
        ("J'ai un chien", "Je n'ai pas de chien"),
        ("Je m'appelle Zoé", "Mon nom est Léa"),
        ("Tengo un perro", "No tengo perro"),
        ("Vivo en Madrid", "Me mudé a Bilbao"),
    ],
)
def test_the_newer_of_two_holds(older: str, newer: str) -> None:
    assert what_holds([older, newer]) == ["", newer]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I have a dog", "I have a cat"),
        ("I have a dog", "I don't have a cat"),
        ("I have a dog", "I do not have a dog called Rex"),
        ("I like my dog food brand", "I don't have a dog"),
        ("I married a vegetarian", "I am not a vegetarian"),
        ("I live in Berlin", "I live in a small house"),
        ("I live in Berlin", "My brother lives in Rome"),
        ("I live in Berlin", "I don't like Berlin"),
        ("I like tea", "I do not like tea with milk"),
        ("My name is Anna Berg", "My name is Anna"),
        ("My name is Anna", "My dog's name is Rex"),
        ("My brother is a doctor", "My brother is tall"),
        ("My dog is called Rex", "My dog's name is Max"),
        ("I work as a baker", "I work at night"),
        ("I don't like tea", "I don't like tea at all"),
        ("Ich habe einen Hund", "Ich habe keine Katze"),
    ],
)
def test_what_can_both_be_true_both_holds(older: str, newer: str) -> None:
    assert what_holds([older, newer]) == [older, newer]


def test_the_rest_of_a_memory_still_holds() -> None:
    told = ["My name is Anna. I live in Berlin and I have a dog.", "I moved to Paris", "My name is Berta"]
    assert what_holds(told) == ["I have a dog.", "I moved to Paris", "My name is Berta"]


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
