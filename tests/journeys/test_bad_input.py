"""External failures: each ends with a specific error and a hint, and earlier results are kept."""

import importlib.util
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from forked import ForkServer
from openai_server import Body, OpenAIServer, Response, completion, refusal
from PIL import Image

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine, load_settings
from investigator.errors import (
    CredentialError,
    EngineError,
    EngineTimeoutError,
    FolderError,
    QuestionError,
    WorkspaceLockedError,
)
from investigator.records import Answered, AnswerStatus, FileRead, FileStatus
from investigator.reports.html import html_report
from investigator.store.locations import default_workspace
from investigator.store.workspace import Workspace

QUESTION = "What does the plant make?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / "plant.txt").write_text("The plant makes 42 MW of power.", encoding="utf-8")
    return made


def scripted(folder: Path) -> Investigator:
    return Investigator(folder, model=ScriptedEngine("{}"), embedder=ScriptedEmbedder())


@pytest.mark.parametrize("name", ["nowhere", "plant.txt"])
def test_what_is_no_folder_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(FolderError):
        scripted(folder / name)


def test_a_folder_without_a_readable_file_names_the_files_and_why(tmp_path: Path) -> None:
    (tmp_path / "sound.mp3").write_bytes(b"ID3\x04\x00" + bytes(range(256)) * 20)
    (tmp_path / "empty.txt").touch()
    with pytest.raises(FolderError, match=r"none of the 2 files .*sound\.mp3"):
        scripted(tmp_path).ask(QUESTION)


@pytest.mark.parametrize("question", ["", "  \n", "x" * 20_000, "Caf\udce9?", "?" * 300, '"*^(){}[]:-'])
def test_a_question_that_cannot_be_asked_is_refused_before_anything_is_read(folder: Path, question: str) -> None:
    with pytest.raises(QuestionError) as caught:
        scripted(folder).ask(question)
    assert caught.value.hint
    assert not default_workspace(folder).exists()


def test_broken_files_are_named_in_the_coverage_and_the_rest_goes_on(folder: Path) -> None:
    (folder / "cut.docx").write_bytes(b"PK\x03\x04 and no more")
    (folder / "page.pdf").write_text("<html><body>A page, really.</body></html>", encoding="utf-8")
    (folder / "empty.csv").touch()
    coverage = scripted(folder).ask(QUESTION).coverage
    assert {file.path: file.status for file in coverage.unreadable} == {
        "cut.docx": FileStatus.FAILED,
        "empty.csv": FileStatus.EMPTY,
    }
    assert {*coverage.read, *coverage.searched, *coverage.not_opened} == {"plant.txt", "page.pdf"}


def test_a_report_that_lies_in_the_folder_never_becomes_evidence(folder: Path) -> None:
    outcome = list(scripted(folder).investigate(QUESTION))[-1]
    assert isinstance(outcome, Answered)
    (folder / "report.html").write_text(html_report(outcome.investigation), encoding="utf-8")
    coverage = scripted(folder).ask(QUESTION).coverage
    assert [(file.path, file.status) for file in coverage.unreadable] == [("report.html", FileStatus.EMPTY)]


def test_a_workspace_in_use_is_refused_with_the_process_that_uses_it(folder: Path) -> None:
    with Workspace(default_workspace(folder), write=True), pytest.raises(WorkspaceLockedError, match="process"):
        scripted(folder).ask(QUESTION)


AskWithFilesOfAtMost = Callable[[int], str]


@pytest.fixture(scope="module")
def disks() -> Iterator[ForkServer]:
    if importlib.util.find_spec("resource") is None:
        pytest.skip("this system has no limits for files")
    server = ForkServer("journeys", "full_disk", os.environ)
    yield server
    server.close()


@pytest.fixture
def ask_with_files_of_at_most(disks: ForkServer, tmp_path: Path) -> AskWithFilesOfAtMost:
    """Ask in a process whose files cannot grow beyond the given number of bytes (0: no limit), which causes real short
    writes.
    """

    def outcome(most: int) -> str:
        words = (str(tmp_path / "folder"), str(tmp_path / "w"), str(most))
        ended = disks.run(words, tmp_path / "said")
        return ended.output or ended.complaints

    return outcome


