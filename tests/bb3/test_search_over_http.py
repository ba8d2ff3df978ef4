"""The search server and its client, connected over loopback."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from openai_server import OpenAIServer, Response, json_response
from search_endpoint import SearchEndpoint
from talks import Waits

from investigator.bb3.exchange import SearchDocument
from investigator.bb3.search.client import MadeUpSearch, SearchAgent, SearchServer
from investigator.bb3.search.server import LONGEST_QUERY, MOST_DOCUMENTS
from investigator.dialogue.messages import Message
from investigator.engines.http import Retries
from investigator.errors import (
    EngineError,
    EngineTimeoutError,
    InvestigatorError,
    SettingsError,
    StoreError,
    WorkspaceLockedError,
)

PAGES = {"response": [{"url": "u", "title": "t", "content": "one\r\n\n two \nthree"}]}
QUICK = Retries(tries=3, delay=0.25)


def client(server: OpenAIServer, timeout: float = 10, retries: Retries = QUICK) -> tuple[SearchServer, Waits]:
    waits = Waits()
    return SearchServer(server.url, timeout=timeout, retries=replace(retries, sleep=waits)), waits


def test_pages_come_with_their_lines(openai_server: OpenAIServer) -> None:
    openai_server.answer(json_response(PAGES))
    (page,) = client(openai_server)[0].pages("café & co?", 7)
    assert (page.title, page.lines, page.url) == ("t", ("one", "two", "three"), "u")


@pytest.mark.parametrize("query", ["", "  \n"])
def test_a_query_without_words_asks_nobody(openai_server: OpenAIServer, query: str) -> None:
    assert client(openai_server)[0].pages(query, 5) == ()
    assert openai_server.requests == []


def test_a_server_that_fails_is_asked_again_after_growing_waits_and_then_given_up(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(503))
    asking, waits = client(openai_server)
    with pytest.raises(EngineError, match="status 503") as raised:
        asking.search("q", 5)
    assert waits.seconds == [0.25, 0.5]
    assert "search server" in raised.value.hint


def test_why_a_server_refuses_is_told_where_it_says_so(openai_server: OpenAIServer) -> None:
    openai_server.answer(json_response({"error": "the folder\nis gone"}, 404))
    with pytest.raises(EngineError, match=r"replied with status 404: the folder is gone$"):
        client(openai_server)[0].search("q", 5)
    openai_server.answer(json_response({"error": {"code": 3}}, 404))
    with pytest.raises(EngineError, match=r"replied with status 404$"):
        client(openai_server)[0].search("q", 5)


def test_a_server_that_recovers_is_heard(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(500), Response(429), json_response(PAGES))
    assert len(client(openai_server)[0].search("q", 5)) == 1


@pytest.mark.parametrize("status", [400, 404])
def test_a_refusal_is_not_asked_for_again(openai_server: OpenAIServer, status: int) -> None:
    openai_server.answer(Response(status))
    asking, waits = client(openai_server)
    with pytest.raises(EngineError, match=str(status)):
        asking.search("q", 5)
    assert waits.seconds == []


@pytest.mark.parametrize(
    "answer",
    [Response(delay=60), Response(body=b"x" * 2000, drip=0.05), Response(body=b"x", drip=0.5, drip_head=True)],
)
def test_a_slow_server_is_given_up_by_the_clock(openai_server: OpenAIServer, answer: Response) -> None:
    openai_server.answer(answer)
    asking, waits = client(openai_server, 0.15, Retries(tries=2, delay=0))
    began = time.monotonic()
    with pytest.raises(EngineTimeoutError, match=r"0\.15 seconds"):
        asking.search("q", 5)
    assert time.monotonic() - began < 20
    assert waits.seconds == [0]


def test_a_server_that_is_down_is_named() -> None:
    with socket.socket() as taken:  # bound and not listening: nobody can answer there
        taken.bind(("127.0.0.1", 0))
        address = f"user:secret@127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(EngineError, match=r"127\.0\.0\.1 cannot be reached") as raised:
            SearchServer(address, retries=Retries(1)).search("q", 5)
    assert "secret" not in str(raised.value)


def test_a_redirect_is_refused(openai_server: OpenAIServer) -> None:
    other = OpenAIServer()
    openai_server.answer(Response(307, headers={"Location": other.url}))
    with pytest.raises(EngineError, match="redirects its callers"):
        client(openai_server)[0].search("q", 5)
    other.close()
    assert other.requests == []


@pytest.mark.parametrize(
    ("body", "gist"),
    [
        (b"<html>", "not reply with a list of pages as JSON, under \"response\": '<html>'"),
        (b"\xff\xfe", "not reply with a list"),
        (b"[" * 100_000, "not reply with a list"),
        (b'{"response": {"a": 1}}', "not reply with a list"),
        (b'{"response": ["a page"]}', "not reply with a list"),
        (b"[1, 2]", "not reply with a list"),
    ],
)
def test_what_is_no_answer_is_told(openai_server: OpenAIServer, body: bytes, gist: str) -> None:
    openai_server.answer(Response(body=body))
    with pytest.raises(EngineError, match=gist) as raised:
        client(openai_server, 5)[0].search("q", 5)
    assert "address of the search server" in raised.value.hint


@pytest.mark.parametrize("body", [b"{}", b'{"response": null}', b'{"response": []}', b"null", b"[]"])
def test_finding_nothing_is_no_error(openai_server: OpenAIServer, body: bytes) -> None:
    openai_server.answer(Response(body=body))
    assert client(openai_server)[0].pages("q", 5) == ()


def test_pages_may_lack_fields_or_have_odd_ones(openai_server: OpenAIServer) -> None:
    pages = [{}, {"content": None, "url": 5, "title": None}, {"content": ["a ", "", "b\nc"], "score": 3}]
    openai_server.answer(json_response({"response": pages}))
    results = client(openai_server)[0].pages("q", 5)
    assert [(page.url, page.title, page.lines) for page in results] == [
        ("", "", ()),
        ("5", "", ()),
        ("", "", ("a", "b", "c")),
    ]


def test_addresses_and_titles_are_bounded_and_halves_of_pairs_are_replaced(openai_server: OpenAIServer) -> None:
    openai_server.answer(json_response([{"url": "u" * 9_000, "title": "t" * 9_000, "content": "a\ud800b"}]))
    (page,) = client(openai_server)[0].pages("q", 5)
    assert (len(page.url), len(page.title), page.lines) == (2_000, 2_000, ("a\ufffdb",))


@pytest.mark.parametrize("address", ["", "  ", "http://", "a b", "http://[::1", "srv:99999", "ftp://srv", "HTTP://"])
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(SettingsError, match="not the address of a search server"):
        SearchServer(address)


class Folder:
    """A search that records its queries."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, int]] = []

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        self.requests.append((query, count))
        return [SearchDocument(title="Ünïcode 🐶", text="ein\nzwei \ud800", url="doc:1")]


