"""The search server and its client, over the wire on loopback."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

import pytest
from openai_server import OpenAIServer, Response, json_response

from investigator.bb3.exchange import SearchDocument
from investigator.bb3.search.agent import MadeUpSearch, SearchAgent
from investigator.bb3.search.client import MOST_OCTETS, Patience, SearchServer
from investigator.bb3.search.server import MOST_DOCUMENTS, SearchEndpoint
from investigator.dialogue.messages import Message
from investigator.errors import (
    EngineError,
    EngineTimeoutError,
    EngineUnreachableError,
    InvestigatorError,
    SettingsError,
    StoreError,
)

PAGES = {"response": [{"url": "u", "title": "t", "content": "one\r\n\n two \nthree"}]}
QUICK = Patience(timeout=10, requests=3, delay=0.25)


class Waits:
    """Sleeps without sleeping, and keeps for how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def client(server: OpenAIServer, patience: Patience = QUICK) -> tuple[SearchServer, Waits]:
    waits = Waits()
    return SearchServer(server.url, patience=patience, sleep=waits), waits


def test_pages_come_with_their_lines(openai_server: OpenAIServer) -> None:
    openai_server.answer(json_response(PAGES))
    found = client(openai_server)[0].search("café & co?", 7)
    assert found == (SearchDocument(title="t", text="one two three", url="u"),)


@pytest.mark.parametrize("query", ["", "  \n"])
def test_a_query_without_words_asks_nobody(openai_server: OpenAIServer, query: str) -> None:
    assert client(openai_server)[0].search(query, 5) == ()
    assert openai_server.requests == []


def test_a_server_that_fails_is_asked_again_after_growing_waits_and_then_given_up(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(503))
    asking, waits = client(openai_server)
    with pytest.raises(EngineUnreachableError, match="status 503") as raised:
        asking.search("q", 5)
    assert waits.seconds == [0.25, 0.5]
    assert "search server" in raised.value.hint


def test_a_server_that_recovers_is_heard(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(500), Response(429), json_response(PAGES))
    assert len(client(openai_server)[0].search("q", 5)) == 1


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_not_asked_for_again(openai_server: OpenAIServer, status: int) -> None:
    openai_server.answer(Response(status))
    asking, waits = client(openai_server)
    with pytest.raises(EngineError, match=str(status)):
        asking.search("q", 5)
    assert waits.seconds == []


@pytest.mark.parametrize("answer", [Response(delay=5), Response(body=b"x" * 500, drip=0.05)])
def test_a_slow_server_is_given_up_by_the_clock(openai_server: OpenAIServer, answer: Response) -> None:
    openai_server.answer(answer)
    asking, waits = client(openai_server, Patience(timeout=0.15, requests=2, delay=0))
    began = time.monotonic()
    with pytest.raises(EngineTimeoutError, match=r"0\.15 seconds"):
        asking.search("q", 5)
    assert time.monotonic() - began < 2
    assert waits.seconds == [0]


def test_a_server_that_is_down_is_named() -> None:
    with socket.socket() as taken:  # bound and not listening: nobody can answer there
        taken.bind(("127.0.0.1", 0))
        address = f"user:secret@127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(EngineUnreachableError, match=r"127\.0\.0\.1 cannot be reached") as raised:
            SearchServer(address, patience=QUICK, sleep=lambda _: None).search("q", 5)
    assert "secret" not in str(raised.value)


def test_a_redirect_is_refused(openai_server: OpenAIServer) -> None:
    other = OpenAIServer()
    openai_server.answer(Response(307, headers={"Location": other.url}))
    with pytest.raises(EngineError, match="sends its callers elsewhere"):
        client(openai_server)[0].search("q", 5)
    other.close()
    assert other.requests == []


@pytest.mark.parametrize(
    ("body", "gist"),
    [
        (b"<html>", "no JSON: '<html>'"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"response": {"a": 1}}', "without a list"),
        (b'{"response": ["a page"]}', "without a list"),
        (b"[1, 2]", "without a list"),
        (b"x" * (MOST_OCTETS + 1), "4,000,000 octets"),
    ],
)
def test_what_is_no_answer_is_told(openai_server: OpenAIServer, body: bytes, gist: str) -> None:
    openai_server.answer(Response(body=body))
    with pytest.raises(EngineError, match=gist) as raised:
        client(openai_server, Patience(timeout=5))[0].search("q", 5)
    assert "address of the search server" in raised.value.hint


def test_a_query_that_is_no_text_is_named(openai_server: OpenAIServer) -> None:
    with pytest.raises(EngineError, match="no text"):
        client(openai_server)[0].search("\ud800", 5)


@pytest.mark.parametrize("body", [b"{}", b'{"response": null}', b'{"response": []}', b"null", b"[]"])
def test_finding_nothing_is_no_error(openai_server: OpenAIServer, body: bytes) -> None:
    openai_server.answer(Response(body=body))
    assert client(openai_server)[0].search("q", 5) == ()


