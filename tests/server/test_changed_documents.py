"""An answer whose documents have changed since is shown with that, and altered words are never marked as its quote."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import pytest
from power_plants import ONE, read, write_folder
from server_clients import answer_page, browser_of, program_of, serving

from investigator import ScriptedEngine
from investigator.server.service import Service

FOUND = "The words of each quote were found in the file."
QUOTE = "It makes 42 MW of power."


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Service]:
    """A server of a folder of its own, whose documents are read by a model."""
    with serving(write_folder(tmp_path / "plants"), tmp_path / "data", model=ScriptedEngine(read)) as service:
        yield service


@pytest.fixture
def browser(running: Service) -> Iterator[httpx.Client]:
    with browser_of(running) as client:
        yield client


@pytest.fixture
def program(running: Service) -> Iterator[httpx.Client]:
    with program_of(running) as client:
        yield client


def update_index(program: httpx.Client) -> None:
    """Update the index, and wait until it is up to date."""
    job = program.post("/v1/folders/plants/index").json()["id"]
    until = time.monotonic() + 30
    while program.get(f"/v1/investigations/{job}").json()["job"]["state"] != "done":
        assert time.monotonic() < until
        time.sleep(0.05)


def link_of(page: httpx.Response) -> str:
    """Return the address at which the first quote of a page is shown in its document."""
    return unescape(re.findall(r'class="opens" href="([^"]+)"', page.text)[0])


def test_an_answer_that_lost_its_quote_is_no_longer_shown_as_answered(
    browser: httpx.Client, program: httpx.Client, tmp_path: Path
) -> None:
    page = answer_page(browser, "plants", ONE)
    assert '"verdict answered' in page.text
    assert FOUND in page.text
    assert browser.get(page.url.path).text == page.text
    cedar = tmp_path / "plants" / "cedar.txt"
    cedar.write_text(cedar.read_text().replace("42 MW", "77 MW"))
    update_index(program)
    for shown in (browser.get(page.url.path).text, browser.get(f"{page.url.path}/save/html").text):
        assert '"verdict not_found_so_far' in shown
        assert "cedar.txt has changed since this answer" in shown
        assert FOUND not in shown
    run_id = page.url.path.rpartition("/")[2]
    answer = program.get(f"/v1/folders/plants/runs/{run_id}").json()["answer"]
    jobs = program.get("/v1/investigations").json()["items"]
    kept = next(job["id"] for job in jobs if job["request"]["kind"] == "investigate")
    assert program.get(f"/v1/investigations/{kept}").json()["investigation"]["answer"] == answer
    assert answer["coverage"]["source_changed"] == ["cedar.txt"]
    assert answer["text"] == ""
    cedar.unlink()
    assert "cedar.txt is gone since this answer" in browser.get(page.url.path).text


def test_a_quote_that_moved_is_marked_where_it_is_now_and_altered_words_are_not_marked(
    browser: httpx.Client, program: httpx.Client, tmp_path: Path
) -> None:
    page = answer_page(browser, "plants", ONE)
    before = link_of(page)
    assert f"<mark>{QUOTE}</mark>" in browser.get(before).text
    cedar = tmp_path / "plants" / "cedar.txt"
    cedar.write_text(f"A new first line.\n\n{cedar.read_text()}")
    update_index(program)
    moved = browser.get(page.url.path)
    assert '"verdict answered' in moved.text
    assert f"<mark>{QUOTE}</mark>" in browser.get(link_of(moved)).text
    cedar.write_text(cedar.read_text().replace("42 MW", "77 MW"))
    for _ in ("the index is probably older", "the index is up to date"):
        for link in (before, link_of(moved)):
            shown = browser.get(link, headers={"X-Fragment": "1"}).text
            assert "77 MW" in shown
            assert "<mark>" not in shown
            assert "has changed since this was quoted" in shown
        update_index(program)


def test_a_reply_of_a_chat_that_lost_its_quote_is_shown_again_with_that(tmp_path: Path) -> None:
    with (
        serving(write_folder(tmp_path / "plants"), tmp_path / "data") as service,
        browser_of(service) as client,
        program_of(service) as program,
    ):
        started = client.post("/f/plants/chats", data={"said": ONE}, follow_redirects=False)
        place = started.headers["location"].partition("#")[0]
        with client.stream("GET", f"{place}/progress") as stream:
            assert "event: ended" in list(stream.iter_lines())
        assert "has changed" not in client.get(place).text
        cedar = tmp_path / "plants" / "cedar.txt"
        cedar.write_text(cedar.read_text().replace("42 MW", "77 MW"))
        assert "cedar.txt has changed since it was read, and no longer contains the quote" in client.get(place).text
        (turn,) = program.get(f"/v1/chats/{place.rpartition('/')[2]}").json()["turns"]
        assert (turn["reply"]["quotes"], len(turn["reply"]["lost"])) == ([], 1)


def test_a_document_that_is_gone_is_named_in_a_sentence_next_to_the_answer(
    browser: httpx.Client, program: httpx.Client, tmp_path: Path
) -> None:
    link = link_of(answer_page(browser, "plants", ONE))
    (tmp_path / "plants" / "cedar.txt").unlink()
    for _ in ("the index is probably older", "the index is up to date"):
        shown = browser.get(link, headers={"X-Fragment": "1"})
        assert shown.status_code == 404
        assert shown.text.startswith('<p class="why" dir="auto">cedar.txt is not, or no longer, among the documents')
        assert "<html" not in shown.text
        update_index(program)
