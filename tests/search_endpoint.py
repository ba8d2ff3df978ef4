"""The search of BB3's protocol on loopback, without the guard of the server that it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from investigator.bb3.exchange import DocumentSearch
from investigator.bb3.search.server import search_app
from investigator.server.hosting import Hosting, listening_at


class SearchEndpoint(Hosting):
    """Serve a search until it is closed."""

    def __init__(self, search: DocumentSearch, on_problem: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(search_app(search.search, on_problem), listening_at("127.0.0.1", 0))
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
