"""Which memories may be used, and how their age is counted."""

from __future__ import annotations

from collections.abc import Callable

from investigator.bb3.memory.session import MemoryOptions, SessionMemories, most_alike, shared_words
from investigator.bb3.memory.text import MemoryForm
from investigator.bb3.records import Speaker

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
