"""A search server in BB3's protocol over any search: POST of a form with q and n gives pages as JSON."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs

from investigator.bb3.exchange import DocumentSearch, SearchDocument
from investigator.bb3.search.folder_search import FolderSearch, OpenShelf
from investigator.errors import InvestigatorError, SettingsError

MOST_OCTETS = 64_000
MOST_DOCUMENTS = 50
_DOCUMENTS = 5
_SLOWEST_CLIENT = 10.0  # seconds between two pieces of a request


class FolderPages:
    """The passages of a folder as the pages of a search server. It keeps nothing of a search."""

    def __init__(self, open_shelf: OpenShelf) -> None:
        self._open = open_shelf

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """The best passages of the folder as it is now. Raises what `FolderSearch.search` does."""
        return FolderSearch(self._open).search(query, count)


class SearchEndpoint:
    """Serves a search from a thread of its own until it is closed; use it as a context manager.

    It listens on loopback unless told otherwise, and refuses requests of web pages. `port` 0 takes a free one. Raises
    SettingsError where the place cannot be listened at.
    """

    def __init__(self, search: DocumentSearch, host: str = "127.0.0.1", port: int = 0) -> None:
        handler = type("SearchHandler", (_Handler,), {"searching": search})
        try:
            self._server = _Server((host, port), handler)
        except (OSError, OverflowError) as error:
            raise SettingsError(
                f"a search server cannot listen at {host}:{port}: {error}", hint="Choose another port, or 0 for any."
            ) from error
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="investigator-search")
        self._thread.daemon = True
        self._thread.start()

    @property
    def address(self) -> str:
        """Where it listens, for a client."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def wait(self) -> None:
        """Return when it is closed, by another thread."""
        self._thread.join()

    def close(self) -> None:
        """Take no more requests, and end those under way."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that closing waits for the requests under way
    block_on_close = True


class _Refusal(Exception):
    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    searching: DocumentSearch
    timeout = _SLOWEST_CLIENT
    protocol_version = "HTTP/1.0"  # one request a connection: nobody is waited for at the end
    server_version = "investigator"
    sys_version = ""

    def do_POST(self) -> None:
        """Answer a search."""
        try:
            query, count = self._form()
            found = self.searching.search(query, count) if query else ()
            self._send(HTTPStatus.OK, {"response": [_page(document) for document in found]})
        except _Refusal as refusal:
            self._send(refusal.status, {"error": str(refusal)})
        except InvestigatorError as error:
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": error.message})

    def do_GET(self) -> None:
        """Say how to ask."""
        self._send(HTTPStatus.METHOD_NOT_ALLOWED, {"error": "POST a form with q (the query) and n (how many pages)"})

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: queries are private."""

    def _form(self) -> tuple[str, int]:
        if "Origin" in self.headers:
            raise _Refusal(HTTPStatus.FORBIDDEN, "web pages are not served")
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            raise _Refusal(HTTPStatus.LENGTH_REQUIRED, "the request does not say how long it is")
        if int(length) > MOST_OCTETS:
            raise _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST_OCTETS} octets")
        try:
            form = parse_qs(self.rfile.read(int(length)).decode("utf-8"), keep_blank_values=True, max_num_fields=20)
        except TimeoutError:
            raise _Refusal(HTTPStatus.REQUEST_TIMEOUT, "the request did not come to its end") from None
        except ValueError:
            raise _Refusal(HTTPStatus.BAD_REQUEST, "the request is no form in UTF-8") from None
        if "q" not in form:
            raise _Refusal(HTTPStatus.BAD_REQUEST, "the form has no q")
        return form["q"][-1].strip(), _count(form.get("n", []))

    def _send(self, status: HTTPStatus, answer: dict[str, object]) -> None:
        body = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # whoever asked has gone
            self.close_connection = True


def _count(values: Sequence[str]) -> int:
    last = values[-1].strip() if values else str(_DOCUMENTS)
    if not last.isascii() or not last.isdigit() or len(last) > 9:
        raise _Refusal(HTTPStatus.BAD_REQUEST, "n is no whole number")
    return min(int(last), MOST_DOCUMENTS)


def _page(document: SearchDocument) -> dict[str, str]:
    return {"url": document.url, "title": document.title, "content": document.text}
