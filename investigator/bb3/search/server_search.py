"""A search server in a chat, instead of the folder: its pages are the documents in which quotes are proven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from investigator.bb3.exchange import SearchDocument
from investigator.bb3.search.client import Patience, SearchServer
from investigator.bb3.search.document_text import nearest_part

LONGEST_PAGE = 200_000
"""Characters of a page that are read; what comes after them is left out."""
IN_A_TURN = Patience(timeout=10.0, requests=2, delay=0.5)
"""Someone is waiting for the reply: 20.5 seconds at most."""
_FIRST_QUERY = "hello"


class ServerSearch:
    """Searches at a server in BB3's protocol. Safe to use from several threads.

    Every query of the chat goes to that server. Raises SettingsError where the address is none.
    """

    def __init__(self, address: str, *, patience: Patience = IN_A_TURN) -> None:
        self._server = SearchServer(address, patience=patience, between_lines="\n")
        self._once = SearchServer(address, patience=patience.model_copy(update={"requests": 1}))

    @classmethod
    def reached(cls, address: str, *, patience: Patience = IN_A_TURN) -> Self:
        """The same, asked once now, so that a wrong address is told before the first turn.

        Raises SettingsError, and EngineTimeoutError, EngineUnreachableError or EngineError where no search server
        answers there.
        """
        search = cls(address, patience=patience)
        search._once.search(_FIRST_QUERY, 1)
        return search

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """The best pages, each as the part of it that is nearest to the query; pages without text are left out.

        Raises EngineTimeoutError, EngineUnreachableError, EngineError where what came is no answer.
        """
        found = [page for page in self._server.search(query, count) if page.text]
        return [_nearest(page, query) for page in found[:count]]


def _nearest(page: SearchDocument, query: str) -> SearchDocument:
    text = page.text[:LONGEST_PAGE]
    start, end = nearest_part(text, query)
    return SearchDocument(title=page.title or page.url, text=text[start:end], url=page.url)
