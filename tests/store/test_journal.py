"""Runs and the journal of their calls: replies and costs outlive a process, nothing is paid twice."""

from collections.abc import Callable

import pytest
from sqlalchemy import insert

from investigator.errors import NotFoundError, StoreError
from investigator.records import Investigation, Memory, Prompt, QuestionVariables, ReflectReply, Reply, RunSetup
from investigator.scoring.prices import Price
from investigator.store.database import Database
from investigator.store.in_memory import InMemoryJournal
from investigator.store.journal import Journal, Runs
from investigator.store.past_calls import PastCalls
from investigator.store.schema import runs

PROMPT = Prompt("t/t", QuestionVariables(document_id="a", purpose="b", perspectives="c"), "text", ReflectReply)
PRICES = {"dear": Price(model="dear", input=10.0, output=40.0), "free": Price(model="free", input=0, output=0)}
Reopen = Callable[[], Database]


def begin(database: Database, run_id: str = "1", identity: str = "same", *, fresh: bool = False) -> str:
    blank = Investigation(id=run_id, question="Q", setup=RunSetup(mission="M", strategy="S", engine="scripted"))
    return Runs(database).open(identity, "corpus", blank, f"2026-01-01T00:00:00+{run_id}", fresh=fresh).id


def journal(
    database: Database, run_id: str, *, reuse: bool = True, clock: Callable[[], float] = lambda: 0.0
) -> Journal:
    return Journal(database, run_id, clock, reuse=reuse, price_of=PRICES.get)


def paid(tokens_in: int, tokens_out: int = 0, seconds: float = 0.0) -> Reply:
    return Reply(text="said", input_tokens=tokens_in, output_tokens=tokens_out, seconds=seconds)


def test_a_resumed_run_keeps_its_replies_and_what_was_spent_by_each_engine(database: Database, reopen: Reopen) -> None:
    run = begin(database)
    before = journal(database, run)
    before.keep("k1", PROMPT, "dear", paid(1000, 100, 0.25))
    before.keep("k2", PROMPT, "unknown", paid(10))
    again = journal(reopen(), run)
    assert again.find("k1") == paid(1000, 100, 0.25)
    assert again.usage() == before.usage()
    again.keep("k3", PROMPT, "dear", paid(2000))
    assert again.usage().money == pytest.approx(0.014 + 0.02)
    assert (again.usage().calls, again.usage().unpriced) == (3, 1)


def test_each_engine_is_paid_its_own_price_and_a_journal_in_memory_counts_as_the_one_that_is_written(
    database: Database,
) -> None:
    written, in_memory = journal(database, begin(database)), InMemoryJournal(PRICES.get)
    for kept in (written, in_memory):
        kept.keep("k1", PROMPT, "dear", paid(1000, 100, 0.25))
        kept.keep("k1", PROMPT, "dear", paid(9000))  # a call that is kept twice is paid once
        kept.keep("k2", PROMPT, "free", paid(5000, 500, 0.5))
        kept.keep("k3", PROMPT, "unknown", paid(7, 3))
        kept.keep("k4", PROMPT, "dear", paid(1000, 100))
        usage = kept.usage()
        assert (usage.calls, usage.input_tokens, usage.output_tokens, usage.seconds) == (4, 7007, 703, 0.75)
        assert usage.money == pytest.approx(2 * (0.01 + 0.004))
        assert usage.unpriced == 1
        assert kept.find("k1") == paid(1000, 100, 0.25)
        assert kept.find("k9") is None


def test_a_fresh_run_asks_again_but_remembers_its_own_calls(database: Database) -> None:
    journal(database, begin(database, "1")).keep("k", PROMPT, "e", Reply(text="old"))
    fresh = journal(database, begin(database, "2", fresh=True), reuse=False)
    assert fresh.find("k") is None
    fresh.keep("k", PROMPT, "e", Reply(text="new"))
    assert fresh.find("k") == Reply(text="new")


def test_the_same_question_goes_on_with_its_latest_run(database: Database) -> None:
    assert begin(database, "1") == "1"
    assert begin(database, "2") == "1"
    assert begin(database, "3", fresh=True) == "3"
    assert begin(database, "4") == "3"
    assert begin(database, "5", "another question") == "5"


def test_the_time_of_earlier_processes_and_of_a_killed_call_counts(database: Database) -> None:
    run = begin(database)
    now = [100.0]
    first = journal(database, run, clock=lambda: now[0])
    now[0] = 130.0
    first.keep("k", PROMPT, "e", Reply(text="x"))
    second = journal(database, run, clock=lambda: now[0])
    now[0] = 135.0
    assert second.elapsed() == pytest.approx(35.0)
    now[0] = 170.0
    second.begin("lost", "e", 1)
    assert journal(database, run).elapsed() == 70.0