@pytest.mark.parametrize("most", [1_000, 200_000])
def test_a_full_disk_is_named_and_the_same_command_goes_on(
    ask_with_files_of_at_most: AskWithFilesOfAtMost, tmp_path: Path, most: int
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(60):
        text = " ".join(f"word{number * step}" for step in range(1, 400))
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    assert ask_with_files_of_at_most(most).startswith("DiskFullError: Free some space")
    assert ask_with_files_of_at_most(0) == "not_found_so_far"  # the engine's replies cannot be read


def test_what_was_kept_before_the_disk_filled_is_there_afterwards(
    ask_with_files_of_at_most: AskWithFilesOfAtMost, folder: Path
) -> None:
    made = Investigator(folder, workspace=folder.with_name("w"), embedder=ScriptedEmbedder())
    first = made.ask(QUESTION)
    (run,) = made.runs()
    outcomes = []
    for number, most in enumerate((1_000, 9_000, 30_000, 120_000)):
        (folder / f"new{number}.txt").write_text("The new plant makes power. " * 400 * (number + 1), encoding="utf-8")
        outcomes.append(ask_with_files_of_at_most(most).partition(":")[0])
        assert made.show(run.id).answer == first
    assert outcomes.count("DiskFullError") >= 2
    assert set(outcomes) <= {"DiskFullError", "not_found_so_far"}
    assert ask_with_files_of_at_most(0) == "not_found_so_far"
    assert made.status().documents == 5
    assert made.show(run.id).answer == first


def failing(server: OpenAIServer, folder: Path, *settings: str) -> Investigator:
    """Return an investigator whose model is the server, and which does not retry."""
    options = [f"chat.base_url={server.url}", "chat.attempts=1", "chat.timeout=20", *settings]
    return Investigator(folder, model="openai:test", embedder=ScriptedEmbedder(), settings=load_settings(None, options))


PLAN = json.dumps({"parts": [QUESTION], "wordings": ["output in MW"], "steps": []})


@pytest.mark.parametrize(
    ("trouble", "error"),
    [
        (lambda: refusal(401, "no"), CredentialError),
        (lambda: refusal(429, "slow down", headers={"Retry-After": "3600"}), EngineError),
        (lambda: refusal(500, "oops"), EngineError),
        (lambda: Response(delay=60), EngineTimeoutError),
        (lambda: replace(completion(PLAN), cut=True), EngineError),
        (lambda: Response(body=b"<html>Bad gateway</html>", headers={"Content-Type": "text/html"}), EngineError),
        (lambda: Response(body=b""), EngineError),
    ],
    ids=["401", "429", "500", "slow", "cut", "html", "empty"],
)
def test_a_failing_server_ends_named_and_the_run_goes_on_later(
    openai_server: OpenAIServer, folder: Path, trouble: Callable[[], Response], error: type[Exception]
) -> None:
    def answer(body: Body) -> Response:
        return completion(PLAN) if "You plan how to answer" in json.dumps(body) else trouble()

    openai_server.answer(answer)
    seconds = 4 if error is EngineTimeoutError else 20  # enough for a reply on a busy machine
    with pytest.raises(error) as caught:
        failing(openai_server, folder, f"chat.timeout={seconds}").ask(QUESTION)
    assert caught.value.hint  # type: ignore[attr-defined]
    made = failing(openai_server, folder)
    assert made.show(made.runs()[0].id).wordings == ("output in MW",)


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for Tesseract is a shell script")
def test_scans_are_read_once_tesseract_has_been_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, programs = tmp_path / "folder", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    Image.new("L", (80, 40), 255).save(folder / "scan.png")
    made = scripted(folder)

    def status() -> list[str]:
        return [event.file.status for event in made.index() if isinstance(event, FileRead)]

    assert status() == [FileStatus.NEEDS_OCR]
    assert status() == []
    assert "Tesseract" in made.status().files[0].reason
    tesseract = programs / "tesseract"
    tesseract.write_text('#!/bin/sh\nif [ "$1" = --list-langs ]; then echo eng; else echo "The mill burned."; fi\n')
    tesseract.chmod(0o755)
    assert status() == [FileStatus.INDEXED]
    assert status() == []


def test_a_number_found_everywhere_is_no_answer_and_one_that_is_asked_for_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    rows = [f"Row {i}: the value 57 was measured at site {i}." for i in range(50)]
    (folder / "rows.txt").write_text("\n".join((*rows, "The bridge at Lind is 57 metres long.")), encoding="utf-8")
    made = Investigator(folder, embedder=ScriptedEmbedder(), workspace=tmp_path / "w")
    assert made.ask("57").status is not AnswerStatus.ANSWERED
    assert "Lind" in made.ask("How long is the bridge at Lind?").text
