"""Search servers, and the use of their documents, behave as recorded."""

from __future__ import annotations

import json
from typing import Any

import httpx
from golden_rows import golden_test

from investigator.bb3.exchange import SearchDocument
from investigator.bb3.forms.token_form import passage
from investigator.bb3.search.client import MadeUpSearch, SearchAgent, SearchServer
from investigator.bb3.search.served import nearest
from investigator.dialogue.messages import Message
from investigator.engines.http import Retries


class Wire(httpx.BaseTransport):
    """A server that answers as the row says, and records its requests."""

    def __init__(self, answer: Any, *, failure: str = "", bad_first: int = 0) -> None:
        self.requests: list[dict[str, str]] = []
        self._answer = answer
        self._failure = failure
        self._bad_first = bad_first

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        asked = {"method": request.method, "url": str(request.url), "body": request.read().decode()}
        self.requests.append({**asked, "content_type": request.headers["Content-Type"]})
        if "timeout" in self._failure.lower():
            raise httpx.ReadTimeout(self._failure)
        if self._failure:
            raise httpx.ConnectError(self._failure)
        if len(self.requests) <= self._bad_first:
            return httpx.Response(500)
        body = self._answer if isinstance(self._answer, str) else json.dumps(self._answer)
        return httpx.Response(200, content=body.encode())


def pages(server: SearchServer, query: str, count: int) -> list[dict[str, object]]:
    found = server.pages(query, count)
    return [{"content": list(page.lines), "url": page.url, "title": page.title} for page in found]


def search_server(given: Any) -> Any:
    wire = Wire(given.get("response"), failure=given.get("exc") or "")
    retries = Retries(given.get("opt", {}).get("max_num_retries", 1) + 2)
    server = SearchServer(given.get("addr", "srv"), retries=retries, sleep=lambda _: None, transport=wire)
    return {"ok": {"result": [pages(server, given.get("query", "q"), given.get("n", 5))], "requests": wire.requests}}


def search_server_non_200(given: Any) -> Any:
    good = {"response": [{"url": "u", "title": "t", "content": "c"}]}
    wire = Wire(good, bad_first=given["bad_500_replies_before_a_good_one"])
    server = SearchServer("srv", sleep=lambda _: None, transport=wire)
    return {"ok": {"result": [pages(server, "q", 5)], "n_requests": len(wire.requests)}}


def chunk_ranker(given: Any) -> Any:
    chunks, count = given["chunks"], given["n"]
    return [chunks[i] for i in nearest(chunks, given["query"])[:count]] if given["ranker"] == "tfidf" else None


def document(given: Any) -> Any:
    made = SearchDocument(title=given["title"], text=given["text"], url=str(given["docid"]))
    return {"passage_str": passage(made), "id": made.url}


def mock_server(given: Any) -> Any:
    found = MadeUpSearch().search(given["query"], given["n"])
    return [[{"content": each.text, "url": each.url, "title": each.title} for each in found]]


def search_agent(given: Any) -> Any:
    options = {name: given[name] for name in ("n_docs", "intra_doc_delimiter") if name in given}
    agent = SearchAgent({**options, "server": "test"})
    agent.observe(Message(text=given["query"]))
    act = agent.act()
    return {"text": act["text"], "top_docs": act["top_docs"], "urls": act["urls"]}


ADAPTERS = {
    "search_server": search_server,
    "search_server_non_200": search_server_non_200,
    "chunk_ranker": chunk_ranker,
    "mock_server": mock_server,
    "document": document,
    "search_agent": search_agent,
}


test_searching_behaves_as_recorded = golden_test("bb3_search", ADAPTERS, other_kinds=True)
