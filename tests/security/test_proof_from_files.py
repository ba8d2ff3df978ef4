"""A quote is in the file, whatever happened to the index, the record of the run or the file in the meantime. All tests
check that every quote of an answer is in a file of the folder, and every figure of a statement in its quotes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from power_plants import ABSENT, ALL, ONE, answer_of, judged, outcome, write_folder

from investigator import Answer, AnswerStatus, Investigator, RunOptions, ScriptedEmbedder, ScriptedEngine
from investigator.documents import fresh as fresh_reading
from investigator.documents.fresh import FreshReading
from investigator.documents.readers import versions
from investigator.documents.readers.base import ReaderSettings
from investigator.documents.scanning import FolderSettings
from investigator.proof.standing import SOURCE_CHANGED
from investigator.records import Document, Event, Notice, Prompt, Written

TRUE, FALSE = b"42 MW", b"43 MW"
RIGHT = "It produces 42 MW. [1]"


def engine(before: Callable[[Prompt], object] = lambda _: None) -> ScriptedEngine:
    """A sensible model; before each of its replies, something may happen."""

    def reply(prompt: Prompt) -> str:
        before(prompt)
        return json.dumps(judged(prompt.text))

    return ScriptedEngine(reply)


def investigator(folder: Path, workspace: Path, model: ScriptedEngine | None = None) -> Investigator:
    return Investigator(folder, model=model or engine(), workspace=workspace, embedder=ScriptedEmbedder())


def never_wrong(answer: Answer, folder: Path) -> None:
    """Check that an answer quotes and counts nothing that is not in a file."""
    files = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    for statement in answer.statements:
        quoted = " ".join(quote.text for quote in statement.quotes)
        assert all(figure in quoted for figure in re.findall(r"\d+", statement.text)), statement
    for quote in answer.citations:
        assert quote.text in files[quote.document_id].splitlines()[quote.line - 1], quote


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder about power plants, with a workspace in which one question was answered."""
    at = tmp_path_factory.mktemp("asked")
    answer = investigator(write_folder(at / "folder"), at / "workspace").ask(ONE)
    assert [quote.text for quote in answer.citations] == ["It makes 42 MW of power."]
    for database in (at / "workspace").glob("*.db"):
        _sql(database, "PRAGMA wal_checkpoint(TRUNCATE)")
    return at


@pytest.fixture
def case(sample: Path, tmp_path: Path) -> Path:
    """A copy of all that, with the times of its files, to be damaged."""
    shutil.copytree(sample, tmp_path / "case")
    return tmp_path / "case"


def _sql(database: Path, statement: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def _database_with(case: Path, table: str) -> Path:
    """Return the database of the workspace that contains a table."""
    named = "SELECT 1 FROM sqlite_master WHERE name = ?"
    return next(path for path in (case / "workspace").glob("*.db") if _sql(path, named, table))


def _places(data: bytes) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(TRUE), data, re.IGNORECASE)]


def notices(events: Iterable[Event]) -> str:
    return "\n".join(event.text for event in events if isinstance(event, Notice))


