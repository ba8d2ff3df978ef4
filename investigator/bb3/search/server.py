"""A search server in BB3's protocol over any search: POST of a form with q and n gives pages as JSON."""

from __future__ import annotations

import json
import socket
import threading
from asyncio import Transport
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from types import TracebackType
from typing import Self

import uvicorn
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from uvicorn.protocols.http.h11_impl import H11Protocol

from investigator.bb3.exchange import DocumentSearch, SearchDocument
from investigator.bb3.search.folder_search import FolderSearch, OpenShelf
from investigator.bb3.search.request import ASKING, late, query_of
from investigator.bb3.search.served import FolderPage, Origin
from investigator.errors import InvestigatorError, SettingsError, WorkspaceLockedError
from investigator.records import Document

SLOWEST_CLIENT = 10.0
"""Seconds in which a request must have come whole."""
_MOST_CONNECTIONS = 200
_LONGEST_END = 30  # seconds for the searches under way when the server ends


class FolderPages:
    """The passages of a folder as the pages of a search server. It keeps nothing of a search."""

    def __init__(self, open_shelf: OpenShelf) -> None:
        self._open = open_shelf

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """The best passages of the folder as it is now. Raises what `FolderSearch.search` does."""
        folder = FolderSearch(self._open)
        found = folder.search(query, count)
        return [_page_of(page, folder.document(page.passage.document_id)) if page.passage else page for page in found]


def search_app(
    search: DocumentSearch, patience: float, is_closing: Callable[[], bool], on_problem: Callable[[str], None]
) -> FastAPI:
    """Return the application: POST to any path is a search, and every refusal is JSON with its reason."""
    app = FastAPI(openapi_url=None)

    @app.post("/{path:path}")
    async def pages(request: Request) -> Response:
        query, count = await query_of(request, patience, is_closing)
        try:
            found = await run_in_threadpool(search.search, query, count) if query else ()
        except WorkspaceLockedError as error:
            return _refusal(HTTPStatus.SERVICE_UNAVAILABLE, error.message)
        except (InvestigatorError, OSError) as error:
            on_problem(f"a search failed: {error}")
            return _refusal(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
        return _answer({"response": [_page(document) for document in found]})

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        is_method = error.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        reason = f"{request.method} is not served; {ASKING}" if is_method else error.detail
        return _refusal(error.status_code, reason, error.headers)

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> Response:
        on_problem(f"unexpected error: {type(error).__name__}: {error}")
        return _refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "the search failed unexpectedly")

    return app


class SearchEndpoint:
    """Serves a search from a thread of its own until it is closed; use it as a context manager.

    It listens on loopback unless told otherwise, and refuses requests of web pages. `port` 0 takes a free one. A
    request must come within `patience` seconds. `on_problem` is told, from any thread, why a search failed. Raises
    SettingsError if the place cannot be listened at.
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
        self._socket = _listening(host, port)
        self._place: tuple[str, int] = self._socket.getsockname()[:2]
        config = uvicorn.Config(
            search_app(search, patience, lambda: self._server.should_exit, on_problem),
            http=_in_time(patience),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,  # queries are private
            server_header=False,
            headers=[("Connection", "close")],  # one request a connection: nobody is waited for at the end
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_LONGEST_END,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="investigator-search")
        self._thread.daemon = True
        self._thread.start()

    @property
    def address(self) -> str:
        """Where it listens, for a client."""
        host, port = self._place
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def wait(self) -> None:
        """Return when it is closed, by another thread."""
        while self._thread.is_alive():  # in slices: an interrupt that comes to another thread does not end a wait
            self._thread.join(0.2)

    def close(self) -> None:
        """Take no more requests, end the searches under way, and turn away who is still sending a request."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _listening(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
        return listening
    except (OSError, OverflowError, ValueError, TypeError) as error:  # of a host, what cannot be written
        listening.close()
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SettingsError(
            f"a search server cannot listen at {host}:{port}: {why}",
            hint="Choose another port, or 0 for any; the address must be one of this machine.",
        ) from error


def _in_time(seconds: float) -> type[H11Protocol]:
    """uvicorn's protocol with what it lacks: a time limit for the head of a request, and refusals in JSON."""

    class InTime(H11Protocol):
        def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.loop.call_later(seconds, self._give_up)

        def send_400_response(self, msg: str) -> None:
            self._refuse(HTTPStatus.BAD_REQUEST, msg)

        def _give_up(self) -> None:
            waits: object = self.cycle  # None until the head of the request is there, which uvicorn does not say
            if waits is None and not self.transport.is_closing():
                self._refuse(HTTPStatus.REQUEST_TIMEOUT, late(seconds))

        def _refuse(self, status: HTTPStatus, reason: str) -> None:
            body = json.dumps({"error": reason})
            head = f"HTTP/1.1 {status} {status.phrase}\r\nContent-Type: application/json\r\nConnection: close\r\n"
            self.transport.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            self.transport.close()

    return InTime


def _refusal(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    return _answer({"error": reason}, status, headers)


def _answer(answer: Mapping[str, object], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """JSON; halves of surrogate pairs, which no UTF-8 can hold, become question marks."""
    body = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status, headers, media_type="application/json")


def _page(document: SearchDocument) -> Mapping[str, object]:
    """A page in BB3's fields, and where its text stands in the folder."""
    page: dict[str, object] = {"url": document.url, "title": document.title, "content": document.text}
    if isinstance(document, FolderPage):
        page["origin"] = document.origin.model_dump(mode="json", exclude={"passage": {"text"}})
    return page


def _page_of(page: SearchDocument, document: Document) -> FolderPage:
    origin = {"media_type": document.media_type, "content_hash": document.content_hash}
    return FolderPage(**dict(page), origin=Origin(passage=page.passage, **origin))
