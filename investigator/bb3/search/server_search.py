"""Searches with a server instead of in the folder; a chat then quotes the pages that the server sends."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Self
from urllib.parse import urlsplit

from investigator.bb3.exchange import SearchDocument
from investigator.bb3.search.client import FoundPage, Patience, SearchServer
from investigator.bb3.search.document_text import nearest_part, searched
from investigator.bb3.search.served import UNKNOWN_TYPE, Origin, ServedDocument
from investigator.language.normalise import one_line
from investigator.records import Passage

LONGEST_PAGE = 200_000
"""Maximum number of characters read from a page; the rest is ignored."""
LONGEST_PASSAGE = 10_000
"""Maximum number of characters in a folder's passage that is read as a whole; the limit is the same as in a chat about
that folder.
"""
IN_A_TURN = Patience(timeout=10.0, requests=2, delay=0.5)
"""The user is waiting for the reply, so the wait is at most 20.5 seconds."""
_FIRST_QUERY = "hello"
_AROUND = 200
"""Number of characters kept before and after the part that is read, where its sentences may continue or be negated."""


class ServerSearch:
    """Sends every query of a chat to a server that speaks BB3's protocol. Thread-safe. Raises SettingsError if the
    address is invalid.
    """

    def __init__(self, address: str, *, patience: Patience = IN_A_TURN) -> None:
        self._server = SearchServer(address, patience=patience)
        self._once = SearchServer(address, patience=patience.changed(requests=1))
        host = urlsplit(self._server.address).netloc.rpartition("@")[2]
        self._name = f"the search server at {host}"

    @classmethod
    def reached(cls, address: str, *, patience: Patience = IN_A_TURN) -> Self:
        """Return a search after a successful test request, so that a wrong address is reported before the first turn.

        Raises SettingsError, and EngineTimeoutError, EngineUnreachableError or EngineError if no search server answers
        at the address.
        """
        search = cls(address, patience=patience)
        search._once.pages(_FIRST_QUERY, 1)
        return search

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """Return the best pages, each limited to the part nearest to the query. Pages without text and duplicates are
        dropped. Raises EngineTimeoutError or EngineUnreachableError, and EngineError if the response is not an answer.
        """
        asked = searched(query)
        found = _different(self._server.pages(asked, count))[:count]
        return [_as_read(page, asked).changed(server=self._name) for page in found]


def _different(pages: Iterable[FoundPage]) -> list[FoundPage]:
    """Return the pages that contain text, without duplicates."""
    kept: dict[tuple[str, str], FoundPage] = {}
    for page in pages:
        if page.lines:
            kept.setdefault((page.url, page.content), page)
    return list(kept.values())


def _as_read(page: FoundPage, query: str) -> ServedDocument:
    whole, lines = _numbered(page)
    is_short = page.origin is not None and len(whole) <= LONGEST_PASSAGE
    start, end = (0, len(whole)) if is_short else nearest_part(whole[:LONGEST_PAGE], query)
    first = max(0, start - _AROUND)
    around, line = whole[first : end + _AROUND], whole.count("\n", 0, first)
    origin = page.origin
    return ServedDocument(
        title=one_line(page.title or page.url),
        text=whole[start:end],
        url=one_line(page.url),
        passage=_cut(origin, whole, start, end) if origin else None,
        around=around,
        begins=start - first,
        lines=tuple(lines[line : line + around.count("\n") + 1]),
        media_type=origin.media_type if origin else UNKNOWN_TYPE,
        content_hash=origin.content_hash if origin else _hash(page.content),
    )


def _numbered(page: FoundPage) -> tuple[str, Sequence[int]]:
    """Return the text to read, with its line numbers. Passages of a folder are unchanged, and other pages lose their
    blank lines.
    """
    if page.origin is not None:
        first = page.origin.passage.line or 1
        return page.content, range(first, first + page.content.count("\n") + 1)
    stripped = [line.strip() for line in page.content.split("\n")]
    return "\n".join(page.lines), [number for number, line in enumerate(stripped, 1) if line]


def _cut(origin: Origin, whole: str, start: int, end: int) -> Passage:
    passage = origin.passage
    place = {"start": passage.start + start, "end": passage.start + end, "text": whole[start:end]}
    return passage.changed(**place, line=(passage.line or 1) + whole.count("\n", 0, start))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
