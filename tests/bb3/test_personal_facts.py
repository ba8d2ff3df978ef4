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


def fact(text_of: str) -> FactText:
    return FactText(speaker=Speaker.PARTNER, text=text_of)


def test_threads_share_a_memory(database: Database) -> None:
    facts = PersonalFacts(database)

    def write(name: str) -> None:
        for number in range(6):
            facts.put("ann", fact(f"{name} {number}"), FactSource(), NOON)
            facts.put("ann", fact(f"both {number}"), FactSource(), NOON)
            facts.end_turn("ann", ())

    threads = [threading.Thread(target=write, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert facts.count("ann") == 4 * 6 + 6
    facts.put("ann", fact("last"), FactSource(), NOON)
    facts.end_turn("ann", ())
    assert facts.memories("ann")[-1].turns_since_used == 1
    assert max(found.turns_since_used for found in facts.memories("ann")) <= 25


def test_a_broken_store_is_told_by_name(database: Database) -> None:
    facts = PersonalFacts(database)
    with database.begin() as connection:
        connection.execute(text("DROP TABLE personal_facts"))
    with pytest.raises(StoreError, match="personal_facts"):
        facts.count("ann")