def replaced_unnoticed(file: Path) -> None:
    """Change a file in place (the same inode and size), and restore its time."""
    before = file.stat()
    with file.open("r+b") as opened:
        opened.write(file.read_bytes().replace(TRUE, FALSE))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_one_flipped_bit_in_any_stored_copy_never_becomes_a_proven_answer(case: Path) -> None:
    folder, flipped = case / "folder", 0
    for database in sorted((case / "workspace").glob("*.db")):
        whole = database.read_bytes()
        places = _places(whole)
        for place in places[:: max(1, len(places) // 4)]:  # at most seven of each database
            data = bytearray(whole)
            data[place + 1] ^= 1  # 42 becomes 43
            database.write_bytes(data)
            answer = investigator(folder, case / "workspace").ask(ONE, fresh=flipped % 2 == 1)
            never_wrong(answer, folder)
            assert answer.text == RIGHT
            flipped += 1
            database.write_bytes(whole)
            for beside in (case / "workspace").glob(f"{database.name}-*"):
                beside.unlink()
    assert flipped >= 4  # the text, the words of chunk and card, the record of the run, its calls and memories


@pytest.mark.parametrize("fresh", [False, True])
def test_the_same_bit_flipped_in_all_stored_copies_never_becomes_a_proven_answer(case: Path, fresh: bool) -> None:
    for database in (case / "workspace").glob("*.db"):
        data = bytearray(database.read_bytes())
        for place in _places(bytes(data)):
            data[place + 1] ^= 1
        database.write_bytes(data)
    answer = investigator(case / "folder", case / "workspace").ask(ONE, fresh=fresh)
    never_wrong(answer, case / "folder")
    assert answer.text == (RIGHT if fresh else "")  # the stored replies say 43 MW, which is in no file


def test_a_flipped_bit_in_a_vector_changes_no_quote(case: Path) -> None:
    database = _database_with(case, "vectors")
    for number, vector in _sql(database, "SELECT chunk_id, vector FROM vectors"):
        damaged = bytearray(vector)
        damaged[number + 3] ^= 0x40  # among the bits of an exponent
        _sql(database, "UPDATE vectors SET vector = ? WHERE chunk_id = ?", bytes(damaged), number)
    answer = investigator(case / "folder", case / "workspace").ask(ONE, fresh=True)
    never_wrong(answer, case / "folder")


@pytest.mark.parametrize("column", ["text", "record", "tables", "checksum"])
def test_a_damaged_row_is_read_again_from_its_file(case: Path, column: str) -> None:
    database = _database_with(case, "documents")
    forged = "The Cedar plant. It makes 99 MW of power."
    _sql(database, f"UPDATE documents SET {column} = ? WHERE id = 'cedar.txt'", forged)
    events = list(investigator(case / "folder", case / "workspace").investigate(ONE, RunOptions(fresh=True)))
    answer = answer_of(outcome(iter(events)))
    never_wrong(answer, case / "folder")
    assert answer.text == RIGHT
    assert "cedar.txt" in notices(events)
    ((kept,),) = _sql(database, "SELECT text FROM documents WHERE id = 'cedar.txt'")
    assert kept == (case / "folder" / "cedar.txt").read_text(encoding="utf-8")


def test_a_file_that_is_edited_during_the_run_proves_nothing_and_asking_again_works(case: Path) -> None:
    cedar = case / "folder" / "cedar.txt"

    def edit(prompt: Prompt) -> None:
        if prompt.template.startswith("answer/"):
            cedar.write_text(cedar.read_text(encoding="utf-8").replace("42 MW", "7 MW"), encoding="utf-8")

    made = investigator(case / "folder", case / "workspace", engine(edit))
    events = list(made.investigate(ONE, RunOptions(fresh=True)))
    answer = answer_of(outcome(iter(events)))
    never_wrong(answer, case / "folder")
    assert answer.status is AnswerStatus.NOT_FOUND_SO_FAR
    assert answer.coverage.source_changed == ("cedar.txt",)
    assert "ask again" in answer.reason
    assert answer.check.withheld[-1].reason.startswith(f"{SOURCE_CHANGED}: cedar.txt has changed")
    assert "cedar.txt" in notices(events)
    again = investigator(case / "folder", case / "workspace").ask(ONE)
    assert [quote.text for quote in again.citations] == ["It makes 7 MW of power."]


def test_an_answer_that_lost_a_quote_is_trusted_no_more_than_before(case: Path) -> None:
    cedar = case / "folder" / "cedar.txt"
    made = Investigator(case / "folder", workspace=case / "workspace", embedder=ScriptedEmbedder())
    events = made.investigate(ALL)
    for event in events:
        if isinstance(event, Written):
            cedar.write_text(cedar.read_text(encoding="utf-8").replace("42 MW", "7 MW"), encoding="utf-8")
            break
    answer = answer_of(outcome(events))
    never_wrong(answer, case / "folder")
    assert answer.coverage.source_changed == ("cedar.txt",)
    assert answer.statements
    assert answer.status is AnswerStatus.PASSAGES_FOUND


def test_a_quote_that_an_edit_moved_is_shown_where_it_stands_now(case: Path) -> None:
    cedar = case / "folder" / "cedar.txt"

    def edit(prompt: Prompt) -> None:
        if prompt.template == "answer/answer":
            cedar.write_text("A new first line.\n" + cedar.read_text(encoding="utf-8"), encoding="utf-8")

    answer = investigator(case / "folder", case / "workspace", engine(edit)).ask(ONE, fresh=True)
    never_wrong(answer, case / "folder")
    assert [quote.line for quote in answer.citations] == [2]


@pytest.mark.parametrize("fresh", [False, True])
def test_a_file_that_was_replaced_with_the_same_size_and_time_is_noticed(case: Path, fresh: bool) -> None:
    investigator(case / "folder", case / "workspace").ask(ONE)
    replaced_unnoticed(case / "folder" / "cedar.txt")
    made = investigator(case / "folder", case / "workspace")
    never_wrong(made.ask(ONE, fresh=fresh), case / "folder")
    again = made.ask(ONE)
    never_wrong(again, case / "folder")
    assert again.text == RIGHT.replace("42", "43")


def test_a_forged_record_of_a_finished_run_is_not_given(case: Path) -> None:
    """Its quote may be true; then the statement or the text says something else."""
    database = _database_with(case, "runs")
    ((kept,),) = _sql(database, "SELECT record FROM runs")
    for path, value in (
        ("$.answer.lead.quotes[0].text", "It makes 99 MW of power."),
        ("$.answer.lead.text", "It produces 99 MW."),
        ("$.answer.text", "It produces 99 MW. [1]"),
        ("$.answer.lead.quotes[0].line", 7),
    ):
        _sql(database, f"UPDATE runs SET record = json_set(record, '{path}', '{value}')")
        answer = investigator(case / "folder", case / "workspace").ask(ONE)
        never_wrong(answer, case / "folder")
        assert answer.text == RIGHT
        _sql(database, "UPDATE runs SET record = ?", kept)


def test_replay_looks_the_quotes_up_in_the_files(case: Path) -> None:
    made = investigator(case / "folder", case / "workspace")
    (run,) = made.runs()
    assert made.replay(run.id).same
    database = _database_with(case, "runs")
    _sql(database, "UPDATE runs SET record = replace(record, '42 MW', '43 MW')")
    replayed = made.replay(run.id)
    assert [quote.text for quote in replayed.failed_quotes] == ["It makes 43 MW of power."]
    assert not replayed.same


def test_verifying_the_index_names_what_is_damaged_and_reads_it_again(case: Path) -> None:
    made = investigator(case / "folder", case / "workspace")
    database = _database_with(case, "documents")
    _sql(database, "UPDATE documents SET text = replace(text, '42 MW', '43 MW')")
    noticed = notices(made.index(verify=True))
    assert "1 document in the index was different from what was read from the files" in noticed
    assert "cedar.txt" in noticed
    assert "read again" not in notices(made.index(verify=True))


def test_verifying_the_index_looks_up_the_quotes_of_kept_runs(case: Path) -> None:
    made = investigator(case / "folder", case / "workspace")
    (run,) = made.runs()
    replaced_unnoticed(case / "folder" / "cedar.txt")
    noticed = notices(made.index(verify=True))
    assert f"1 of 1 quotes of the run {run.id} is no longer" in noticed
    assert "cedar.txt" in noticed


def test_search_results_are_passages_of_what_was_read_and_never_of_a_forged_row(case: Path) -> None:
    _sql(_database_with(case, "documents"), "UPDATE documents SET text = replace(text, '42 MW', '43 MW')")
    hits = investigator(case / "folder", case / "workspace").search("How much power does the Cedar plant make?")
    assert any("42 MW" in hit.passage.text for hit in hits)
    assert not any("43 MW" in hit.passage.text and hit.passage.document_id == "cedar.txt" for hit in hits)


def test_texts_of_an_older_reader_are_read_again(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = versions.OWN["text/plain"]
    monkeypatch.setitem(versions.OWN, "text/plain", plain._replace(version=plain.version + 1))
    versions.reader_version.cache_clear()
    try:
        noticed = notices(investigator(case / "folder", case / "workspace").index())
        assert "9 documents in the index were read by an older reader, and are read again: alder.txt" in noticed
    finally:
        monkeypatch.undo()
        versions.reader_version.cache_clear()


def test_nothing_is_read_again_for_memories_that_the_answer_does_not_cite(
    case: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[str] = []
    honest = FreshReading.documents

    def noting(self: FreshReading, document_ids: list[str], held: list[Document]) -> object:
        wanted.extend(document_ids)
        return honest(self, document_ids, held)

    monkeypatch.setattr(FreshReading, "documents", noting)
    made = investigator(case / "folder", case / "workspace")
    made.ask(ONE, fresh=True)
    assert wanted == ["cedar.txt"]
    made.ask(ABSENT)
    assert wanted == ["cedar.txt"]


def test_a_document_inside_an_archive_or_a_message_is_read_again_from_there(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("inner/plant.txt", "It makes 42 MW of power.")
    message = EmailMessage()
    message["Subject"] = "The plant"
    message.set_content("See the attachment.")
    message.add_attachment(b"It makes 42 MW of power.", maintype="text", subtype="plain", filename="plant.txt")
    (tmp_path / "b.eml").write_bytes(bytes(message))
    ids = ("a.zip/inner/plant.txt", "b.eml/plant.txt")
    with FreshReading(tmp_path, FolderSettings(), ReaderSettings()) as fresh:
        read = fresh.documents([*ids, "a.zip/other.txt", "../conftest.py", "c.txt"])
        assert [read[name].document.text for name in ids if (read[name].document)] == ["It makes 42 MW of power."] * 2
        assert [name for name, state in read.items() if state.missing] == ["a.zip/other.txt", "../conftest.py", "c.txt"]


def test_a_file_is_read_again_only_if_its_bytes_have_changed(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"It makes 42 MW of power.")
    with FreshReading(tmp_path, FolderSettings(), ReaderSettings()) as fresh:
        first, second = (fresh.documents(["a.txt"])["a.txt"].document for _ in range(2))
        assert first is second
        replaced_unnoticed(file)
        changed = fresh.documents(["a.txt"])["a.txt"].document
        assert changed is not None
        assert changed.text == "It makes 43 MW of power."
        file.write_bytes(b"It makes 42 MW of power.")
    assert first is not None
    with FreshReading(tmp_path, FolderSettings(), ReaderSettings()) as fresh:
        assert fresh.documents(["a.txt"], [first])["a.txt"].document is first
        replaced_unnoticed(file)
        now = fresh.documents(["a.txt"], [first])["a.txt"].document
        assert now is not None
        assert now.text == "It makes 43 MW of power."
        file.unlink()
        assert fresh.documents(["a.txt"], [first])["a.txt"].missing


def test_of_what_is_read_again_the_last_used_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh_reading, "MOST_KEPT", 50)  # two of the three
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"Plant {name} makes 42 MW.", encoding="utf-8")
    with FreshReading(tmp_path, FolderSettings(), ReaderSettings()) as fresh:
        read = {name: fresh.documents([name])[name].document for name in ("a.txt", "b.txt", "a.txt", "c.txt")}
        assert fresh.documents(["a.txt"])["a.txt"].document is read["a.txt"]
        assert fresh.documents(["b.txt"])["b.txt"].document is not read["b.txt"]


def test_several_threads_may_have_files_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh_reading, "MOST_KEPT", 40)
    names = [f"{number}.txt" for number in range(6)]
    for name in names:
        (tmp_path / name).write_text(f"The plant {name} makes 42 MW.", encoding="utf-8")
    reading = FreshReading(tmp_path, FolderSettings(), ReaderSettings(), processes=1)
    with reading as fresh, ThreadPoolExecutor(6) as threads:
        for read in threads.map(lambda name: fresh.documents([name, *names]), names * 2):
            assert [read[name].document.text for name in names if read[name].document] == [
                f"The plant {name} makes 42 MW." for name in names
            ]