def test_the_client_understands_the_server() -> None:
    folder = Folder()
    with SearchEndpoint(folder) as endpoint:
        (found,) = SearchServer(endpoint.address).search("größe & 🐶?", 500)
    assert (found.title, found.text, found.url) == ("Ünïcode 🐶", "ein\nzwei ?", "doc:1")
    assert folder.requests == [("größe & 🐶?", MOST_DOCUMENTS)]


def post(endpoint: SearchEndpoint, body: bytes, **headers: str) -> tuple[int, object]:
    connection = http.client.HTTPConnection(urlsplit(endpoint.address).netloc, timeout=5)
    connection.request("POST", "/any/path", body, headers)
    response = connection.getresponse()
    answer = response.status, json.loads(response.read())
    connection.close()
    return answer


FORM = {"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"}


@pytest.mark.parametrize(
    ("body", "headers", "status", "reason"),
    [
        (b"n=5", {}, 400, "not a form with one q and one n; POST a form"),
        (b"q=a&n=x", {}, 400, "not a form"),
        (b"q=a&n=-1", {}, 400, "not a form"),
        (b"q=a&n=1&n=2", {}, 400, "not a form"),
        (b"q=a&q=b", {}, 400, "not a form"),
        (b"q=\xff", {}, 400, "not a form"),
        (b"a=a&" * 100, {}, 400, "not a form"),
        (b"q=" + b"a" * (LONGEST_QUERY + 1), {}, 400, "q has 20,001 characters; the limit is 20,000"),
        (b'{"q": "a"}', {"Content-Type": "application/json"}, 400, "not a form"),
    ],
)
def test_a_bad_request_is_told_what_is_wrong_and_the_server_goes_on(
    body: bytes, headers: dict[str, str], status: int, reason: str
) -> None:
    with SearchEndpoint(MadeUpSearch()) as endpoint:
        got, answer = post(endpoint, body, **headers)
        assert got == status
        assert isinstance(answer, dict)
        assert reason in answer["error"]
        assert len(SearchServer(endpoint.address).search("q", 3)) == 3


