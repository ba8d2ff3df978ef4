"""Damage to the index is noticed, and runs survive it; databases of other versions are upgraded, rebuilt or refused."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.errors import DamagedDatabaseError, ForeignFileError, StoreError
from investigator.records import Answered, Notice
from investigator.store import database as databases
from investigator.store.database import FileDatabase, get_meta, set_meta
from investigator.store.journal import Runs
from investigator.store.schema import CODED, INDEX, RUNS, Schema

QUESTION = "What was found?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    (made / "a.txt").write_text("The harbour is 11 metres deep.", encoding="utf-8")
    return made


def opened(folder: Path) -> Investigator:
    workspace = folder.with_name("w")
    return Investigator(folder, workspace=workspace, model=ScriptedEngine("{}"), embedder=ScriptedEmbedder())


@contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection


def test_a_database_that_was_begun_and_not_finished_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    FileDatabase(path, RUNS).close()
    with raw(path) as connection:
        connection.execute("DROP TABLE too_long")
        connection.execute("DELETE FROM meta")
    assert Runs(FileDatabase(path, RUNS)).summaries() == ()


@pytest.mark.parametrize("schema", [INDEX, RUNS], ids=["index", "runs"])
def test_a_database_of_a_newer_program_is_refused_and_left_as_it_is(tmp_path: Path, schema: Schema) -> None:
    path = tmp_path / "some.db"
    FileDatabase(path, schema).close()
    with raw(path) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
        connection.execute("CREATE TABLE of_the_future (x)")
    with pytest.raises(StoreError, match="newer"):
        FileDatabase(path, schema)


def test_a_folder_in_the_place_of_a_database_is_told_as_that(tmp_path: Path) -> None:
    (tmp_path / "index.db").mkdir()
    with pytest.raises(ForeignFileError, match=r"index\.db is a folder"):
        FileDatabase(tmp_path / "index.db", INDEX)


def test_a_database_that_is_exchanged_while_it_is_opened_is_not_used(tmp_path: Path, monkeypatch) -> None:
    path, other = tmp_path / "runs.db", tmp_path / "other.db"
    for entry in (path, other):
        FileDatabase(entry, RUNS).close()
    honest = databases._open

    def exchanged(*looked_at: object) -> object:
        result = honest(*looked_at)
        path.unlink()
        path.symlink_to(other)
        return result

    monkeypatch.setattr(databases, "_open", exchanged)
    with pytest.raises(ForeignFileError, match="replaced while it was opened"):
        FileDatabase(path, RUNS)


def zeroes(path: Path) -> None:
    """Overwrite pages in the middle, as a bad disk does."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(bytes(path.stat().st_size - 4096))


def no_database(path: Path) -> None:
    path.write_bytes(b"not a database" * 1000)


def of_an_earlier_version(path: Path) -> None:
    with raw(path) as connection:
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'schema_version'")


def of_the_earlier_name(path: Path) -> None:
    path.rename(path.with_name("investigator.db"))


def zeroes_of_a_killed_writer(path: Path) -> None:
    path.with_name("writer.pid").write_text("1")
    zeroes(path)


def a_page_that_nobody_reads_of_a_killed_writer(path: Path) -> None:
    path.with_name("writer.pid").write_text("1")
    with path.open("r+b") as file:
        file.seek(-4096, os.SEEK_END)
        file.write(bytes(4096))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (a_page_that_nobody_reads_of_a_killed_writer, "is damaged"),
        (no_database, "is damaged"),
        (of_an_earlier_version, "earlier version"),
        (of_the_earlier_name, "earlier version"),
        (zeroes_of_a_killed_writer, "is damaged"),
    ],
)
def test_an_index_that_is_not_ours_is_rebuilt_with_a_notice_and_the_runs_survive(
    folder: Path, damage: Callable[[Path], None], reason: str
) -> None:
    opened(folder).ask(QUESTION)
    (run,) = opened(folder).runs()
    damage(folder.with_name("w") / "index.db")
    made = opened(folder)
    notices = [event.text for event in made.index() if isinstance(event, Notice)]
    assert any("rebuilt from the documents" in text and reason in text for text in notices)
    assert made.status().documents == 1
    assert made.runs() == (run,)
    place = folder.with_name("w")
    assert not (place / "investigator.db").exists()
    assert not (place / "writer.pid").exists()
    with made.library() as library:
        assert library.document("a.txt").text == "The harbour is 11 metres deep."


def test_the_runs_of_a_killed_writer_are_checked_before_they_are_used(folder: Path) -> None:
    opened(folder).ask(QUESTION)
    a_page_that_nobody_reads_of_a_killed_writer(folder.with_name("w") / "runs.db")
    notices = [event.text for event in opened(folder).investigate(QUESTION) if isinstance(event, Notice)]
    assert any("readable runs and memories were moved" in text for text in notices)


def test_damage_that_shows_in_use_is_mended_at_the_next_command(folder: Path) -> None:
    opened(folder).ask(QUESTION)
    zeroes(folder.with_name("w") / "index.db")
    with pytest.raises(DamagedDatabaseError) as caught:
        opened(folder).status()
    assert "investigator index FOLDER" in caught.value.hint
    list(opened(folder).index())
    assert opened(folder).status().documents == 1
    assert len(opened(folder).runs()) == 1


