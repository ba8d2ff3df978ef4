"""Serves any search using BB3's protocol: a POSTed form with q and n returns pages as JSON, and any other request
returns an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from email.message import Message as Headers
from http import HTTPStatus
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from investigator.bb3.exchange import DocumentSearch, SearchDocument
from investigator.bb3.search.folder_search import FolderSearch, OpenShelf, one_at_a_time
from investigator.bb3.search.served import FolderPage, Origin
from investigator.errors import InvestigatorError, WorkspaceLockedError
from investigator.investigator import Investigator
from investigator.records import Document

_LONGEST_WAIT = 5.0  # seconds to wait for another process that writes to the index; clients give up after about ten

LONGEST_QUERY = 20_000
"""Maximum number of characters in a query, the same as for a chat turn."""
MOST_DOCUMENTS = 50
"""Maximum number of pages in a response, even if n is higher."""
_DOCUMENTS = 5
_MOST_FIELDS = 20
_FORM = "application/x-www-form-urlencoded"
ASKING = f"POST a form ({_FORM}) with q (the query) and n (the number of pages)"


class FolderPages:
    """Searches a folder for passages, and returns them as the pages of a search server. Nothing about a search is
    stored.
    """

    def __init__(self, open_shelf: OpenShelf) -> None:
        self._open = open_shelf

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        folder = FolderSearch(self._open)
        found = folder.search(query, count)
        return [_page_of(page, folder.document(page.passage.document_id)) if page.passage else page for page in found]


def folder_searches(investigator: Investigator, on_problem: Callable[[str], None]) -> FastAPI:
    """Return the application that serves searches in a folder; each search checks the folder for changes first."""
    return search_app(FolderPages(one_at_a_time(investigator.library, _LONGEST_WAIT)), on_problem)


def search_app(search: DocumentSearch, on_problem: Callable[[str], None]) -> FastAPI:
    """Return the application; a POST to any path is a search. A rejected request gets the reason as JSON. `on_problem`
    receives the reason for a failed search. Limiting and authorising requests is left to the server that mounts the
    application.
    """
    app = FastAPI(openapi_url=None)

    @app.post("/{path:path}")
    async def pages(request: Request) -> Response:
        query, count = await query_of(request)
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
        reason = f"{request.method} is not supported; {ASKING}" if is_method else error.detail
        return _refusal(error.status_code, reason, error.headers)

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> Response:
        on_problem(f"unexpected error: {type(error).__name__}: {error}")
        return _refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "the search failed unexpectedly")

    return app


def _refusal(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    return _answer({"error": reason}, status, headers)


def _answer(answer: Mapping[str, object], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response; lone surrogates, which UTF-8 cannot encode, become question marks."""
    body = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status, headers, media_type="application/json")


def _page(document: SearchDocument) -> Mapping[str, object]:
    """Convert a page to the fields of BB3's protocol, with the place of its text in the folder if known."""
    page: dict[str, object] = {"url": document.url, "title": document.title, "content": document.text}
    if isinstance(document, FolderPage):
        page["origin"] = document.origin.model_dump(mode="json", exclude={"passage": {"text"}})
    return page


def _page_of(page: SearchDocument, document: Document) -> FolderPage:
    origin = {"media_type": document.media_type, "content_hash": document.content_hash}
    return FolderPage(**dict(page), origin=Origin(passage=page.passage, **origin))


async def query_of(request: Request) -> tuple[str, int]:
    """Return the query in a request and the number of pages that the request asks for.

    Raises HTTPException, with the reason, if the request is not a valid form.
    """
    body = await request.body()
    told = Headers()
    told["Content-Type"] = request.headers.get("content-type", _FORM)
    if (kind := told.get_content_type()) != _FORM:
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the request is {kind}, not a form; {ASKING}")
    form = _form(body)
    query = form["q"].strip()
    if len(query) > LONGEST_QUERY:
        raise _bad(f"q has {len(query):,} characters, more than the limit of {LONGEST_QUERY:,}")
    return query, _count(form.get("n", str(_DOCUMENTS)).strip())


def _form(body: bytes) -> Mapping[str, str]:
    try:
        form = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except UnicodeDecodeError:
        raise _bad("the form is not UTF-8") from None
    except ValueError:
        raise _bad(f"the form has more than {_MOST_FIELDS} fields") from None
    for name in ("q", "n"):
        if len(form.get(name, ())) > 1:
            raise _bad(f"the form has {name} more than once")
    if "q" not in form:
        raise _bad(f"the form has no q; {ASKING}")
    return {name: values[0] for name, values in form.items()}


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise _bad(f"n must be a whole number, not {text[:40]!r}; at most {MOST_DOCUMENTS} pages are returned")
    digits = text.lstrip("0") or "0"
    return min(int(digits), MOST_DOCUMENTS) if len(digits) < 9 else MOST_DOCUMENTS


def _bad(reason: str) -> HTTPException:
    return HTTPException(HTTPStatus.BAD_REQUEST, reason)
