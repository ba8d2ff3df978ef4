"""A client for search servers that speak BB3's protocol: it posts a form with q and n, and gets `{"response": [{url,
title, content}]}`. The client deliberately deviates from ParlAI 1.7.2, whose behaviour was verified in recordings: it
reports failures, and limits what it reads.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit, urlunsplit

from pydantic import Field, ValidationError

from investigator.bb3.exchange import SearchDocument
from investigator.bb3.search.served import Origin
from investigator.engines.http import MOST_OCTETS, Endpoint, Retries, retried
from investigator.errors import EngineError, EngineUnreachableError, SettingsError
from investigator.records import Record
from investigator.secrets import register_address

if TYPE_CHECKING:
    import httpx

_LONGEST_NAME = 2_000
"""Maximum length of an address or a title in characters; longer ones are truncated."""
_LONGEST_TOLD = 200
_HINT = "Check the address of the search server, or omit it to search the folder instead."
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429, *range(500, 600)})


class FoundPage(Record):
    """A page that a search server found. `content` is the page's text as the server sent it. `origin` is the place of
    the text in a document, if the server runs `investigator serve`.
    """

    url: str = ""
    title: str = ""
    content: str = ""
    origin: Origin | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the non-blank lines of the text, stripped."""
        return tuple(line for line in map(str.strip, self.content.split("\n")) if line)


class Patience(Record):
    """Limits on waiting for a server: seconds per request, number of requests, and seconds of delay before the second
    request; the delay doubles with each further request.
    """

    timeout: float = Field(default=10.0, gt=0)
    requests: int = Field(default=3, ge=1, le=20)
    delay: float = Field(default=0.5, ge=0)


class SearchServer:
    """A search server at an address; `http://` may be omitted. Thread-safe.

    `between_lines` joins the lines of a page. Raises SettingsError if the address is invalid.
    """

    def __init__(
        self,
        address: str,
        *,
        patience: Patience | None = None,
        between_lines: str = " ",
        sleep: Callable[[float], None] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.address = full_address(address)
        patience = patience or Patience()
        self._place = f"the search server at {urlsplit(self.address).hostname}"
        self._endpoint = Endpoint(
            self.address,
            self._place,
            patience.timeout,
            MOST_OCTETS,
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            hint=_HINT,
            transport=transport,
        )
        self._retries = Retries(patience.requests, patience.delay)
        self._between_lines = between_lines
        self._sleep = sleep

    def search(self, query: str, count: int) -> tuple[SearchDocument, ...]:
        """Return the pages that the server finds, best first; a query without words finds none. The server may send
        more than `count`. Raises EngineTimeoutError or EngineUnreachableError, and EngineError if the response is not
        an answer.
        """
        join = self._between_lines.join
        pages = self.pages(query, count)
        return tuple(SearchDocument(title=page.title, text=join(page.lines), url=page.url) for page in pages)

    def pages(self, query: str, count: int) -> tuple[FoundPage, ...]:
        """Return the pages that `search` returns, before their lines are joined."""
        if not query.strip():
            return ()
        return retried(lambda: self._ask(query, count), self._retries.wait, self._sleep)

    def _ask(self, query: str, count: int) -> tuple[FoundPage, ...]:
        try:
            form = urlencode({"q": query, "n": str(count)}).encode("ascii")
        except UnicodeEncodeError as error:
            raise EngineError("the query is not a string", hint="Pass the query as a string.") from error
        status, body = self._endpoint.post(form)
        if status != 200:
            raise self._refused(status, body)
        return self._read(body)

    def _refused(self, status: int, body: bytes) -> EngineError:
        if 300 <= status < 400:
            return EngineError(f"{self._place} redirects its callers ({status})", hint=_HINT)
        kind = EngineUnreachableError if status in _WORTH_ANOTHER_TRY else EngineError
        return kind(f"{self._place} replied with status {status}{_why(body)}", hint=_HINT)

    def _read(self, body: bytes) -> tuple[FoundPage, ...]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            gist = body[:60].decode("utf-8", "replace")
            raise EngineError(f"{self._place} did not reply with JSON: {gist!r}", hint=_HINT) from error
        found = answer.get("response") if isinstance(answer, Mapping) else answer
        if not found:
            return ()
        if not isinstance(found, list) or not all(isinstance(page, Mapping) for page in found):
            raise EngineError(f'{self._place} replied without a list of pages under "response"', hint=_HINT)
        return tuple(map(_page, found))


def full_address(address: str) -> str:
    """Return the address of a search server with its scheme. Raises SettingsError if the address is invalid."""
    stripped = address.strip()
    register_address(stripped)
    scheme, separator, rest = stripped.partition("://")
    full = f"{scheme.lower()}://{rest}" if separator else f"http://{stripped}"
    try:
        parts = urlsplit(full)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and "://" not in rest
    except ValueError:
        known = False
    if not known or any(character.isspace() for character in full):
        raise SettingsError(
            f"{address!r} is not the address of a search server",
            hint="Write it as http://127.0.0.1:8080, or omit it to search the folder instead.",
        )
    return urlunsplit(parts._replace(path=parts.path or "/"))


def _why(body: bytes) -> str:
    """Return a server's error message (its field "error") as one line; empty if it has none."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    error = answer.get("error") if isinstance(answer, Mapping) else None
    told = " ".join(error.split()) if isinstance(error, str) else ""
    return f": {told[:_LONGEST_TOLD]}" if told else ""


def _page(found: Mapping[str, object]) -> FoundPage:
    """Parse a page that a server sent; some servers send its lines as a list, and some pages have no text."""
    sent = found.get("content")
    content = "\n".join(map(_text, sent)) if isinstance(sent, list) else _text(sent)
    url, title = _text(found.get("url"))[:_LONGEST_NAME], _text(found.get("title"))[:_LONGEST_NAME]
    return FoundPage(url=url, title=title, content=content, origin=_origin(found.get("origin"), content))


def _origin(told: object, content: str) -> Origin | None:
    """Return the place that the server sent for the text; None if the place cannot be parsed or does not match the
    text.
    """
    passage = told.get("passage") if isinstance(told, Mapping) else None
    if not isinstance(told, Mapping) or not isinstance(passage, Mapping):
        return None
    try:
        origin = Origin.model_validate({**told, "passage": {**passage, "text": content}})
    except ValidationError:
        return None
    return origin if origin.is_of(content) else None


def _text(value: object) -> str:
    """Return a value as text; lone surrogates, which cannot be encoded, become U+FFFD."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
