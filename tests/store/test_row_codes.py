"""Rows of runs that were changed outside this program are not used, and their results are computed again."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.memory.long_term import LongTermMemory
from investigator.errors import AlteredRunError
from investigator.records import Investigation, Notice, Prompt, QuestionVariables, ReflectReply, Reply, RunSetup
from investigator.store.database import Database, FileDatabase
from investigator.store.journal import Journal, Runs
from investigator.store.past_calls import PastCalls
from investigator.store.row_codes import stands, with_code
from investigator.store.schema import CODE, RUNS

PROMPT = Prompt("t/t", QuestionVariables(document_id="a", purpose="b", perspectives="c"), "text", ReflectReply)
QUESTION = "How deep is the harbour?"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return FileDatabase(tmp_path / "runs.db", RUNS)


def changed(path: Path, statement: str, values: Sequence[object] = ()) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement, values).rowcount


def begun(database: Database, run_id: str = "1") -> str:
    blank = Investigation(id=run_id, question="Q", setup=RunSetup(mission="M", strategy="S", engine="scripted"))
    return Runs(database).open("identity", "corpus", blank, f"2026-01-01T00:00:0{run_id}", fresh=False).id


def journal(database: Database, run_id: str) -> Journal:
    return Journal(database, run_id, lambda: 0.0, reuse=True)


def test_the_code_of_a_row_covers_every_column_and_its_type() -> None:
    key = b"k" * 32
    for table in RUNS.metadata.sorted_tables:
        if CODE not in table.columns:
            continue
        row = with_code(key, table, {column.name: "1" for column in table.columns})
        assert stands(key, table, row)
        assert not stands(b"l" * 32, table, row)
        for column in table.columns:
            if column.name != "id" or table.name == "runs":
                assert not stands(key, table, {**row, column.name: 1}), (table.name, column.name)


def test_a_forged_call_is_asked_again_and_gives_way_to_the_new_one(database: Database) -> None:
    run = begun(database)
    first = journal(database, run)
    first.keep("k", PROMPT, "e", Reply(text="true", input_tokens=9))
    first.keep_too_long("long", 100)
    changed(database.path, "UPDATE calls SET reply = ?, input_tokens = -99", (Reply(text="forged").model_dump_json(),))
    changed(database.path, "UPDATE too_long SET tokens = 1")
    again = journal(database, run)
    assert again.find("k") is None
    assert again.too_long("long") is None
    assert again.usage().tokens == 0
    assert PastCalls(database, run).find("k") is None
    again.keep("k", PROMPT, "e", Reply(text="asked again", input_tokens=5))
    again.keep_too_long("long", 200)
    assert again.find("k") == Reply(text="asked again", input_tokens=5)
    assert (again.too_long("long"), again.usage().tokens) == (200, 5)


def test_a_forged_reply_of_an_earlier_run_is_passed_by_for_a_true_one(database: Database) -> None:
    journal(database, begun(database, "1")).keep("k", PROMPT, "e", Reply(text="true"))
    changed(
        database.path,
        "INSERT INTO calls SELECT 99, run_id, 'x', template, engine, prompt, replace(reply, 'true', 'forged'), "
        "input_tokens, output_tokens, seconds, elapsed, reused, code FROM calls",
    )
    changed(database.path, "UPDATE calls SET key = 'k', run_id = '2' WHERE id = 99")
    found = journal(database, "1").find("k")
    assert found == Reply(text="true")


def test_a_forged_run_is_not_resumed_and_nothing_is_written_to_it(database: Database) -> None:
    run = begun(database, "1")
    kept = journal(database, run)
    changed(database.path, "UPDATE runs SET answer_status = 'answered'")
    assert begun(database, "2") == "2"
    latest = Runs(database).latest("identity", "corpus")
    assert latest is not None
    assert latest.id == "2"
    with pytest.raises(AlteredRunError, match="changed outside this program"):
        kept.keep_record(
            Investigation(id=run, question="Q", setup=RunSetup(mission="M", strategy="S", engine="scripted"))
        )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    (made / "a.txt").write_text("The harbour is 11 metres deep.", encoding="utf-8")
    return made


def opened(folder: Path, workspace: Path | None = None) -> Investigator:
    return Investigator(folder, workspace=workspace, embedder=ScriptedEmbedder())


def test_a_forged_run_is_named_and_is_no_answer(folder: Path) -> None:
    answered = opened(folder).ask(QUESTION)
    (run,) = opened(folder).runs()
    changed(
        opened(folder).workspace / "runs.db",
        "UPDATE runs SET record = replace(record, '11', '99'), question = 'forged?', created = '99'",
    )
    (listed,) = opened(folder).runs()
    assert (listed.id, listed.altered, listed.question, listed.created) == (run.id, True, "", "")
    for use in (opened(folder).show, opened(folder).replay):
        with pytest.raises(AlteredRunError) as caught:
            use(run.id)
        assert run.id in caught.value.message
        assert "Ask its question again" in caught.value.hint
    told = [event.text for event in opened(folder).index(verify=True) if isinstance(event, Notice)]
    assert any(run.id in text and "changed outside" in text for text in told)
    assert opened(folder).ask(QUESTION).text == answered.text
    assert [summary.altered for summary in opened(folder).runs()] == [False, True]


def test_a_forged_memory_is_not_recalled_and_hides_nothing(database: Database) -> None:
    memory = LongTermMemory(database, lambda: datetime(2026, 1, 1, tzinfo=UTC))
    for text in ("I have a dog.", "I live in Rome."):
        memory.add("anna", text)
    changed(database.path, "UPDATE personal_facts SET text = 'I live in Oslo.' WHERE id = 2")
    changed(database.path, "UPDATE personal_facts SET uses = 'x', user = 'eve' WHERE id = 1")
    assert memory.users() == ()
    assert memory.memories("anna") == memory.search("anna", "Oslo Rome dog") == memory.memories("eve") == ()
    memory.end_turn("anna", [1, 2])
    assert memory.add("anna", "I live in Oslo.").text == "I live in Oslo."
    assert memory.users() == ("anna",)
