"""The table of facts about users: guarantees that only the store gives."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from investigator.bb3.memory.personal_facts import FactSource, FactText, PersonalFacts
from investigator.bb3.records import Speaker
from investigator.errors import StoreError
from investigator.store.database import Database

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


def fact(said: str, *terms: str) -> FactText:
    return FactText(speaker=Speaker.PARTNER, text=said, claim=" ".join(("+", *terms)), terms=terms)


def test_only_facts_with_all_terms_of_the_new_one_are_compared(database: Database) -> None:
    facts = PersonalFacts(database)
    facts.put("ann", fact("a dog and a cat", "dog", "cat"), FactSource(), NOON)
    facts.put("ann", fact("a dog", "dog"), FactSource(), NOON)
    facts.put("bob", fact("a cat, too", "cat"), FactSource(), NOON)
    seen: list[str] = []
    assert (
        facts.put("ann", fact("the cat", "cat"), FactSource(), NOON, lambda claim: bool(seen.append(claim))) is not None
    )
    assert seen == ["+ dog cat"]
    assert facts.put("ann", fact("cats", "cat"), FactSource(), NOON, lambda claim: True) is None


def test_the_newest_are_found_by_marks_that_are_no_words_of_theirs(database: Database) -> None:
    facts = PersonalFacts(database)
    for number, place in enumerate(("Berlin", "Paris", "Rome"), 1):
        told = FactText(
            speaker=Speaker.PARTNER, text=place, claim="+", terms=(place,), marks=("¬home", "¬favorite city")
        )
        kept = facts.put("ann", told, FactSource(), NOON)
        assert kept is not None
        assert kept.id == number
    facts.put("bob", fact("Oslo", "oslo"), FactSource(), NOON)
    assert [found.text for found in facts.newest("ann", 2)] == ["Rome", "Paris"]
    assert [found.text for found in facts.newest_of_each("ann", ["¬home", "¬favorite city"], 2)] == ["Paris", "Rome"]
    assert [found.text for found in facts.newest_of_each("ann", ["¬home"], 2, ["Berlin"])] == ["Berlin"]
    assert facts.newest_of_each("bob", ["¬home"]) == facts.newest_of_each("ann", ["home"]) == ()


def test_what_is_kept_anew_is_kept_once_and_last(database: Database) -> None:
    facts = PersonalFacts(database)
    for text_of in ("a dog", "a cat"):
        facts.put("ann", fact(text_of, text_of[2:]), FactSource(), NOON)
    assert facts.put("ann", fact("a dog", "dog"), FactSource(), NOON) is None
    assert facts.put_anew("ann", fact("a dog", "dog"), FactSource(chat_id="c"), NOON).id == 3
    assert [(found.id, found.text) for found in facts.memories("ann")] == [(2, "a cat"), (3, "a dog")]
    assert [found.id for found in facts.matching("ann", ["dog"], 9)] == [3]


def test_words_are_found_whole_whatever_their_script(database: Database) -> None:
    facts = PersonalFacts(database)
    words = ["hello-world", "hello", "🫠", "猫", "u.s.", "and", "or", "c++"]
    for word in words:
        facts.put("ann", fact(f"text of {word}", word), FactSource(), NOON)
    for word in words:
        assert [found.text for found in facts.matching("ann", [word], 10)] == [f"text of {word}"]
    assert facts.matching("ann", [], 10) == ()


def test_threads_share_a_memory(database: Database) -> None:
    facts = PersonalFacts(database)

    def write(name: str) -> None:
        for number in range(6):
            facts.put("ann", fact(f"{name} {number}", name), FactSource(), NOON)
            facts.put("ann", fact(f"both {number}", "both"), FactSource(), NOON)
            facts.end_turn("ann", ())

    threads = [threading.Thread(target=write, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert facts.count("ann") == 4 * 6 + 6
    facts.put("ann", fact("last", "last"), FactSource(), NOON)
    facts.end_turn("ann", ())
    assert facts.memories("ann")[-1].turns_since_used == 1
    assert max(found.turns_since_used for found in facts.memories("ann")) <= 25


def test_a_broken_store_is_told_by_name(database: Database) -> None:
    facts = PersonalFacts(database)
    with database.begin() as connection:
        connection.execute(text("DROP TABLE personal_facts"))
    with pytest.raises(StoreError, match="personal_facts"):
        facts.count("ann")
