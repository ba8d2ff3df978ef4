"""Every question is kept, found again, saved in several forms, and deleted for good."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from threading import Event

import httpx
import pytest
from power_plants import ONE, read
from server_clients import answer_page, browser_of, end_page, program_of, serving

from investigator import ScriptedEngine
from investigator.errors import EngineError
from investigator.records import Prompt
from investigator.server.service import Service
from investigator.store.workspace import Workspace

OTHER = "When was the ELM plant opened?"


@pytest.fixture
def own(plants: Path, tmp_path: Path) -> Iterator[Service]:
    with serving(plants, tmp_path) as service:
        yield service


@pytest.fixture
def reader(own: Service) -> Iterator[httpx.Client]:
    with browser_of(own) as client:
        yield client


def listed(page: httpx.Response) -> list[str]:
    return re.findall(r'<strong dir="auto">([^<]+)</strong>', page.text)


def test_questions_are_found_by_their_words_in_any_case(reader: httpx.Client) -> None:
    answer_page(reader, "plants", ONE)
    answer_page(reader, "plants", OTHER)
    assert listed(reader.get("/f/plants/runs")) == [OTHER, ONE]
    assert listed(reader.get("/f/plants/runs?q=opened+elm")) == [OTHER]
    assert listed(reader.get("/f/plants/runs?q=xyzzy")) == []
    assert "0 questions" in reader.get("/f/plants/runs?q=xyzzy").text


def test_more_questions_than_fit_on_a_page_are_on_the_next(
    reader: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("investigator.server.question_pages._LISTED", 1)
    answer_page(reader, "plants", ONE)
    answer_page(reader, "plants", OTHER)
    first = reader.get("/f/plants/runs")
    assert listed(first) == [OTHER]
    (older,) = re.findall(r'href="([^"]+)">Older', first.text)
    assert listed(reader.get(older.replace("&amp;", "&"))) == [ONE]


def test_a_deleted_question_is_gone_with_its_events_and_a_second_tab_is_told_so(
    own: Service, reader: httpx.Client
) -> None:
    page = answer_page(reader, "plants", ONE)
    left = reader.post(f"{page.url.path}/delete")
    assert left.url.path == "/f/plants/runs"
    assert listed(left) == []
    assert reader.get(page.url.path).status_code == 404
    with program_of(own) as program:
        jobs = program.get("/v1/investigations").json()["items"]
        assert [job for job in jobs if job["request"]["question"]] == []  # the first reading of the folder is one too
    second = reader.post(f"{page.url.path}/delete")
    assert second.status_code == 404
    assert "already been deleted" in second.text


def test_nothing_else_is_deleted_and_only_from_the_page(own: Service, reader: httpx.Client) -> None:
    page = answer_page(reader, "plants", ONE)
    answer_page(reader, "plants", OTHER)
    del reader.headers["Origin"]
    assert reader.post(f"{page.url.path}/delete").status_code == 403
    reader.headers["Origin"] = own.address
    reader.post(f"{page.url.path}/delete")
    assert listed(reader.get("/f/plants/runs")) == [OTHER]


@pytest.mark.parametrize(
    ("kind", "begins"),
    [("md", b"# How much"), ("docx", b"PK"), ("html", b"<!DOCTYPE"), ("json", b"{"), ("csv", b"source")],
)
def test_an_answer_is_saved_in_each_form(browser: httpx.Client, kind: str, begins: bytes) -> None:
    page = answer_page(browser, "plants", ONE)
    saved = browser.get(f"{page.url.path}/save/{kind}")
    assert saved.headers["content-disposition"].endswith(f'.{kind}"')
    assert saved.content.startswith(begins)
    assert f"/save/{kind}" in page.text
    assert browser.get(f"{page.url.path}/save/exe").status_code == 404
    table = csv.DictReader(io.StringIO(browser.get(f"{page.url.path}/save/table.csv").text))
    assert table.fieldnames == ["document", "title", "decision", "statement"]


def test_the_answer_can_be_copied_with_its_numbered_sources(browser: httpx.Client) -> None:
    page = answer_page(browser, "plants", ONE)
    (text,) = re.findall(r'<textarea id="as-text"[^>]*>(.*?)</textarea>', page.text, re.DOTALL)
    assert "[1] cedar.txt:line 1" in text
    assert "It makes 42 MW of power." in text


def test_a_standing_question_is_marked_with_what_its_last_update_did(reader: httpx.Client, own: Service) -> None:
    investigator = own.desk.folder("plants").investigator
    answer_page(reader, "plants", OTHER)
    list(investigator.update_standing([ONE]))
    assert reader.get("/f/plants/runs").text.count("standing question") == 1
    ((now, did),) = investigator.standing().items()
    assert did.startswith("updated 20")
    assert f"Standing question, {did}." in reader.get(f"/f/plants/runs/{now}").text


def test_a_report_is_written_from_the_page_and_again_with_an_edited_outline(own: Service, reader: httpx.Client) -> None:
    outline = "How much power does the Cedar plant make?\nWhen was the Elm plant opened?\n- by whom?"
    page = answer_page(reader, "plants", "The plants", report="1", outline=outline)
    assert page.url.path.rpartition("/")[2].startswith("report-")
    part = re.findall(r'/f/plants/runs/part-of-report-[^"]+', page.text)[1]
    assert "When was the Elm plant opened?" in reader.get(part).text
    headings = re.findall(r'<h2 dir="auto">([^<]+)</h2>', page.text)
    assert headings == outline.splitlines()[:2]
    assert end_page(reader, reader.post(f"{page.url.path}/resume", follow_redirects=False)).url == page.url
    edited = html.unescape(re.findall(r'<textarea name="outline"[^>]*>([^<]+)', page.text)[0])
    assert "- by whom?" in edited
    edited = edited.replace("Elm", "Oak")
    again = answer_page(reader, "plants", "The plants", report="1", outline=edited)
    assert "When was the Oak plant opened?" in again.text
    answer_page(reader, "plants", "The plants", report="1", outline=edited, update="1")
    resumed = reader.post(f"{again.url.path}/resume", follow_redirects=False).headers["location"]
    with program_of(own) as program:
        request = program.get(f"/v1/investigations/{resumed.rpartition('/')[2]}").json()["job"]["request"]
    assert (request["kind"], request["update"]) == ("report", True)
    for data, problem in (
        ({"report": "1", "outline": "---"}, "contains no heading"),
        ({"outline": edited}, "Only a report has an outline"),
    ):
        refused = reader.post("/f/plants/ask", data={"question": "The plants", **data})
        assert (refused.status_code, problem in refused.text) == (422, True)


def test_a_question_that_is_being_answered_is_not_deleted(plants: Path, tmp_path: Path) -> None:
    begun, may_go_on = Event(), Event()

    def waiting(prompt: Prompt) -> str:
        begun.set()
        may_go_on.wait(60)
        return read(prompt)

    with serving(plants, tmp_path, model=ScriptedEngine(waiting)) as service, browser_of(service) as client:
        job = client.post("/f/plants/ask", data={"question": ONE}, follow_redirects=False).headers["location"]
        assert begun.wait(60)
        (run,) = set(re.findall(r"/f/plants/runs/[\w-]+", client.get("/f/plants/runs").text.replace("/delete", "")))
        refused = client.post(f"{run}/delete")
        may_go_on.set()
        assert refused.status_code == 409
        assert "in progress" in refused.text
        assert "It produces 42 MW." in end_page(client, httpx.Response(303, headers={"location": job})).text


def test_an_unfinished_run_of_another_process_is_not_deleted(reader: httpx.Client, tmp_path: Path) -> None:
    run = answer_page(reader, "plants", ONE).url.path
    with closing(connect(tmp_path / "workspace" / "runs.db")) as database:
        database.execute("UPDATE runs SET answer_status = NULL")
        database.commit()
    with Workspace(tmp_path / "workspace", write=True):
        refused = reader.post(f"{run}/delete")
    assert refused.status_code == 409
    assert "Another run is writing" in refused.text
    assert reader.post(f"{run}/delete").status_code == 200


def test_a_failed_question_is_told_as_failed_with_its_reason_and_can_be_resumed(plants: Path, tmp_path: Path) -> None:
    def refuse(prompt: Prompt) -> str:
        raise EngineError("the model 'strong' refuses the key", hint="Enter another key.")

    with serving(plants, tmp_path, model=ScriptedEngine(refuse)) as service, browser_of(service) as client:
        answer_page(client, "plants", ONE)
        assert ">Failed</span>" in client.get("/f/plants/").text
        (run,) = service.desk.folder("plants").investigator.runs()
        page = client.get(f"/f/plants/runs/{run.id}").text
    assert "<strong>Failed</strong>" in page
    assert "The model &#39;strong&#39; refuses the key. Enter another key." in page
    assert "/resume" in page
    assert "To be answered by scripted" in page
    for claim in ("Unfinished", "Answered by", "as-text", "/save/"):
        assert claim not in page


def test_a_report_that_nobody_read_says_so_once_at_the_top_of_each_form(reader: httpx.Client) -> None:
    page = answer_page(reader, "plants", "The plants", report="1", outline="How much power does the Cedar plant make?")
    notice = "No language model has read these passages."
    assert page.text.count(notice) == 2  # once is in the text to be copied
    assert "--model" not in page.text
    assert page.text.index(notice) < page.text.index("42 MW")
    saved = reader.get(f"{page.url.path}/save/md").text
    assert saved.count(notice) == 1
    assert saved.splitlines()[2].startswith("**Passages that may answer**: ")
    assert notice in saved.splitlines()[2]
    assert reader.get(f"{page.url.path}/save/html").text.count(notice) == 1


def test_a_question_that_cannot_be_asked_comes_back_with_the_form(reader: httpx.Client) -> None:
    page = answer_page(reader, "plants", ONE)
    run = page.url.path.rpartition("/")[2]
    reader.post(f"/f/plants/runs/{run}/delete")
    follow_up = reader.post("/f/plants/ask", data={"question": "And Elm?", "after": run})
    assert follow_up.status_code == 404
    assert "The answer that this question follows up on is not, or no longer, stored." in follow_up.text
    assert ">And Elm?</textarea>" in follow_up.text
    assert "no run begins with" not in follow_up.text
    form = {"question": ONE, "only": "nosuch.pdf"}
    assert "Unknown document nosuch.pdf." in reader.post("/f/plants/ask", data=form).text
    assert "Unknown document" in reader.post("/f/plants/matrix", data={"questions": ONE, "only": "nosuch.pdf"}).text
    empty = reader.post("/f/plants/ask", data={"question": " "}).text
    assert "<strong>The question is empty.</strong> Ask one question in plain words." in empty


def test_a_report_of_one_section_with_the_title_of_the_report_has_its_title_once(reader: httpx.Client) -> None:
    page = answer_page(reader, "plants", "Power of the plants", report="1", outline="Power of the plants")
    assert page.text.count(">Power of the plants</h") == 1
    assert 'aria-label="Sections"' not in page.text
    assert reader.get(f"{page.url.path}/save/md").text.count("# Power of the plants") == 1
