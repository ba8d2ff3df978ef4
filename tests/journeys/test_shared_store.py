"""Several machines that share their runs in PostgreSQL, here as two workspaces of one folder with separate indexes."""

import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from commands import command
from forked import ForkServer
from postgres_server import PostgresServer
from printed import said

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.chats import open_memory
from investigator.errors import SettingsError, WorkspaceLockedError
from investigator.records import Answered, Investigation, Notice, Started
from investigator.settings import Settings, load_settings

QUESTION = "How deep is the harbour?"


@pytest.fixture
def settings(postgres: PostgresServer) -> Settings:
    return load_settings(overrides=[f"store.url={postgres.emptied()}"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    (made / "a.txt").write_text("The harbour is 11 metres deep.", encoding="utf-8")
    return made


def machine(folder: Path, name: str, settings: Settings) -> Investigator:
    return Investigator(folder, workspace=folder.with_name(name), settings=settings, embedder=ScriptedEmbedder())


def test_what_one_machine_found_another_shows_replays_and_does_not_ask_again(folder: Path, settings: Settings) -> None:
    first, second = machine(folder, "one", settings), machine(folder, "two", settings)
    answer = first.ask(QUESTION)
    (run,) = second.runs()
    assert run.question == QUESTION
    assert second.show(run.id).answer == answer
    events = list(second.investigate(QUESTION))
    assert any(isinstance(event, Notice) and "already answered this" in event.text for event in events)
    assert not any(isinstance(event, Started) for event in events)
    assert second.replay(run.id).differences == ()
    assert [entry.id for entry in first.runs()] == [run.id]
    assert not (first.workspace / "runs.db").exists()


def test_what_a_user_told_one_machine_another_remembers(folder: Path, settings: Settings) -> None:
    with open_memory(machine(folder, "one", settings)) as memory:
        memory.add("ann", "I am a midwife.")
    with open_memory(machine(folder, "two", settings)) as memory:
        assert [fact.text for fact in memory.search("ann", "midwife")] == ["I am a midwife."]


def test_the_runs_of_a_folder_with_another_name_or_path_are_others(folder: Path, settings: Settings) -> None:
    machine(folder, "one", settings).ask(QUESTION)
    named = settings.model_copy(update={"store": settings.store.changed(name="papers")})
    assert machine(folder, "two", named).runs() == ()
    machine(folder, "two", named).ask(QUESTION)
    elsewhere = folder.with_name("mounted")
    folder.rename(elsewhere)
    assert machine(elsewhere, "three", settings).runs() == ()
    assert [run.question for run in machine(elsewhere, "three", named).runs()] == [QUESTION]


def test_the_same_question_is_refused_while_another_machine_investigates_it(folder: Path, settings: Settings) -> None:
    first, second = machine(folder, "one", settings), machine(folder, "two", settings)
    list(second.index())
    running = first.investigate(QUESTION)
    for event in running:
        if isinstance(event, Started):
            break
    with pytest.raises(
        WorkspaceLockedError, match=r"already being investigated by investigator on .* process \d+"
    ) as caught:
        second.ask(QUESTION)
    assert "Wait until it has ended" in caught.value.hint
    assert second.ask("Is the harbour of stone?")  # another question is free
    (answered,) = (event for event in running if isinstance(event, Answered))
    assert second.ask(QUESTION) == answered.investigation.answer


def test_an_index_is_read_without_the_server_and_runs_are_not(
    folder: Path, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INVESTIGATOR_STORE__URL", "postgresql://ann:hunter2hunter2@127.0.0.1:1/runs")
    list(machine(folder, "one", settings).index())
    assert [hit.passage.document_id for hit in machine(folder, "one", load_settings()).search("harbour")] == ["a.txt"]
    ran = command("show", folder, "--workspace", tmp_path / "one")
    assert ran.exit_code == 1
    assert "cannot be used" in ran.output
    assert "hunter2" not in ran.output


def test_an_address_of_another_kind_is_refused_by_name() -> None:
    with pytest.raises(
        SettingsError, match=r"store.url must be a PostgreSQL address that begins with postgresql\+psycopg://"
    ):
        load_settings(overrides=["store.url=mysql://host/runs"])
    assert load_settings(overrides=["store.url=postgresql://h/r"]).store.url == "postgresql+psycopg://h/r"


@pytest.fixture(scope="module")
def years(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("years")
    for year in range(1900, 1908):
        (made / f"{year}.txt").write_text(f"The harvest of {year} was {year % 7 + 2} tonnes.", encoding="utf-8")
    return made


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_another_machine_goes_on_with_the_run_of_one_that_was_killed(
    machines: tuple[ForkServer, ForkServer], years: Path, tmp_path: Path, postgres: PostgresServer
) -> None:
    undisturbed = machines[0].run((str(years), str(tmp_path / "w"), str(tmp_path / "log0")), tmp_path / "out0", None)
    assert undisturbed.code == 0, undisturbed.complaints
    wanted = Investigation.model_validate_json(undisturbed.output)
    environment = {"INVESTIGATOR_STORE__URL": postgres.emptied(), "INVESTIGATOR_STORE__NAME": "years"}
    log = tmp_path / "log"
    for share in (0.4, 0.7):
        words = (str(years), str(tmp_path / f"w{share}"), str(log))
        machines[0].run(words, tmp_path / "out", share * undisturbed.seconds, **environment)
    ended = machines[1].run((str(years), str(tmp_path / "last"), str(log)), tmp_path / "out", None, **environment)
    assert ended.code == 0, ended.complaints
    result = Investigation.model_validate_json(ended.output)
    assert said(result.answer) == said(wanted.answer)
    assert result.memories == wanted.memories
    calls = Counter(log.read_text(encoding="ascii").split())
    kept = {str(key) for (key,) in postgres.rows("SELECT key FROM calls")}
    assert set(calls) == kept
    assert sum(calls.values()) - len(kept) <= 2 * 16  # of each kill, those that were under way


def test_two_machines_work_on_different_questions_at_once(
    machines: tuple[ForkServer, ForkServer], years: Path, tmp_path: Path, postgres: PostgresServer
) -> None:
    environment = {"INVESTIGATOR_STORE__URL": postgres.emptied()}

    def work(number: int) -> Investigation:
        words = (str(years), str(tmp_path / f"w{number}"), str(tmp_path / f"log{number}"))
        mission = {"INVESTIGATOR_MISSION": f"mission {number}"}  # a run of its own
        ended = machines[number].run(words, tmp_path / f"out{number}", None, **environment, **mission)
        assert ended.code == 0, ended.complaints
        return Investigation.model_validate_json(ended.output)

    with ThreadPoolExecutor(2) as pool:
        entry, two = pool.map(work, (0, 1))
    assert entry.answer is not None
    assert two.answer is not None
    assert entry.id != two.id
    assert {str(run) for (run,) in postgres.rows("SELECT id FROM runs")} == {entry.id, two.id}
