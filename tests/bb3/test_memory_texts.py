"""Memories as words, and in the forms used by the families of BB3 models."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from investigator.bb3.memory.session import MemoryOptions, SessionMemories, most_alike, shared_words
from investigator.bb3.memory.text import (
    NO_PERSONA,
    MemoryForm,
    clean_text,
    is_new_memory,
    memory_words,
    owner_of,
    prefix_of,
    says_nothing,
    says_something_new,
    split_prefix,
    with_prefix,
    with_some_prefix,
)
from investigator.bb3.records import Speaker
from investigator.errors import DataError

OPT, R2C2 = MemoryForm.PREFIXES, MemoryForm.TOKENS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don’t like Mondays.", ["i", "do", "not", "like", "mondai"]),
        ("Tom's dog barks!", ["tom", "'s", "dog", "bark"]),
        ("I can't swim", ["i", "can", "not", "swim"]),
        ("She said “hello”, then bye.", ["she", "said", "“", "hello", "”", "bye"]),
        ("5,000 books (daily)--or #2?!", ["5,000", "book", "daili", "or", "2"]),
        ("He has this very old boat", ["he", "has", "this", "old", "boat"]),
        ("🐶 is מקסים", ["🐶", "מקסים"]),
        ("", []),
        ("...!?", []),
    ],
)
def test_a_memory_is_cut_into_its_words(text: str, words: list[str]) -> None:
    assert memory_words(text) == words


def test_words_that_tell_nothing_can_be_left_out() -> None:
    assert memory_words("They say this was the new museum of his", without_stop_words=True) == ["sai", "new", "museum"]


@pytest.mark.parametrize("text", ["x" * 10_000, "a." * 5_000, "don't " * 2_000, "'" * 10_000, "I like tea. " * 800])
def test_a_memory_of_ten_thousand_characters_is_cut_quickly(text: str) -> None:
    memory_words("loads the library")
    began = time.process_time()
    memory_words(text)
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("kept", "new"),
    [
        ("I have a dog.", "I have a dog!"),
        ("My car is nice", "My car is really very nice."),
        ("I'm traveling to Japan", "I travel to Japan."),
        ("ich habe einen Hund", "Ich habe einen Hund."),
        ("I have money", "I don't have money"),
        ("I have a dog", "I have a dog and a cat"),
    ],
)
def test_a_memory_with_all_words_of_another_is_a_repetition_as_in_parlai(kept: str, new: str) -> None:
    assert not says_something_new(new, [kept])


@pytest.mark.parametrize(
    ("kept", "new"),
    [
        ("I have a dog and a cat", "I have a dog"),
        ("I have a dog named Rex", "I have a dog named Bella"),
    ],
)
def test_what_says_something_else_is_new(kept: str, new: str) -> None:
    assert says_something_new(new, [kept])


@pytest.mark.parametrize(
    "said",
    [
        *("", " ", "no persona", "No Persona.", "NO PERSONA!", "“no persona”", "None.", NO_PERSONA, f"{NO_PERSONA} "),
        "METASEQ RESPONSE FAILED.",
    ],
)
def test_no_memory_is_seen_in_any_spelling(said: str) -> None:
    assert says_nothing(said)
    assert not is_new_memory(said, prefix_of(Speaker.SELF, OPT), [])


def test_a_memory_may_be_about_nothing() -> None:
    assert not says_nothing("I have nothing to do with it")
    assert not says_nothing("I am the only one without a persona here")


def test_only_memories_of_the_same_owner_are_repeated() -> None:
    kept = ["Person 1's Persona: I like tea."]
    assert not is_new_memory("I like tea", "Person 1's Persona", kept)
    assert is_new_memory("I like tea", "Person 2's Persona", kept)


@pytest.mark.parametrize("form", list(MemoryForm))
@pytest.mark.parametrize("speaker", list(Speaker))
@pytest.mark.parametrize(
    "text",
    ["I like tea.", "Personally, I like tea.", "Person: me", "your persona is fine", "x: y: z", "", "Person 1 sings"],
)
def test_every_written_memory_has_an_owner(text: str, speaker: Speaker, form: MemoryForm) -> None:
    split_prefix(with_prefix(text, speaker, form))
    split_prefix(with_some_prefix(text, speaker, form))


def test_whose_a_memory_is_shows_in_its_prefix() -> None:
    assert owner_of("person 2's persona : I am old") == (Speaker.SELF, "I am old")
    assert owner_of("Partner's persona: x") == (Speaker.PARTNER, "x")
    assert owner_of("I said: no") == (None, "I said: no")


def test_a_memory_without_an_owner_is_a_named_error() -> None:
    with pytest.raises(DataError, match="does not name its owner") as raised:
        split_prefix("I like tea")
    assert "Person 1's Persona" in raised.value.hint


def test_words_are_not_glued_where_a_name_was() -> None:
    assert clean_text("You: hi Partner: yo __memory__") == "hi yo"


DOG, TEA = "Person 1's Persona: I have a dog.", "Person 1's Persona: I like tea."
KEPT = {DOG: 0, TEA: 2}


def session(
    memories: dict[str, int], options: MemoryOptions | None = None, chance: Callable[[], float] = lambda: 1.0
) -> SessionMemories:
    made = SessionMemories(MemoryForm.PREFIXES, options or MemoryOptions(), chance=chance)
    made.set(memories)
    return made


def free(options: MemoryOptions, text: str = "my dog barks", draws: tuple[float, ...] = ()) -> list[str]:
    numbers = iter(draws)
    return list(session(KEPT, options, lambda: next(numbers)).available(text))


def test_without_options_all_may_be_drawn_on() -> None:
    assert free(MemoryOptions()) == [DOG, TEA]


def test_what_has_nothing_to_do_with_the_turn_can_be_left_out() -> None:
    assert free(MemoryOptions(memory_overlap_threshold=0.1)) == [DOG]
    assert shared_words("my dog barks", "I have a dog.") == 2 / 3


def test_the_words_of_the_prefix_do_not_count() -> None:
    assert shared_words("dog", "dog") == 1.0
    assert free(MemoryOptions(memory_overlap_threshold=0.01), text="the person has 1 persona") == []


def test_what_was_used_just_now_can_be_left_out() -> None:
    assert free(MemoryOptions(memory_hard_block_for_n_turns=1)) == [TEA]


def test_a_soft_block_grows_weaker_with_every_turn() -> None:
    option = MemoryOptions(memory_soft_block_decay_factor=0.5)
    assert free(option, draws=(0.9, 0.2)) == []  # 0.9 < 0.5**0, 0.2 < 0.5**2
    assert free(option, draws=(0.9, 0.3)) == [TEA]
    assert free(MemoryOptions(memory_soft_block_decay_factor=1), draws=(0.9, 0.9)) == []


def test_of_many_the_32_that_share_most_are_left_best_first() -> None:
    many = [f"I own {number} {thing}" for number in ("two", "nine") for thing in "abcdefghijklmnopqr"]
    left = most_alike("nine r", many, str.split)
    assert len(left) == 32
    assert left[0] == "I own nine r"
    assert left[-1] == "I own two e"
    assert most_alike("nine r", many[:31], str.split) == many[:31]


def test_a_made_up_memory_changes_nothing_but_ages() -> None:
    memories = session(KEPT)
    memories.end_turn(["never remembered"])
    assert memories.texts() == {DOG: 1, TEA: 3}
    memories.end_turn([TEA])
    assert memories.texts() == {DOG: 2, TEA: 0}


def test_a_memory_that_is_kept_already_stays_as_it_is() -> None:
    memories = session({TEA: 4})
    for text in ("I like tea.", "I have a dog.", ""):
        memories.add(text, Speaker.PARTNER)
    assert memories.texts() == {TEA: 4, DOG: 0}
