"""A client for search servers that speak BB3's protocol: it posts a form with q and n, and gets `{"response": [{url,
title, content}]}`. The client deliberately deviates from ParlAI 1.7.2, whose behaviour was verified in recordings: it
reports failures, and limits what it reads. A chat that searches there quotes the pages that the server sends, and an
agent answers with them (seed: bb3_agents).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, cast
from urllib.parse import urlencode, urlsplit

from pydantic import AnyHttpUrl, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from investigator.bb3.exchange import DocumentSearch, SearchDocument
from investigator.bb3.search.served import ServedDocument, nearest_part, searched
from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message
from investigator.engines.http import Endpoint, Retries
from investigator.errors import EngineError, SettingsError
from investigator.language.normalise import one_line
from investigator.records import Passage, Record
from investigator.secrets import register_address

if TYPE_CHECKING:
    import httpx

_LONGEST_NAME = 2_000  # maximum number of characters in an address or a title; longer ones are truncated
_LONGEST_PAGE = 200_000  # maximum number of characters read from a page
_LONGEST_PASSAGE = 10_000  # of a folder's passage that is read as a whole, as in a chat about that folder
_PLACE = re.compile(r"(?P<id>.+)#(?:page=(?P<page>\d{1,6})|(?P<sent>text-)?line=(?P<line>\d{1,9}))")
"""Matches the address of a passage, as sent by `investigator serve`: its document, and the page or the first line."""
_HINT = "Check the address of the search server, or omit it to search the folder instead."
_RETRIES = Retries(tries=3)
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429, *range(500, 600)})


def _text(value: object) -> str:
    """Return a value as text, a list as lines; lone surrogates, which cannot be encoded, become U+FFFD."""
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return ("" if value is None else str(value)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


Name = Annotated[str, BeforeValidator(lambda value: one_line(_text(value))[:_LONGEST_NAME])]


class FoundPage(Record):
    """A page that a search server found. `content` is the page's text as the server sent it; some servers send a list
    of lines. If the server runs `investigator serve`, `heading` is the heading above it, and `document_match` is
    the probability that its document contains the answer.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    url: Name = ""
    title: Name = ""
    content: Annotated[str, BeforeValidator(_text)] = ""
    heading: Name = ""
    document_match: float | None = Field(default=None, ge=0, le=1)

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the non-blank lines of the text, stripped."""
        return tuple(line for line in map(str.strip, self.content.split("\n")) if line)


class _Refusal(Record):
    error: str


class SearchServer:
    """A search server at an address; `http://` may be omitted. Thread-safe. A request takes at most `timeout` seconds,
    and is repeated as `retries` says. Raises SettingsError if the address is invalid.
    """

    def __init__(
        self,
        address: str,
        *,
        timeout: float = 10.0,
        retries: Retries = _RETRIES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.address = full_address(address)
        place = urlsplit(self.address)
        self._place = f"the search server at {place.hostname}"
        self._name = f"the search server at {place.netloc.rpartition('@')[2]}"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        self._endpoint = Endpoint(self.address, self._place, timeout, headers=headers, hint=_HINT, transport=transport)
        self._retries = retries

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """Return the best pages, each limited to the part nearest to the query. Pages without text and duplicates are
        dropped. Raises EngineTimeoutError and EngineError.
        """
        words = searched(query)
        pages = {(page.url, page.content): page for page in self.pages(words, count) if page.lines}
        return [_part(page, words, self._name) for page in pages.values()][:count]

    def pages(self, query: str, count: int) -> tuple[FoundPage, ...]:
        """Return the pages that the server finds, best first; a query without words finds none. The server may send
        more than `count`. Raises the errors of `search`.
        """
        if not query.strip():
            return ()
        form = urlencode({"q": query, "n": count}, errors="replace").encode("ascii")
        return self._retries.call(lambda: self._ask(form))

    def _ask(self, form: bytes) -> tuple[FoundPage, ...]:
        status, body = self._endpoint.post(form)
        if status != 200:
            raise self._refused(status, body)
        try:
            answer = json.loads(body)
            pages = answer.get("response") if isinstance(answer, Mapping) else answer
            return tuple(map(FoundPage.model_validate, pages or ()))
        except (ValueError, RecursionError, TypeError) as error:
            gist = body[:60].decode("utf-8", "replace")
            problem = f'{self._place} did not reply with a list of pages as JSON, under "response": {gist!r}'
            raise EngineError(problem, hint=_HINT) from error

    def _refused(self, status: int, body: bytes) -> EngineError:
        if 300 <= status < 400:
            return EngineError(f"{self._place} redirects its callers ({status})", hint=_HINT)
        message = f"{self._place} replied with status {status}"
        with suppress(ValidationError):
            message += f": {one_line(_Refusal.model_validate_json(body).error)[:200]}"
        return EngineError(message, hint=_HINT, retryable=status in _WORTH_ANOTHER_TRY)


def reached_server(address: str) -> SearchServer:
    """Return a search server, of at most 20.5 seconds a search, after a test request, so that a wrong address is
    reported before the first turn of a chat. Raises SettingsError, EngineTimeoutError and EngineError.
    """
    SearchServer(address, retries=Retries(tries=1)).pages("hello", 1)
    return SearchServer(address, retries=Retries(tries=2))


def _part(page: FoundPage, query: str, server: str) -> ServedDocument:
    """Return the part of a page that is read for a query."""
    whole, place = page.content[:_LONGEST_PAGE], _PLACE.fullmatch(page.url)
    start, end = (0, len(whole)) if place and len(whole) <= _LONGEST_PASSAGE else nearest_part(whole, query)
    passage = place and Passage(
        document_id=place["id"],
        start=start,
        end=end,
        text=whole[start:end],
        page=int(place["page"]) if place["page"] else None,
        line=int(place["line"]) + whole.count("\n", 0, start) if place["line"] else None,
        own_lines=not place["sent"],
        heading=page.heading,
        document_match=page.document_match,
    )
    return ServedDocument(
        title=page.title or page.url,
        text=whole[start:end],
        url=page.url,
        passage=passage,
        server=server,
        whole=whole,
        begins=start,
    )


def full_address(address: str, kind: str = "search server") -> str:
    """Return the address of a kind of server with its scheme. Raises SettingsError if the address is invalid."""
    stripped = address.strip()
    register_address(stripped)
    try:
        full = stripped if "://" in stripped else f"http://{stripped}"
        return str(TypeAdapter(AnyHttpUrl).validate_python(full))
    except ValidationError as error:
        problem = f"{address!r} is not the address of a {kind}"
        raise SettingsError(problem, hint="Write it as http://127.0.0.1:8080, or omit it.") from error


class MadeUpSearch:
    """Returns as many documents as requested for any query, so that a chat can be tried without a server."""

    def search(self, query: str, count: int) -> tuple[SearchDocument, ...]:
        return tuple(
            SearchDocument(title=f"title_{i}", text=f'content {i} for query "{query}"', url=f"url_{i}")
            for i in range(count)
        )


class SearchAgent(Agent):
    """Treats each message as a query and answers with documents, one per line, as `title | text`. Options: `server` (an
    address, or `test` to invent documents), `raw_server` (an address that overrides `server`), `n_docs` (number of
    documents), and `intra_doc_delimiter` (separates the lines of a document). In the reply, `top_docs` contains the
    lines and `urls` contains the addresses of the documents. Raises SettingsError if no server is given.
    """

    def __init__(
        self,
        opt: Mapping[str, object] | None = None,
        shared: Shared | None = None,
        search: DocumentSearch | None = None,
    ) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", "SearchAgent")
        if search is None and self.opt.text("server") == "test":
            search = MadeUpSearch()
        given = search or cast("DocumentSearch | None", (shared or {}).get("search"))
        self._search = given or SearchServer(self.opt.text("raw_server") or self.opt.text("server"))

    def act(self) -> Message:
        """Return the search results for the last message. Raises the errors of the search."""
        query = self.observation.text if self.observation is not None else ""
        documents = self._documents(query, self.opt.number("n_docs", 5)) if query else ()
        lines = [f"{document.title} | {document.text}" for document in documents]
        urls = [document.url for document in documents]
        return Message(id=self.id, text="\n".join(lines), top_docs=lines, urls=urls, episode_done=False)

    def share(self) -> dict[str, object]:
        return {**super().share(), "search": self._search}

    def _documents(self, query: str, count: int) -> Sequence[SearchDocument]:
        if not isinstance(self._search, SearchServer):
            return self._search.search(query, count)
        between = self.opt.text("intra_doc_delimiter", "\n")
        pages = self._search.pages(query, count)
        return [SearchDocument(title=page.title, text=between.join(page.lines), url=page.url) for page in pages]
