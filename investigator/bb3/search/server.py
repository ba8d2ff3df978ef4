"""A search server in BB3's protocol over any search: POST of a form with q and n gives pages as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Self

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from investigator.bb3.exchange import DocumentSearch, SearchDocument
from investigator.bb3.search.folder_search import FolderSearch, OpenShelf
from investigator.bb3.search.request import ASKING, query_of
from investigator.bb3.search.served import FolderPage, Origin
from investigator.errors import InvestigatorError, WorkspaceLockedError
from investigator.records import Document
from investigator.server.hosting import SLOWEST_CLIENT, Hosting, listening_at


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


class SearchEndpoint(Hosting):
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
        app = search_app(search, patience, lambda: self.is_closing, on_problem)
        super().__init__(app, listening_at(host, port), patience=patience)
        self.start()

    def __enter__(self) -> Self:
        return self


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
