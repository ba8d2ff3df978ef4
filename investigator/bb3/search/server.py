"""A search server in BB3's protocol over any search: POST of a form with q and n gives pages as JSON."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Self

from investigator.bb3.exchange import DocumentSearch, SearchDocument
from investigator.bb3.search.folder_search import FolderSearch, OpenShelf
from investigator.bb3.search.request import SLOWEST_CLIENT, SearchHandler, json_answer
from investigator.bb3.search.served import FolderPage, Origin
from investigator.errors import SettingsError
from investigator.records import Document


class FolderPages:
    """The passages of a folder as the pages of a search server. It keeps nothing of a search."""

    def __init__(self, open_shelf: OpenShelf) -> None:
        self._open = open_shelf

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """The best passages of the folder as it is now. Raises what `FolderSearch.search` does."""
        folder = FolderSearch(self._open)
        found = folder.search(query, count)
        return [_page(page, folder.document(page.passage.document_id)) if page.passage else page for page in found]


class SearchEndpoint:
    """Serves a search from a thread of its own until it is closed; use it as a context manager.

    It listens on loopback unless told otherwise, and refuses requests of web pages. `port` 0 takes a free one. A
    request must come within `patience` seconds. `on_problem` is told, from any thread, why a search failed. Raises
    SettingsError where the place cannot be listened at.
    """

    def __init__(
        self,
        search: DocumentSearch,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        patience: float = SLOWEST_CLIENT,
        on_problem: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._closing = threading.Event()
        told = {"patience": patience, "is_closing": self._closing.is_set, "on_problem": staticmethod(on_problem)}
        handler = type("BoundHandler", (SearchHandler,), {"searching": search, **told})
        try:
            self._server = _Server((host, port), handler, on_problem)
        except (OSError, OverflowError, ValueError, TypeError) as error:  # of a host, what cannot be written
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise SettingsError(
                f"a search server cannot listen at {host}:{port}: {why}",
                hint="Choose another port, or 0 for any; the address must be one of this machine.",
            ) from error
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="investigator-search")
        self._thread.daemon = True
        self._thread.start()

    @property
    def address(self) -> str:
        """Where it listens, for a client."""
        host, port = self._server.server_address[:2]
        return f"http://[{host!s}]:{port}" if ":" in str(host) else f"http://{host!s}:{port}"

    def wait(self) -> None:
        """Return when it is closed, by another thread."""
        while self._thread.is_alive():  # in slices: an interrupt that comes to another thread does not end a wait
            self._thread.join(0.2)

    def close(self) -> None:
        """Take no more requests, end the searches under way, and turn away who is still sending a request."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that closing waits for the searches under way
    block_on_close = True

    def __init__(self, place: tuple[str, int], handler: type[SearchHandler], on_problem: Callable[[str], None]) -> None:
        self.address_family = socket.AF_INET6 if ":" in place[0] else socket.AF_INET
        self._on_problem = on_problem
        super().__init__(place, handler)

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Answer where a search fails in a way that nobody has foreseen; whoever has gone is told nothing."""
        error = sys.exception()
        if error is None or isinstance(error, OSError) or not isinstance(request, socket.socket):
            return
        self._on_problem(f"unexpected error: {type(error).__name__}: {error}")
        body = json_answer({"error": "the search failed unexpectedly"})
        head = f"HTTP/1.0 500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        with suppress(OSError):
            request.sendall(f"{head}\r\n\r\n".encode() + body)


def _page(page: SearchDocument, document: Document) -> FolderPage:
    origin = {"media_type": document.media_type, "content_hash": document.content_hash}
    return FolderPage(**dict(page), origin=Origin(passage=page.passage, **origin))
