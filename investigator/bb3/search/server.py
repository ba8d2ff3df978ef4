"""Serves any search using BB3's protocol: a POSTed form with q and n returns pages as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from investigator.bb3.exchange import SearchDocument
from investigator.bb3.search.folder_search import FolderSearch, one_at_a_time
from investigator.errors import InvestigatorError, WorkspaceLockedError
from investigator.investigator import Investigator

_LONGEST_WAIT = 5.0  # seconds to wait for another process that writes to the index; clients give up after about ten

Search = Callable[[str, int], Sequence[SearchDocument]]
"""Finds documents for a query, as many as requested."""
LONGEST_QUERY = 20_000
"""Maximum number of characters in a query, the same as for a chat turn."""
MOST_DOCUMENTS = 50
"""Maximum number of pages in a response, even if n is higher."""
_DOCUMENTS = "5"
_MOST_FIELDS = 20
_FORM = "application/x-www-form-urlencoded"
_ASKING = f"POST a form ({_FORM}) with q (the query) and n (the number of pages)"


def folder_searches(investigator: Investigator, on_problem: Callable[[str], None]) -> FastAPI:
    """Return the application that serves searches in a folder, which is checked for changes before each search."""
    open_shelf = one_at_a_time(investigator.library, _LONGEST_WAIT)
    return search_app(lambda query, count: FolderSearch(open_shelf).search(query, count), on_problem)


def search_app(search: Search, on_problem: Callable[[str], None]) -> FastAPI:
    """Return the application; a POST to any path is a search. A rejected request gets the reason as JSON. `on_problem`
    receives the reason for a failed search. Limiting and authorising requests is left to the server that mounts the
    application.
    """
    app = FastAPI(openapi_url=None)

    @app.post("/{path:path}")
    async def search_pages(request: Request) -> Response:
        query, count = _form(request.headers.get("content-type", _FORM), await request.body())
        try:
            documents = await run_in_threadpool(search, query, count) if query else ()
        except WorkspaceLockedError as error:
            return _answer({"error": error.message}, HTTPStatus.SERVICE_UNAVAILABLE)
        except (InvestigatorError, OSError) as error:
            on_problem(f"a search failed: {error}")
            return _answer({"error": str(error)}, HTTPStatus.INTERNAL_SERVER_ERROR)
        return _answer({"response": [_page(document) for document in documents]})

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        is_method = error.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        reason = f"{request.method} is not supported; {_ASKING}" if is_method else error.detail
        return _answer({"error": reason}, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> Response:
        on_problem(f"unexpected error: {type(error).__name__}: {error}")
        return _answer({"error": "the search failed unexpectedly"}, HTTPStatus.INTERNAL_SERVER_ERROR)

    return app


def _answer(answer: Mapping[str, object], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response; lone surrogates, which UTF-8 cannot encode, become question marks."""
    body = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status, headers, media_type="application/json")


def _page(document: SearchDocument) -> Mapping[str, object]:
    """Convert a page to BB3's fields, and for a passage its heading and how well its document matches."""
    page: dict[str, object] = {"url": document.url, "title": document.title, "content": document.text}
    if document.passage is not None:
        page |= {"heading": document.passage.heading, "document_match": document.passage.document_match}
    return page


def _form(media_type: str, body: bytes) -> tuple[str, int]:
    """Return a form's query and number of pages. Raises HTTPException if the body is not such a form."""
    try:
        form = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
        (query,), (count,) = form["q"], form.get("n", [_DOCUMENTS])
        number = min(int(count), MOST_DOCUMENTS)
    except (ValueError, KeyError):
        number = -1
    if number < 0 or media_type.partition(";")[0].strip().lower() != _FORM:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"the request is not a form with one q and one n; {_ASKING}")
    if len(query) > LONGEST_QUERY:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"q has {len(query):,} characters; the limit is {LONGEST_QUERY:,}")
    return query.strip(), number