def test_pages_may_lack_fields_or_have_odd_ones(openai_server: OpenAIServer) -> None:
    pages = [{}, {"content": None, "url": 5, "title": None}, {"content": ["a ", "", "b\nc"], "score": 3}]
    openai_server.answer(json_response({"response": pages}))
    found = client(openai_server)[0].pages("q", 5)
    assert [(page.url, page.title, page.lines) for page in found] == [
        ("", "", ()),
        ("5", "", ()),
        ("", "", ("a", "b", "c")),
    ]


@pytest.mark.parametrize("address", ["", "  ", "http://", "a b", "http://[::1", "srv:99999", "ftp://srv", "srv:0"])
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(SettingsError, match="no address of a search server"):
        SearchServer(address)


class Folder:
    """A search that keeps what it is asked, and fails where the query says so."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []
        self.go = threading.Event()

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        self.asked.append((query, count))
        if query == "wait":
            self.go.wait(5)
        if query == "broken":
            raise StoreError("the index is broken")
        return [SearchDocument(title="Ünïcode 🐶", text="ein\nzwei \ud800", url="doc:1")]


def test_the_client_understands_the_server() -> None:
    folder = Folder()
    with SearchEndpoint(folder) as endpoint:
        found = SearchServer(endpoint.address).search("größe & 🐶?", 500)
    assert found == (SearchDocument(title="Ünïcode 🐶", text="ein zwei ?", url="doc:1"),)
    assert folder.asked == [("größe & 🐶?", MOST_DOCUMENTS)]


def test_a_search_that_fails_is_told_to_the_client() -> None:
    with SearchEndpoint(Folder()) as endpoint:
        status, answer = post(endpoint, b"q=broken&n=1")
    assert (status, answer) == (500, {"error": "the index is broken"})


def post(endpoint: SearchEndpoint, body: bytes, **headers: str) -> tuple[int, object]:
    asked = http.client.HTTPConnection(urlsplit(endpoint.address).netloc, timeout=5)
    asked.request("POST", "/any/path", body, headers)
    response = asked.getresponse()
    answer = response.status, json.loads(response.read())
    asked.close()
    return answer


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"n=5", {}, 400),
        (b"q=a&n=x", {}, 400),
        (b"q=a&n=-1", {}, 400),
        (b"q=a&n=" + b"9" * 50, {}, 400),
        (b"q=\xff", {}, 400),
        (b"q=a&" * 100, {}, 400),
        (b"q=" + b"a" * 70_000, {}, 413),
        (b"q=a", {"Content-Length": "-3"}, 411),
        (b"q=a", {"Origin": "http://evil.example"}, 403),
        (b"q=", {}, 200),
        (b"q=a", {}, 200),
    ],
)
def test_a_bad_request_is_refused_and_the_server_goes_on(body: bytes, headers: dict[str, str], status: int) -> None:
    with SearchEndpoint(MadeUpSearch()) as endpoint:
        assert post(endpoint, body, **headers)[0] == status
        assert len(SearchServer(endpoint.address).search("q", 3)) == 3


def test_closing_ends_what_is_under_way_and_frees_the_place() -> None:
    folder = Folder()
    endpoint = SearchEndpoint(folder)
    answers: list[tuple[int, object]] = []
    asking = threading.Thread(target=lambda: answers.append(post(endpoint, b"q=wait&n=1")))
    asking.start()
    while not folder.asked:
        time.sleep(0.005)
    closing = threading.Thread(target=endpoint.close)
    closing.start()
    folder.go.set()
    closing.join(5)
    asking.join(5)
    assert [status for status, _ in answers] == [200]
    port = int(endpoint.address.rpartition(":")[2])
    with SearchEndpoint(MadeUpSearch(), port=port) as again:
        assert again.address == endpoint.address
        with pytest.raises(SettingsError, match=f"cannot listen at 127.0.0.1:{port}"):
            SearchEndpoint(MadeUpSearch(), port=port)


def test_requests_side_by_side_are_all_answered() -> None:
    results: list[int] = []
    with SearchEndpoint(MadeUpSearch()) as endpoint:
        server = SearchServer(endpoint.address)
        threads = [
            threading.Thread(target=lambda n=n: results.append(len(server.search(f"q{n}", n)))) for n in range(1, 9)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(results) == list(range(1, 9))


def test_a_search_agent_answers_with_documents_and_copies_share_its_search() -> None:
    folder = Folder()
    agent = SearchAgent({"n_docs": 2}, search=folder)
    assert agent.respond("dogs") == "Ünïcode 🐶 | ein\nzwei \ud800"
    assert folder.asked == [("dogs", 2)]
    agent.observe(Message(text=""))
    assert agent.act()["top_docs"] == []


def test_a_search_agent_asks_the_server_of_its_options(openai_server: OpenAIServer) -> None:
    openai_server.answer(json_response(PAGES))
    agent = SearchAgent({"raw_server": openai_server.url, "intra_doc_delimiter": "/"})
    assert agent.respond("q") == "t | one/two/three"
    with pytest.raises(InvestigatorError, match="no address"):
        SearchAgent({})
