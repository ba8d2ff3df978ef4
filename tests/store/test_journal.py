from collections.abc import Callable

import pytest
from sqlalchemy import insert

from investigator.errors import NotFoundError, StoreError
from investigator.records import Investigation, Memory, Prompt, QuestionVariables, ReflectReply, Reply, RunSetup
from investigator.store.database import Database
from investigator.store.journal import Journal, Runs
from investigator.store.schema import runs

PROMPT = Prompt("t/t", QuestionVariables(document_id="a", purpose="b", perspectives="c"), "text", ReflectReply)


def begin(database: Database, run_id: str, identity: str = "same", *, fresh: bool = False) -> str:
    blank = Investigation(id=run_id, question="Q", setup=RunSetup(mission="M", strategy="S", engine="scripted"))
    return Runs(database).open(identity, "corpus", blank, f"2026-01-01T00:00:00+{run_id}", fresh=fresh).id


def journal(database: Database, run_id: str, *, reuse: bool = True, now: float = 0.0) -> Journal:
    return Journal(database, run_id, lambda: now, reuse=reuse)


def test_a_kept_reply_is_found_after_a_restart(database: Database, reopen: Callable[[], Database]) -> None:
    run = begin(database, "1")
    journal(database, run).keep("k", PROMPT, "e", Reply(text="hello", input_tokens=3, output_tokens=2))
    again = journal(reopen(), run)
    assert again.find("k") == Reply(text="hello", input_tokens=3, output_tokens=2)
    assert (again.usage().calls, again.usage().tokens) == (1, 5)


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


def test_the_time_of_earlier_processes_counts(database: Database) -> None:
    run = begin(database, "1")
    now = [100.0]
    first = Journal(database, run, lambda: now[0], reuse=True)
    now[0] = 130.0
    first.keep("k", PROMPT, "e", Reply(text="x"))
    second = Journal(database, run, lambda: now[0], reuse=True)
    now[0] = 135.0
    assert second.elapsed() == pytest.approx(35.0)


def test_writing_a_memory_twice_changes_nothing(database: Database) -> None:
    run = begin(database, "1")
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


def test_a_call_that_was_begun_and_never_ended_counts_in_the_next_process(
    database: Database, reopen: Callable[[], Database]
) -> None:
    run = begin(database, "1")
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
    database: Database, reopen: Callable[[], Database]
) -> None:
    run = begin(database, "1")
    kept = journal(database, run)
    kept.begin("k", "e", 50)
    kept.withdraw("k", sent=True)
    kept.begin("k", "e", 50)
    kept.keep("k", PROMPT, "e", Reply(text="hello", input_tokens=40))
    usage = kept.usage()
    assert (usage.calls, usage.unanswered, usage.input_tokens) == (2, 1, 90)
    assert journal(reopen(), run).usage() == usage


def test_the_time_of_a_killed_call_counts(database: Database) -> None:
    run = begin(database, "1")
    clock = iter([0.0, 70.0]).__next__
    Journal(database, run, clock, reuse=True).begin("k", "e", 1)
    assert Journal(database, run, lambda: 0.0, reuse=True).elapsed() == 70.0


def test_a_run_of_an_earlier_version_is_listed_with_its_question_and_says_so_when_it_is_opened(
    database: Database,
) -> None:
    begin(database, "1")
    record = '{"id": "old", "question": "How deep is it?", "kind": "value", "answer": {"claims": []}}'
    values = {"id": "old", "identity": "i", "corpus": "c", "created": "2025-01-01T00:00:00", "engine": "e"}
    row = {**values, "question": "How deep is it?", "answer_status": "answered", "record": record}
    with database.begin() as connection:
        connection.execute(insert(runs), row)
    _, old = Runs(database).summaries()
    assert (old.id, old.question, old.engine, old.answer_status) == ("old", row["question"], "", None)
    with pytest.raises(StoreError, match=r"made by another version .* How deep is it\?"):
        Runs(database).investigation("old")
