"""A matrix is asked on the page, fills as the documents are read, leads to its quotes, and is saved as a file."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from threading import Event

import httpx
import pytest
from openpyxl import load_workbook
from power_plants import read, write_folder
from server_clients import browser_of, end_page, read_folder, serving

from investigator import ScriptedEngine
from investigator.errors import EngineError
from investigator.records import Prompt

POWER, OPENED = "How much power does the plant make?", "When was the plant opened?"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    place = tmp_path_factory.mktemp("matrices")
    folder = write_folder(place / "plants")
    with serving(folder, place / "data") as service, browser_of(service) as client:
        read_folder(client, "plants")
        yield client


def asked(client: httpx.Client, questions: str, **more: str) -> tuple[list[str], httpx.Response]:
    """Ask with the form, and return the kinds of the events with the page of the filled table."""
    started = client.post("/f/plants/matrix", data={"questions": questions, **more}, follow_redirects=False)
    assert started.status_code == 303, started.text
    place = started.headers["location"]
    with client.stream("GET", f"{place}/progress") as stream:
        lines = list(stream.iter_lines())
    rows = re.findall(r'<tr data-document="([^"]+)"', "\n".join(lines))
    return list(dict.fromkeys(rows)), client.get(place)


def test_the_table_fills_row_by_row_and_its_cells_lead_to_their_quotes(browser: httpx.Client) -> None:
    rows, page = asked(browser, f"{POWER}\n\n{OPENED}\n{POWER}\n")
    assert rows == sorted(path.name for path in Path(browser.get("/v1/folders").json()["items"][0]["path"]).iterdir())
    assert page.url.path.startswith("/f/plants/matrix/matrix-")
    cells = re.findall(r'<a class="opens cell" href="([^"]+)" data-quote="([^"]+)"[^>]*>([^<]+)</a>', page.text)
    (link, quote, shown), *_ = [cell for cell in cells if "cedar.txt" in cell[0]]
    assert "42 MW" in shown
    marked = re.findall(r"<mark>(.*?)</mark>", browser.get(unescape(link)).text, re.DOTALL)
    assert "".join(marked) == unescape(quote)
    assert page.text.count('<th scope="col"') == 3, "a question that is given twice is one column"
    listed = browser.get("/f/plants/matrix").text
    assert (page.url.path in listed, "2 questions" in listed) == (True, True)
    assert page.url.path.rpartition("/")[2] not in browser.get("/f/plants/").text
    run = browser.get(f"/f/plants/runs/{page.url.path.rpartition('/')[2]}")
    assert run.url == page.url


def test_a_table_is_saved_in_each_form_and_read_again(browser: httpx.Client) -> None:
    _, page = asked(browser, POWER)
    saved = {form: browser.get(f"{page.url.path}/table.{form}") for form in ("csv", "xlsx", "json", "html")}
    assert all("attachment" in reply.headers["content-disposition"] for reply in saved.values())
    lines = list(csv.DictReader(io.StringIO(saved["csv"].content.decode("utf-8-sig"))))
    assert len(lines) == 9
    assert load_workbook(io.BytesIO(saved["xlsx"].content)).active.cell(1, 2).value == POWER
    assert json.loads(saved["json"].content)["questions"] == [POWER]
    assert browser.get(f"{page.url.path}/table.docx").status_code == 404


def test_some_documents_are_asked_alone(browser: httpx.Client) -> None:
    rows, _ = asked(browser, POWER, only="cedar.txt, o*.txt")
    assert rows == ["cedar.txt", "oak.txt"]


def test_a_table_of_three_hundred_columns_is_filled(browser: httpx.Client) -> None:
    _, page = asked(
        browser, "\n".join(f"How much power does the plant make on day {n}?" for n in range(300)), only="elm.txt"
    )
    assert page.text.count('<th scope="col"') == 301


@pytest.mark.parametrize("questions", ["", " \n \n", "x" * 20_000, f"{POWER}\n" * 5_000])
def test_refused_questions_stay_in_the_form_with_what_is_wrong(browser: httpx.Client, questions: str) -> None:
    refused = browser.post("/f/plants/matrix", data={"questions": questions})
    assert refused.status_code == 422
    assert 'role="alert"' in refused.text
    assert questions.strip() in refused.text


@pytest.mark.parametrize("state", ["Stopped", "Failed"])
def test_a_table_that_was_stopped_or_has_failed_is_resumed_or_deleted_on_the_page(tmp_path: Path, state: str) -> None:
    asked, going, fails = Event(), Event(), state == "Failed"

    def reply(prompt: Prompt) -> str:
        asked.set()
        going.wait(60)
        if fails:
            raise EngineError("no reply")
        return read(prompt)

    folder = write_folder(tmp_path / "plants")
    with serving(folder, tmp_path / "data", model=ScriptedEngine(reply)) as service, browser_of(service) as client:
        read_folder(client, "plants")
        started = client.post("/f/plants/matrix", data={"questions": POWER}, follow_redirects=False)
        place = started.headers["location"]
        asked.wait(60)
        if not fails:
            stopping = client.post(f"/f/plants/jobs/{place.rpartition('/')[2]}/stop").text
            assert "Stops after the reply in progress." in stopping
            assert "/stop" not in stopping
        going.set()
        assert state in end_page(client, started).text
        (run,) = re.findall(r'href="(/f/plants/matrix/matrix-[^"]+)"', client.get("/f/plants/matrix").text)
        page = client.get(run)
        assert page.url.path == place
        fails = False
        (resume,) = re.findall(r'action="([^"]+/resume)"', page.text)
        assert "9 documents, 1 question" in end_page(client, client.post(resume, follow_redirects=False)).text
        listed = client.get("/f/plants/matrix").text
        (delete,) = re.findall(r'action="(/f/plants/runs/matrix-[^"]+/delete)"', listed)
        after = client.post(delete)
        assert (after.url.path, delete in after.text) == ("/f/plants/matrix", False)
        assert client.get(run).status_code == 404


def test_an_unknown_table_is_not_found(browser: httpx.Client) -> None:
    for name in ("matrix-20200101", "none"):
        assert browser.get(f"/f/plants/matrix/{name}").status_code == 404