def test_writing_a_memory_twice_changes_nothing(database: Database) -> None:
    run = begin(database)
    memory = Memory(id=1, target_document_id="a", question="q", reply="r", point=5)
    journal(database, run).keep_memory(memory)
    journal(database, run).keep_memory(memory)


def test_a_run_is_found_by_the_beginning_of_its_id(database: Database) -> None:
    begin(database, "20260101-aa", "one")
    begin(database, "20260101-ab", "two")
    runs = Runs(database)
    assert runs.investigation("20260101-ab").id == "20260101-ab"
    assert runs.investigation("20260101-aa").question == "Q"
    with pytest.raises(NotFoundError, match="several"):
        runs.investigation("2026")
    for unknown in ("x", "", "%", "_"):
        with pytest.raises(NotFoundError):
            runs.investigation(unknown)
    assert [summary.id for summary in runs.summaries()] == ["20260101-ab", "20260101-aa"]


def test_a_call_that_was_begun_and_never_ended_counts_in_the_next_process(database: Database, reopen: Reopen) -> None:
    run = begin(database)
    first = journal(database, run)
    for key in ("kept", "refused", "lost"):
        first.begin(key, "e", 50)
    first.keep("kept", PROMPT, "e", Reply(text="hello", input_tokens=40, output_tokens=2))
    first.withdraw("refused", sent=False)
    assert (first.usage().calls, first.usage().unanswered) == (1, 0)  # the third is still under way
    again = journal(reopen(), run).usage()
    assert (again.calls, again.unanswered, again.input_tokens) == (2, 1, 90)
    assert Runs(database).summaries()[0].calls == 2


def test_a_call_that_was_waited_for_in_vain_counts_at_once_and_stays_counted(
    database: Database, reopen: Reopen
) -> None:
    run = begin(database)
    kept = journal(database, run)
    kept.begin("k", "e", 50)
    kept.withdraw("k", sent=True)
    kept.begin("k", "e", 50)
    kept.keep("k", PROMPT, "e", Reply(text="hello", input_tokens=40))
    usage = kept.usage()
    assert (usage.calls, usage.unanswered, usage.input_tokens) == (2, 1, 90)
    assert journal(reopen(), run).usage() == usage


def test_a_run_of_an_earlier_version_is_listed_with_its_question_and_says_so_when_it_is_opened(
    database: Database,
) -> None:
    begin(database)
    record = '{"id": "old", "question": "How deep is it?", "kind": "value", "answer": {"claims": []}}'
    values = {"id": "old", "identity": "i", "corpus": "c", "created": "2025-01-01T00:00:00", "engine": "e"}
    row = {**values, "question": "How deep is it?", "answer_status": "answered", "record": record}
    with database.begin() as connection:
        connection.execute(insert(runs), row)
    _, old = Runs(database).summaries()
    assert (old.id, old.question, old.engine, old.answer_status) == ("old", row["question"], "", None)
    with pytest.raises(StoreError, match=r"made by another version .* How deep is it\?"):
        Runs(database).investigation("old")


def test_past_calls_hold_the_replies_of_their_run_also_those_that_an_earlier_one_paid_for(database: Database) -> None:
    first, second = begin(database, "1"), begin(database, "2", fresh=True)
    journal(database, first).keep("k1", PROMPT, "dear", paid(1000))
    later = journal(database, second)
    assert later.find("k1") == paid(1000)
    later.keep("k2", PROMPT, "dear", paid(2))
    assert (journal(database, second).usage().calls, journal(database, second).usage().input_tokens) == (1, 2)
    assert [PastCalls(database, first).find(key) for key in ("k1", "k2")] == [paid(1000), None]
    assert [PastCalls(database, second).find(key) for key in ("k1", "k2")] == [paid(1000), paid(2)]


def test_going_through_past_calls_pays_nothing_and_counts_each_call_that_was_asked_for_once(database: Database) -> None:
    run = begin(database)
    kept = journal(database, run)
    for key in ("k1", "k2", "k3"):
        kept.keep(key, PROMPT, "dear", paid(1000))
    past = PastCalls(database, run)
    assert past.used == set()
    for key in ("k1", "k1", "missing", "k3"):
        past.find(key)
    past.begin("new", "dear", 5000)
    past.withdraw("new", sent=False)  # no engine is called
    assert (len(past.used), past.usage().calls, past.elapsed()) == (2, 0, 0.0)