@pytest.mark.parametrize(
    ("body", "count"), [(b"q=", 0), (b"q=a&n=0", 0), (b"q=a&n=007", 7), (b"q=a", 5), (b"q=a&n=" + b"9" * 500, 50)]
)
def test_a_form_gets_as_many_pages_as_it_asks_for_up_to_fifty(body: bytes, count: int) -> None:
    with SearchEndpoint(MadeUpSearch()) as endpoint:
        status, answer = post(endpoint, body, **FORM)
    assert status == 200
    assert isinstance(answer, dict)
    assert len(answer["response"]) == count


@pytest.mark.parametrize("method", ["GET", "HEAD", "FOO"])
def test_any_other_method_is_refused_and_told_which_one_is_served(method: str) -> None:
    with SearchEndpoint(MadeUpSearch()) as endpoint:
        connection = http.client.HTTPConnection(urlsplit(endpoint.address).netloc, timeout=5)
        connection.request(method, "/")
        response = connection.getresponse()
        assert (response.status, response.headers["Allow"]) == (405, "POST")
        assert response.headers.get_content_type() == "application/json"
        body = response.read()
        connection.close()
    assert method == "HEAD" or json.loads(body)["error"].startswith(f"{method} is not supported; POST a form")


class Failing:
    """A search that fails as its query says."""

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        raise {
            "locked": WorkspaceLockedError("taken"),
            "broken": StoreError("the index is broken"),
            "disk": PermissionError("no"),
            "odd": ZeroDivisionError("oops"),
        }[query]


@pytest.mark.parametrize(
    ("query", "status", "answer", "problem"),
    [
        (b"q=locked", 503, "taken", []),
        (b"q=broken", 500, "the index is broken", ["a search failed: the index is broken"]),
        (b"q=disk", 500, "no", ["a search failed: no"]),
        (b"q=odd", 500, "the search failed unexpectedly", ["unexpected error: ZeroDivisionError: oops"]),
    ],
)
def test_a_search_that_fails_in_any_way_is_answered_without_a_traceback(
    query: bytes, status: int, answer: str, problem: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    problems: list[str] = []
    with SearchEndpoint(Failing(), on_problem=problems.append) as endpoint:
        assert post(endpoint, query) == (status, {"error": answer})
    assert problems == problem
    assert capsys.readouterr().err == ""


def test_a_search_agent_answers_with_documents_and_copies_share_its_search() -> None:
    folder = Folder()
    agent = SearchAgent({"n_docs": 2}, search=folder)
    assert agent.respond("dogs") == "Ünïcode 🐶 | ein\nzwei \ud800"
    assert folder.requests == [("dogs", 2)]
    agent.observe(Message(text=""))
    assert agent.act()["top_docs"] == []


def test_a_search_agent_asks_the_server_of_its_options(openai_server: OpenAIServer) -> None:
    openai_server.answer(json_response(PAGES))
    agent = SearchAgent({"raw_server": openai_server.url, "intra_doc_delimiter": "/"})
    assert agent.respond("q") == "t | one/two/three"
    with pytest.raises(InvestigatorError, match="not the address"):
        SearchAgent({})
