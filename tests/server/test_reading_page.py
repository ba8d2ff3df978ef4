"""A reader asks, watches, reads the answer, and sees each quote in its document; documents run nothing on the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from power_plants import ABSENT, ONE, judged
from server_clients import answer_page, browser_of, end_page, serving

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.records import CheckVariables, PlanVariables, Prompt

HOSTILE = """<script>alert(1)</script> The harbour is 12 metres deep. ![x](https://evil.test/?leak)
\u202esdrawkcab\x1b[31m

<img src=x onerror=alert(1)> [sign in](javascript:alert(1)) The harbour is 12 metres deep.
"""


def links_of(page: httpx.Response) -> list[str]:
    """Return the addresses at which the quotes of a page are shown in their documents."""
    return [unescape(link) for link in re.findall(r'class="opens" href="([^"]+)"', page.text)]


def test_a_reader_asks_and_each_citation_leads_to_its_quote(browser: httpx.Client) -> None:
    page = answer_page(browser, "plants", ONE)
    assert page.url.path.startswith("/f/plants/runs/")
    assert "It makes 42 MW of power." in page.text
    links = links_of(page)
    quotes = [unescape(quote) for quote in re.findall(r"<blockquote[^>]*>(.*?)</blockquote>", page.text)]
    assert links
    assert len(links) == len(quotes)
    saved = browser.get(f"{page.url.path}/save/html")
    assert saved.headers["content-disposition"].startswith("attachment")
    assert "It makes 42 MW" in saved.text
    for link, quote in zip(links, quotes, strict=True):
        marked = re.findall(r"<mark>(.*?)</mark>", browser.get(link).text, re.DOTALL)
        assert "".join(unescape(words) for words in marked) == quote


def test_what_happens_is_shown_as_it_happens_and_again_after_a_reload(browser: httpx.Client) -> None:
    question = "How much power does the Birch plant make?"
    started = browser.post("/f/plants/ask", data={"question": question}, follow_redirects=False)
    place = started.headers["location"]
    with browser.stream("GET", f"{place}/progress") as stream:
        first = [line for line in stream.iter_lines() if line.startswith(("id", "data"))]
    with browser.stream("GET", f"{place}/progress?after=3") as stream:
        again = [line for line in stream.iter_lines() if line.startswith("id")]
    ids = [line for line in first if line.startswith("id")]
    assert again == [line for line in ids if int(line.removeprefix("id: ")) > 3]
    places = set(re.findall(r'data-place="(\w+)"', "\n".join(first)))
    assert places == {"now", "spent", "log", "plan"}


def reading(prompt: Prompt) -> str:
    """Return the reply of a sensible reader who rewrites a follow-up, and whose check refuses its last statement."""
    reply: dict[str, Any] = judged(prompt.text)
    if isinstance(prompt.variables, PlanVariables) and prompt.variables.earlier:
        reply["question"] = "When was the Cedar plant opened?"
    if reply.get("lead"):
        details = (("Output", "Its output is 42 MW."), ("Rank", "It is the largest plant."))
        reply["details"] = [{"head": head, "text": text, "evidence": ["E1"]} for head, text in details]
    if isinstance(prompt.variables, CheckVariables) and reply["statements"]:
        reply["statements"][-1] |= {"support": "unsupported", "reason": "No quote compares plants."}
    return json.dumps(reply)


@pytest.fixture
def read(plants: Path, tmp_path: Path) -> Iterator[httpx.Client]:
    """A browser at a server whose documents are read by a model."""
    engine = ScriptedEngine(reading)
    with serving(plants, tmp_path, model=engine) as service, browser_of(service) as client:
        yield client


def test_an_answer_shows_what_was_checked_by_whom_and_what_is_withheld(read: httpx.Client) -> None:
    page = answer_page(read, "plants", ONE)
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.text))
    answer, withheld = (words.index(text) for text in ("It produces 42 MW.", "It is the largest plant."))
    assert answer < words.index("Output") < words.index("Withheld from the answer") < withheld
    assert "No quote compares plants." in words
    assert "Checked by scripted" in words
    assert "scripted has not been graded" in words


def test_a_follow_up_is_read_with_what_it_follows_and_resumed_so(read: httpx.Client) -> None:
    run = answer_page(read, "plants", ONE).url.path.rpartition("/")[2]
    page = answer_page(read, "plants", "When was it opened?", after=run)
    assert "When was the Cedar plant opened?" in page.text
    assert end_page(read, read.post(f"{page.url.path}/resume", follow_redirects=False)).url == page.url


def test_a_run_is_resumed_from_its_page_as_it_was_asked(browser: httpx.Client, program: httpx.Client) -> None:
    page = answer_page(browser, "plants", ONE, only="cedar.txt, oak.txt", mission="Find the power.", as_of="2026-03-31")
    again = browser.post(f"{page.url.path}/resume", follow_redirects=False)
    assert end_page(browser, again).url == page.url
    request = program.get(f"/v1/investigations/{again.headers['location'].rpartition('/')[2]}").json()["job"]["request"]
    assert (request["only"], request["mission"]) == (["cedar.txt", "oak.txt"], "Find the power.")
    assert request["as_of"] == "2026-03-31"


def test_an_answer_that_is_not_there_says_so_and_where_it_was_looked_for(browser: httpx.Client) -> None:
    page = answer_page(browser, "plants", ABSENT)
    assert re.search("Not (in the documents|found so far)", page.text)
    assert 'id="coverage"' in page.text


@pytest.mark.parametrize(
    "data", [{"question": "  "}, {}, {"question": "x" * 30_000}, {"question": ONE, "as_of": "today"}]
)
def test_a_refused_question_stays_in_its_form_with_what_is_wrong(browser: httpx.Client, data: dict[str, str]) -> None:
    refused = browser.post("/f/plants/ask", data={**data, "mission": "Find the <power>"})
    assert refused.status_code == 422
    assert refused.headers["content-type"].startswith("text/html")
    assert 'role="alert"' in refused.text
    assert 'value="Find the &lt;power&gt;"' in refused.text
    assert data.get("question", "") in refused.text
    assert "investigator ask" not in refused.text


def test_a_refused_follow_up_stays_below_the_answer_that_it_follows(browser: httpx.Client) -> None:
    run = answer_page(browser, "plants", ONE).url.path.rpartition("/")[2]
    refused = browser.post("/f/plants/ask", data={"question": " ", "after": run})
    assert refused.status_code == 422
    assert "It makes 42 MW of power." in refused.text
    assert f'name="after" value="{run}"' in refused.text


@pytest.mark.parametrize(
    ("place", "status"),
    [
        ("/f/nowhere/", 404),
        ("/f/plants/runs/20200101", 404),
        ("/f/plants/jobs/none", 404),
        ("/f/plants/document?id=gone.txt", 404),
        ("/f/plants/sheet?id=cedar.txt&page=1", 404),
    ],
)
def test_what_is_not_there_is_told_on_a_page(browser: httpx.Client, place: str, status: int) -> None:
    answer_page(browser, "plants", ONE)
    reply = browser.get(place)
    assert (reply.status_code, reply.headers["content-type"]) == (status, "text/html; charset=utf-8")


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[httpx.Client]:
    folder = tmp_path / "sent"
    folder.mkdir()
    (folder / "<img src=x onerror=alert(1)>.txt").write_text(HOSTILE, encoding="utf-8")
    (folder / "b.txt").write_text("The lake is 3 metres deep. " * 3, encoding="utf-8")
    with serving(folder, tmp_path / "data") as service, browser_of(service) as client:
        yield client


def test_a_document_can_do_nothing_on_a_page(hostile: httpx.Client) -> None:
    answer = answer_page(hostile, "sent", "How deep is the harbour? <script>alert(2)</script>")
    links = links_of(answer)
    assert links
    pages = [answer, *map(hostile.get, [*links, "/f/sent/documents", "/f/sent/search?q=harbour"])]
    for page in pages:
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert not re.search(r'(href|src)="(?!/|#)', page.text)
        assert "\u202e" not in page.text
        assert "\x1b" not in page.text
    assert all("on" not in {name[:2] for name in re.findall(r"<\w+[^>]*?\s(\w+)=", page.text)} for page in pages)


def test_the_index_is_brought_up_to_date_from_the_page(browser: httpx.Client, plants: Path) -> None:
    answer_page(browser, "plants", ONE)
    (plants / "new.txt").write_text("The Willow plant makes 46 MW of power.", encoding="utf-8")
    assert "new.txt" in browser.get("/f/plants/documents").text
    page = end_page(browser, browser.post("/f/plants/index", follow_redirects=False))
    assert page.url.path == "/f/plants/documents"
    assert "id=new.txt" in page.text


def test_what_the_documents_deal_with_is_offered_as_searches(tmp_path: Path) -> None:
    folder = tmp_path / "firm"
    folder.mkdir()
    for name, heading in (("lease", "Rent and deposit"), ("minutes", "Der neue R\u00f6ster"), ("prices", "1.2")):
        text = (
            f"# {name.title()}\n\n## Summary\n\nAll is agreed.\n\n## {heading}\n\n{'It is agreed by both sides. ' * 9}"
        )
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    list(Investigator(folder, workspace=tmp_path / "data" / "workspace", embedder=ScriptedEmbedder()).index())
    with serving(folder, tmp_path / "data") as service, browser_of(service) as client:
        shown = re.findall(r'search\?q=([^"]+)" dir="auto">([^<]+)<', client.get("/f/firm/").text)
    assert shown == [
        ("Rent+and+deposit", "Rent and deposit"),
        ("Der+neue+R%C3%B6ster", "Der neue R\u00f6ster"),
        ("Prices", "Prices"),
    ]


def test_a_search_leads_to_passages(browser: httpx.Client) -> None:
    hits = browser.get("/f/plants/search", params={"q": "cedar"}).text
    assert "/f/plants/document?id=cedar.txt" in hits
    assert "Search</h1>" in browser.get("/f/plants/search").text
