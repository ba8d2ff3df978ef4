"""Runs and memories in PostgreSQL are locked by one process and outlive connections; refusals are reported clearly."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from postgres_server import PostgresServer
from sqlalchemy import text

from investigator.bb3.memory.long_term import LongTermMemory
from investigator.engines.scripted import ScriptedEmbedder
from investigator.errors import (
    DiskFullError,
    SettingsError,
    StoreError,
    WorkspaceLockedError,
)
from investigator.records import Investigation, Prompt, QuestionVariables, ReflectReply, Reply, RunSetup
from investigator.store.database import Database
from investigator.store.journal import Journal, Runs
from investigator.store.postgres import PostgresDatabase
from investigator.store.schema import CODED

PROMPT = Prompt("t/t", QuestionVariables(document_id="a", purpose="b", perspectives="c"), "text", ReflectReply)


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.emptied()


Opener = Callable[..., PostgresDatabase]


@pytest.fixture
def opened(url: str) -> Iterator[Opener]:
    """Open the runs of a folder, as another process would."""
    made: list[PostgresDatabase] = []

    def again(name: str = "papers", at: str = url) -> PostgresDatabase:
        made.append(PostgresDatabase(at, name))
        return made[-1]

    yield again
    for entry in made:
        entry.close()


def begun(database: Database, run_id: str = "1") -> Journal:
    blank = Investigation(id=run_id, question="Q", setup=RunSetup(mission="M", strategy="S", engine="scripted"))
    run = Runs(database).open("identity", "corpus", blank, f"2026-01-01T00:00:0{run_id}", fresh=False)
    return Journal(database, run.id, lambda: 0.0, reuse=True)


def test_folders_of_one_database_do_not_see_each_others_runs(opened: Opener) -> None:
    papers, letters = opened(), opened("Letters_of.2026-" + 42 * "x")
    begun(papers)
    LongTermMemory(papers, ScriptedEmbedder()).add("ann", "I have a dog.")
    assert Runs(letters).summaries() == ()
    assert LongTermMemory(letters, ScriptedEmbedder()).users() == ()
    assert [run.id for run in Runs(opened()).summaries()] == ["1"]


def test_what_one_holds_another_is_refused_and_told_who_holds_it(opened: Opener) -> None:
    first, second = opened(), opened()
    with first.held("a question"):
        with (
            pytest.raises(WorkspaceLockedError, match=r"by investigator on .*, process \d+"),
            second.held("a question"),
        ):
            pass
        with second.held("another question") as other:
            assert Runs(other).summaries() == ()
    assert is_soon_free(second, "a question")


def is_soon_free(database: PostgresDatabase, what: str) -> bool:
    """Return True if a lock is free within seconds: the server notices a moment later that a connection was closed."""
    for _ in range(100):
        with suppress(WorkspaceLockedError), database.held(what):
            return True
        time.sleep(0.1)
    return False


_HOLDER = """
import sys, time
from investigator.store.postgres import PostgresDatabase
with PostgresDatabase(sys.argv[1], "papers").held("a question"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_what_a_killed_process_held_is_free_at_once(opened: Opener, url: str) -> None:
    database = opened()
    with subprocess.Popen([sys.executable, "-c", _HOLDER, url], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(WorkspaceLockedError), database.held("a question"):
            pass
        holder.kill()
    until = time.monotonic() + 30
    while True:
        with suppress(WorkspaceLockedError), database.held("a question"):
            break
        assert time.monotonic() < until, "the lock of a killed process is still there"
        time.sleep(0.05)


def restarted(postgres: PostgresServer) -> None:
    postgres.stop()
    threading.Timer(0.3, postgres.start).start()


def cut_off(postgres: PostgresServer) -> None:
    assert postgres.drop_connections() > 0


@pytest.mark.parametrize("cut", [cut_off, restarted])
def test_a_reply_is_kept_although_the_connection_was_cut_or_the_server_restarted_meanwhile(
    opened: Opener, postgres: PostgresServer, cut: Callable[[PostgresServer], object]
) -> None:
    database, other = opened(), opened()
    with database.held("a question") as held:
        journal = begun(held)
        journal.begin("k", "e", 5)
        cut(postgres)
        journal.keep("k", PROMPT, "e", Reply(text="paid for"))
        assert journal.find("k") == Reply(text="paid for")
        with pytest.raises(WorkspaceLockedError), other.held("a question"):  # it was taken again
            pass
    assert [run.calls for run in Runs(other).summaries()] == [1]


def test_a_connection_that_is_cut_inside_a_write_fails_that_write_and_no_later_one(
    opened: Opener, postgres: PostgresServer
) -> None:
    database, other = opened(), opened()
    with database.held("a question") as held:
        journal = begun(held)

        def write_as_it_is_cut() -> None:
            with held.begin() as connection:
                cut_off(postgres)
                connection.execute(text("DELETE FROM calls"))

        with pytest.raises(StoreError, match="was lost") as caught:
            write_as_it_is_cut()
        assert "try again when the server can be reached" in caught.value.hint
        journal.keep("k", PROMPT, "e", Reply(text="paid for"))
        assert journal.find("k") == Reply(text="paid for")
        with pytest.raises(WorkspaceLockedError), other.held("a question"):
            pass


def test_a_pooler_that_changes_sessions_is_told(opened: Opener) -> None:
    with opened().held("a question") as held:
        held._session = -1  # what a pooler in the mode of transactions looks like
        with pytest.raises(StoreError, match="reaches a different session") as caught:
            begun(held)
        assert "a pooler in session mode" in caught.value.hint


def test_nothing_is_written_by_one_whose_hold_another_has_taken(
    opened: Opener, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("investigator.store.postgres._PATIENCE", 0.0)
    database, other = opened(), opened()
    with database.held("a question") as held:
        journal = begun(held)
        postgres.drop_connections()
        with other.held("a question"), pytest.raises(WorkspaceLockedError, match="process"):
            journal.keep("k", PROMPT, "e", Reply(text="late"))
    assert [run.calls for run in Runs(other).summaries()] == [0]


def test_a_server_that_is_gone_in_the_middle_is_named_and_what_was_kept_is_there_when_it_is_back(
    opened: Opener, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("investigator.store.postgres._PATIENCE", 0.0)
    database = opened()
    with database.held("a question") as held:
        journal = begun(held)
        journal.keep("k", PROMPT, "e", Reply(text="paid for"))
        postgres.stop()
        with pytest.raises(StoreError, match=r"cannot be used|was lost") as caught:
            journal.keep("k2", PROMPT, "e", Reply(text="late"))
        postgres.start()
    assert caught.value.hint
    with database.held("a question") as held:
        assert begun(held, "2").find("k") == Reply(text="paid for")


@pytest.mark.parametrize(
    ("state", "kind", "message", "hint"),
    [
        ("53100", DiskFullError, "no space is left on the server", "Free some space there"),
        ("25006", StoreError, "rejects writes", "standby"),
        ("42501", StoreError, "rejects writes", "GRANT"),
        ("XX001", StoreError, "failed: invalid page", "server log"),
    ],
)
def test_a_refused_write_is_told_and_what_was_kept_before_stays(
    opened: Opener, postgres: PostgresServer, state: str, kind: type[StoreError], message: str, hint: str
) -> None:
    database = opened()
    journal = begun(database)
    journal.keep("k", PROMPT, "e", Reply(text="paid for"))
    postgres.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION 'invalid page' USING ERRCODE = '{state}'; END $$",
    )
    postgres.execute("CREATE TRIGGER refusal BEFORE INSERT ON calls EXECUTE FUNCTION refuse()")
    with pytest.raises(kind, match=message) as caught:
        journal.keep("k2", PROMPT, "e", Reply(text="late"))
    assert hint in caught.value.hint
    postgres.execute("DROP TRIGGER refusal ON calls")
    assert journal.find("k") == Reply(text="paid for")
    journal.keep("k2", PROMPT, "e", Reply(text="late"))


def test_a_user_who_may_only_read_sees_the_runs_and_is_told_what_is_missing(
    opened: Opener, postgres: PostgresServer, url: str
) -> None:
    with pytest.raises(StoreError, match=r'role "reader.* does not exist') as caught:
        opened(at=postgres.url("postgres", "reader_of_runs"))
    assert "PGPASSWORD" in caught.value.hint
    opened()
    postgres.execute("CREATE ROLE reader_of_runs LOGIN")
    postgres.execute("GRANT USAGE ON SCHEMA runs_papers TO reader_of_runs")
    postgres.execute("GRANT SELECT ON ALL TABLES IN SCHEMA runs_papers TO reader_of_runs")
    reading = opened(at=postgres.url("postgres", "reader_of_runs"))
    assert Runs(reading).summaries() == ()
    with pytest.raises(StoreError, match="rejects writes") as caught:
        begun(reading)
    assert "GRANT" in caught.value.hint


def test_an_address_where_nobody_answers_is_named_without_its_password() -> None:
    with pytest.raises(StoreError, match=r"ann:\*\*\*@127\.0\.0\.1:1/runs cannot be used") as caught:
        PostgresDatabase("postgresql+psycopg://ann:hunter2hunter2@127.0.0.1:1/runs", "papers")
    assert "hunter2" not in str(caught.value) + caught.value.hint
    with pytest.raises(SettingsError, match="not an address"):
        PostgresDatabase("postgresql+psycopg://host:port/runs", "papers")


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SettingsError) as caught:
        PostgresDatabase("postgresql+psycopg:///runs", "papers")
    assert 'pip install "psycopg[binary]' in caught.value.hint


def test_runs_of_the_version_with_codes_are_kept(opened: Opener, postgres: PostgresServer) -> None:
    begun(opened())
    for table in CODED:
        postgres.execute(f"ALTER TABLE {table.name} ADD COLUMN code VARCHAR NOT NULL DEFAULT 'c'")
    postgres.execute("UPDATE meta SET value = '1' WHERE key = 'schema_version'")
    database = opened()
    assert [run.id for run in Runs(database).summaries()] == ["1"]
    Journal(database, "1", lambda: 0.0, reuse=True).keep("k", PROMPT, "e", Reply(text="true"))


def test_a_newer_version_is_refused_and_its_tables_are_left_alone(opened: Opener, postgres: PostgresServer) -> None:
    opened()
    postgres.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    with pytest.raises(StoreError, match="newer version") as caught:
        opened()
    assert "Upgrade" in caught.value.hint
    assert postgres.rows("SELECT value FROM meta WHERE key = 'schema_version'") == [("99",)]
