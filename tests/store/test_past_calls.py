"""The costs of a run, by engine and over its processes, and its calls after it has ended."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from investigator.records import Investigation, Prompt, QuestionVariables, ReflectReply, Reply, RunSetup
from investigator.scoring.prices import Price
from investigator.store.database import Database
from investigator.store.in_memory import InMemoryJournal
from investigator.store.journal import Journal, Runs
from investigator.store.past_calls import PastCalls

PROMPT = Prompt("t/t", QuestionVariables(document_id="a", purpose="b", perspectives="c"), "text", ReflectReply)
PRICES = {"dear": Price(model="dear", input=10.0, output=40.0), "free": Price(model="free", input=0, output=0)}


def begin(database: Database, run_id: str) -> str:
    blank = Investigation(id=run_id, question="Q", setup=RunSetup(mission="M", strategy="S", engine="scripted"))
    return Runs(database).open(run_id, "corpus", blank, f"2026-01-01T00:00:00+{run_id}", fresh=True).id


def journal(database: Database, run_id: str, *, reuse: bool = True) -> Journal:
    return Journal(database, run_id, lambda: 0.0, reuse=reuse, price_of=PRICES.get)


def paid(tokens_in: int, tokens_out: int = 0, seconds: float = 0.0) -> Reply:
    return Reply(text="said", input_tokens=tokens_in, output_tokens=tokens_out, seconds=seconds)


def test_each_engine_is_paid_its_own_price_and_one_without_a_price_is_counted(database: Database) -> None:
    kept = journal(database, begin(database, "1"))
    kept.keep("k1", PROMPT, "dear", paid(1000, 100, 0.25))
    kept.keep("k2", PROMPT, "free", paid(5000, 500, 0.5))
    kept.keep("k3", PROMPT, "unknown", paid(7, 3))
    kept.keep("k4", PROMPT, "dear", paid(1000, 100))
    usage = kept.usage()
    assert (usage.calls, usage.input_tokens, usage.output_tokens, usage.seconds) == (4, 7007, 703, 0.75)
    assert usage.money == pytest.approx(2 * (0.01 + 0.004))
    assert usage.unpriced == 1


def test_a_resumed_run_keeps_what_was_spent_by_each_engine(database: Database, reopen: Callable[[], Database]) -> None:
    run = begin(database, "1")
    before = journal(database, run)
    before.keep("k1", PROMPT, "dear", paid(1000, 100, 0.25))
    before.keep("k2", PROMPT, "unknown", paid(10))
    again = journal(reopen(), run)
    assert again.usage() == before.usage()
    again.keep("k3", PROMPT, "dear", paid(2000))
    assert again.usage().money == pytest.approx(0.014 + 0.02)
    assert (again.usage().calls, again.usage().unpriced) == (3, 1)


def test_a_call_that_is_kept_twice_is_paid_once(database: Database) -> None:
    kept = journal(database, begin(database, "1"))
    kept.keep("k", PROMPT, "dear", paid(1000))
    kept.keep("k", PROMPT, "dear", paid(9000))
    assert (kept.usage().calls, kept.usage().input_tokens) == (1, 1000)
    assert kept.find("k") == paid(1000)


def test_a_reply_that_another_run_paid_for_stays_free_after_a_restart(database: Database) -> None:
    journal(database, begin(database, "1")).keep("k", PROMPT, "dear", paid(1000))
    second = begin(database, "2")
    assert journal(database, second).find("k") == paid(1000)
    assert journal(database, second).usage().calls == 0
    assert journal(database, second).usage().money == 0.0


def test_a_journal_in_memory_counts_as_the_one_that_is_written(database: Database) -> None:
    written, in_memory = journal(database, begin(database, "1")), InMemoryJournal(PRICES.get)
    for kept in (written, in_memory):
        kept.keep("k1", PROMPT, "dear", paid(1000, 100, 0.25))
        kept.keep("k1", PROMPT, "free", paid(9000))
        kept.keep("k2", PROMPT, "unknown", paid(10))
    assert in_memory.usage() == written.usage()
    assert in_memory.find("k1") == written.find("k1") == paid(1000, 100, 0.25)
    assert in_memory.find("k3") is None


def test_past_calls_hold_the_replies_of_their_run_alone(database: Database) -> None:
    first, second = begin(database, "1"), begin(database, "2")
    journal(database, first).keep("k1", PROMPT, "dear", paid(1))
    journal(database, second, reuse=False).keep("k2", PROMPT, "dear", paid(2))
    past = PastCalls(database, first)
    assert past.find("k1") == paid(1)
    assert past.find("k2") is None


def test_past_calls_hold_what_the_run_took_from_an_earlier_one(database: Database) -> None:
    journal(database, begin(database, "1")).keep("k", PROMPT, "dear", paid(1))
    second = begin(database, "2")
    journal(database, second).find("k")
    assert PastCalls(database, second).find("k") == paid(1)


def test_going_through_past_calls_pays_nothing(database: Database) -> None:
    run = begin(database, "1")
    journal(database, run).keep("k", PROMPT, "dear", paid(1000))
    past = PastCalls(database, run)
    past.find("k")
    past.begin("new", "dear", 5000)
    past.withdraw("new", sent=False)  # no engine is called
    assert (past.usage().calls, past.elapsed()) == (0, 0.0)


def test_past_calls_count_each_call_that_was_asked_for_once(database: Database) -> None:
    run = begin(database, "1")
    kept = journal(database, run)
    for key in ("k1", "k2", "k3"):
        kept.keep(key, PROMPT, "dear", paid(1))
    past = PastCalls(database, run)
    assert past.used == 0
    for key in ("k1", "k1", "missing", "k3"):
        past.find(key)
    assert past.used == 2