def test_a_row_that_makes_no_record_is_damage_and_the_index_is_made_anew(folder: Path) -> None:
    investigator = opened(folder)
    assert [hit.passage.document_id for hit in investigator.search("harbour")] == ["a.txt"]
    with raw(investigator.workspace / "index.db") as connection:
        connection.execute("UPDATE chunks SET start = 1e300")
    with pytest.raises(DamagedDatabaseError, match="a row is not a valid Chunk"):
        investigator.search("harbour")
    assert [hit.passage.document_id for hit in opened(folder).search("harbour")] == ["a.txt"]


def test_a_run_that_cannot_be_read_is_left_and_a_new_one_begins_with_one_notice(folder: Path) -> None:
    opened(folder).ask(QUESTION)
    (damaged,) = opened(folder).runs()
    with raw(folder.with_name("w") / "runs.db") as connection:
        connection.execute("UPDATE runs SET record = '{' || substr(record, 9)")
    notices = [event.text for event in opened(folder).investigate(QUESTION) if isinstance(event, Notice)]
    assert [text for text in notices if f"the run {damaged.id} cannot be read" in text] == notices[:1]
    again = [event.text for event in opened(folder).investigate(QUESTION) if isinstance(event, Notice)]
    assert [text for text in again if "cannot be read" in text] == []
    assert {run.id for run in opened(folder).runs()} > {damaged.id}


def test_a_reply_that_cannot_be_read_is_left_in_the_damaged_file_and_ends_no_later_question(folder: Path) -> None:
    opened(folder).ask(QUESTION)
    with raw(folder.with_name("w") / "runs.db") as connection:
        connection.execute("UPDATE calls SET reply = '{' || substr(reply, 9)")
    (run,) = opened(folder).runs()
    with pytest.raises(DamagedDatabaseError, match="a row is not a valid Reply"):
        opened(folder).replay(run.id)
    events = list(opened(folder).investigate("What else was found?"))
    assert isinstance(events[-1], Answered)
    with raw(folder.with_name("w") / "runs.db") as connection:
        assert connection.execute("SELECT count(*) FROM calls WHERE run_id = ?", (run.id,)).fetchone() == (0,)
    with raw(folder.with_name("w") / "runs.db.damaged") as connection:
        assert connection.execute("SELECT count(*) FROM calls WHERE run_id = ?", (run.id,)).fetchone() > (0,)


def test_runs_of_the_version_with_codes_are_kept(folder: Path) -> None:
    opened(folder).ask(QUESTION)
    (run,) = opened(folder).runs()
    with raw(folder.with_name("w") / "runs.db") as connection:
        for table in CODED:
            connection.execute(f"ALTER TABLE {table.name} ADD COLUMN code VARCHAR NOT NULL DEFAULT 'c'")
        connection.execute("UPDATE meta SET value = '2' WHERE key = 'schema_version'")
    assert opened(folder).runs() == (run,)
    opened(folder).ask("What else was found?")
    assert len(opened(folder).runs()) == 2


def test_the_readable_runs_of_a_damaged_database_are_kept_and_so_is_the_damaged_file(folder: Path) -> None:
    for number in range(40):
        opened(folder).ask(f"What was found in {1900 + number}?")
    place = folder.with_name("w")
    with raw(place / "runs.db") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        pages = connection.execute("SELECT pageno FROM dbstat WHERE name = 'runs' AND pagetype = 'leaf'").fetchall()
    with (place / "runs.db").open("r+b") as file:
        file.seek((pages[len(pages) // 2][0] - 1) * size)
        file.write(bytes(size))
    with pytest.raises(DamagedDatabaseError):
        opened(folder).runs()
    notices = [event.text for event in opened(folder).index() if isinstance(event, Notice)]
    assert any("readable runs and memories were moved" in text for text in notices)
    assert (place / "runs.db.damaged").exists()
    assert 30 <= len(opened(folder).runs()) < 40
    opened(folder).ask("What else was found?")
    assert [text for event in opened(folder).index() if isinstance(event, Notice) and (text := event.text)] == []


def test_a_damaged_file_of_runs_is_reported_once_and_mended_by_the_next_reader(folder: Path) -> None:
    opened(folder).ask("What was found?")
    (folder.with_name("w") / "runs.db").write_text("junk")
    with pytest.raises(DamagedDatabaseError):
        opened(folder).runs()
    assert opened(folder).runs() == ()
    assert (folder.with_name("w") / "runs.db.damaged").read_text() == "junk"


def test_a_file_that_replaces_an_open_database_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    before = FileDatabase(path, RUNS)
    with before.begin() as connection:
        set_meta(connection, "which", "the first")
    for file in list(tmp_path.iterdir()):  # while a connection of the first is idle
        file.rename(file.with_name(f"damaged-{file.name}"))
    with closing(FileDatabase(path, RUNS)) as now, now.begin() as connection:
        assert get_meta(connection, "which") is None
    before.close()


def test_transactions_inside_others_do_not_wait_for_a_connection(tmp_path: Path) -> None:
    with ExitStack() as open_now:
        for _ in range(20):
            open_now.enter_context(FileDatabase(tmp_path / "runs.db", RUNS).begin())
