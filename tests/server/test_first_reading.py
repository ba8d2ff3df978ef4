"""A folder is read when somebody visits it; every page shows the reading, and then itself."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import httpx
import pytest
from power_plants import ONE, write_folder
from server_clients import answer_page, browser_of, read_folder

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.commands.serve import open_talks
from investigator.documents.folder import Recheck
from investigator.errors import DiskFullError
from investigator.records import Event as Happened
from investigator.server.ledger import JobLedger
from investigator.server.service import Service

PAGES = ("", "documents", "search?q=cedar", "chats", "document?id=cedar.txt")


class Slow(Investigator):
    """Reads the folder when it may."""

    may_read = Event()

    def _updated(self, *, vectors: bool, recheck: Recheck) -> Iterator[Happened]:
        assert self.may_read.wait(60)
        yield from super()._updated(vectors=vectors, recheck=recheck)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "plants")


@pytest.fixture
def slow(folder: Path, tmp_path: Path) -> Iterator[httpx.Client]:
    Slow.may_read.clear()
    investigator = Slow(folder, workspace=tmp_path / "workspace", embedder=ScriptedEmbedder())
    server = Service([investigator], open_talks=open_talks, directory=tmp_path / "data")
    with server as service, browser_of(service) as client:
        yield client
        Slow.may_read.set()


def test_every_page_shows_the_first_reading_and_then_itself(slow: httpx.Client) -> None:
    shown = [slow.get(f"/f/plants/{place}") for place in PAGES]
    assert {page.status_code for page in shown} == {200}
    streams = {re.findall(r'data-stream="([^"?]+)', page.text)[0] for page in shown}
    assert len(streams) == 1, "one reading, however many visits"
    assert [re.findall(r'data-done="([^"]+)"', page.text)[0] for page in shown[1:3]] == [
        "/f/plants/documents",
        "/f/plants/search?q=cedar",
    ]
    Slow.may_read.set()
    with slow.stream("GET", streams.pop()) as stream:
        text = "\n".join(stream.iter_lines())
    assert "reading files 9/9" in text
    for place in PAGES:
        page = slow.get(f"/f/plants/{place}")
        assert (page.status_code, "Reading the folder" in page.text) == (200, False)


def test_a_question_before_the_first_reading_waits_for_it(slow: httpx.Client) -> None:
    slow.get("/f/plants/documents")
    Slow.may_read.set()
    assert "It makes 42 MW of power." in answer_page(slow, "plants", ONE).text


@pytest.mark.parametrize("place", PAGES)
def test_an_empty_folder_says_so_on_every_page_until_it_has_documents(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "plants"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text("x")
    investigator = Investigator(folder, workspace=tmp_path / "workspace", embedder=ScriptedEmbedder())
    server = Service([investigator], open_talks=open_talks, directory=tmp_path / "data")
    with server as service, browser_of(service) as client:
        page = client.get(f"/f/plants/{place}")
        assert "This folder has no documents yet" in page.text
        assert str(folder) in page.text
        assert 'id="question"' not in page.text
        assert 'id="drop"' not in page.text
        (folder / "cedar.txt").write_text("The Cedar plant makes 42 MW of power.", encoding="utf-8")
        assert "cedar.txt" in read_folder(client, "plants").text


def test_a_folder_of_which_nothing_can_be_read_shows_why(tmp_path: Path) -> None:
    folder = tmp_path / "plants"
    folder.mkdir()
    (folder / "a.bin").write_bytes(bytes(range(256)))
    investigator = Investigator(folder, workspace=tmp_path / "workspace", embedder=ScriptedEmbedder())
    server = Service([investigator], open_talks=open_talks, directory=tmp_path / "data")
    with server as service, browser_of(service) as client:
        page = read_folder(client, "plants")
        assert (page.status_code, "a.bin" in page.text) == (200, True)
        assert "1 file could not be read" in page.text


def test_a_reading_that_fails_says_why_and_can_be_begun_again(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "plants")
    blocked = tmp_path / "workspace"
    blocked.write_text("not a folder")
    investigator = Investigator(folder, workspace=blocked, embedder=ScriptedEmbedder())
    server = Service([investigator], open_talks=open_talks, directory=tmp_path / "data")
    with server as service, browser_of(service) as client:
        page = client.get("/f/plants/documents")
        while "Reading the folder" in page.text:
            time.sleep(0.05)
            page = client.get("/f/plants/documents")
        assert "The folder could not be read" in page.text
        assert "Read it again" in page.text
        blocked.unlink()
        assert "cedar.txt" in read_folder(client, "plants").text


def test_a_reading_that_has_to_wait_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, may_store = write_folder(tmp_path / "plants"), Event()
    change = JobLedger.change

    def full(ledger: JobLedger, *given: object) -> object:
        if not may_store.is_set():
            raise DiskFullError("no space is left on the disk of /data")
        return change(ledger, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(JobLedger, "change", full)
    investigator = Investigator(folder, workspace=tmp_path / "workspace", embedder=ScriptedEmbedder())
    server = Service([investigator], open_talks=open_talks, directory=tmp_path / "data")
    with server as service, browser_of(service) as client:
        page = client.get("/f/plants/documents")
        while "Reading resumes by itself" not in page.text:
            assert "Reading the folder" in page.text
            page = client.get("/f/plants/documents")
        assert "no space is left on the disk of /data" in page.text
        may_store.set()
        assert "cedar.txt" in read_folder(client, "plants").text
