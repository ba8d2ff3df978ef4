"""A request to a search server: a form with q and n, read within bounds; whatever else comes gets a clear refusal."""

from __future__ import annotations

import io
import json
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TypeAlias
from urllib.parse import parse_qs

from investigator.bb3.exchange import DocumentSearch, SearchDocument
from investigator.bb3.search.served import FolderPage
from investigator.errors import InvestigatorError, WorkspaceLockedError

LONGEST_QUERY = 20_000
"""Characters; a turn of a chat has no more."""
MOST_OCTETS = 250_000
"""Of a request's body: the longest query, with each character written as twelve octets."""
MOST_DOCUMENTS = 50
"""Pages of an answer, whatever n says."""
SLOWEST_CLIENT = 10.0
"""Seconds in which a request must have come whole."""
_DOCUMENTS = 5
_MOST_FIELDS = 20
_FORM = "application/x-www-form-urlencoded"
_ASKING = f"POST a form ({_FORM}) with q, the query, and n, how many pages"
_SLICE = 0.1  # seconds after which a waiting thread looks whether the server ends
_MOST_DRAINED = 10_000_000
_LONGEST_DRAINING = 1.0  # seconds

JsonValue: TypeAlias = "str | Sequence[Mapping[str, object]]"


class Refusal(Exception):
    """A request is not answered, for a reason that is told."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class SearchHandler(BaseHTTPRequestHandler):
    """Answers one request; its class is made anew for each server, with what it needs as attributes."""

    searching: DocumentSearch
    patience: float
    is_closing: Callable[[], bool]
    on_problem: Callable[[str], None]
    timeout = SLOWEST_CLIENT  # for sending the answer
    protocol_version = "HTTP/1.0"  # one request a connection: nobody is waited for at the end
    server_version = "investigator"
    sys_version = ""
    requestline = command = ""  # until they are read

    def setup(self) -> None:
        """Read from the connection as long as there is time."""
        super().setup()
        self.rfile.close()
        self.rfile = self._sent = io.BufferedReader(_InTime(self.connection, self.patience, self.is_closing))

    def handle(self) -> None:
        """Answer the request, or say why not."""
        self.close_connection = True
        try:
            self.handle_one_request()
        except Refusal as refusal:
            self._refuse(refusal)

    def do_POST(self) -> None:
        """Answer a search. Raises Refusal."""
        query, count = self._form()
        self.connection.settimeout(self.timeout)
        try:
            found = self.searching.search(query, count) if query else ()
        except WorkspaceLockedError as error:
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, error.message) from error
        except (InvestigatorError, OSError) as error:
            self.on_problem(f"a search failed: {error}")
            raise Refusal(HTTPStatus.INTERNAL_SERVER_ERROR, str(error)) from error
        self._send(HTTPStatus.OK, {"response": [_page(document) for document in found]})

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request of HTTP, and methods other than POST."""
        if code == HTTPStatus.NOT_IMPLEMENTED:
            self._refuse(Refusal(HTTPStatus.METHOD_NOT_ALLOWED, f"{self.command} is not served; {_ASKING}"))
        else:
            self._refuse(Refusal(HTTPStatus(code), message or HTTPStatus(code).phrase))

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: queries are private."""

    def _form(self) -> tuple[str, int]:
        length = self._length()
        kind = self.headers.get_content_type() if "Content-Type" in self.headers else _FORM
        if kind != _FORM:
            raise Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the request is {kind} and no form; {_ASKING}")
        body = self.rfile.read(length)
        if len(body) < length:
            raise Refusal(HTTPStatus.BAD_REQUEST, "the body is shorter than its Content-Length")
        self.connection.setblocking(False)
        if self._sent.peek(1).strip(b"\r\n"):  # some old clients end a body with a line end
            raise Refusal(HTTPStatus.BAD_REQUEST, "the body is longer than its Content-Length")
        return _query(body)

    def _length(self) -> int:
        """The octets of the body, before it is read. Raises Refusal where it cannot be read, or should not."""
        if "Origin" in self.headers:
            raise Refusal(HTTPStatus.FORBIDDEN, "web pages are not served")
        told = set(self.headers.get_all("Content-Length", ()))
        if not told or "Transfer-Encoding" in self.headers:
            raise Refusal(HTTPStatus.LENGTH_REQUIRED, "the request does not say its Content-Length")
        length = told.pop().strip()
        if told or not length.isascii() or not length.isdigit():
            raise Refusal(HTTPStatus.BAD_REQUEST, "the Content-Length is no number of octets")
        if len(length) > len(str(MOST_OCTETS)) or int(length) > MOST_OCTETS:
            raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST_OCTETS:,} octets")
        return int(length)

    def _refuse(self, refusal: Refusal) -> None:
        self._send(refusal.status, {"error": str(refusal)})
        with suppress(OSError):
            self._drain()

    def _send(self, status: HTTPStatus, answer: Mapping[str, JsonValue]) -> None:
        body = json_answer(answer)
        self.request_version = self.protocol_version  # where none was read, a head is sent all the same
        self.connection.settimeout(self.timeout)
        with suppress(OSError):  # whoever asked has gone
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            if status == HTTPStatus.METHOD_NOT_ALLOWED:
                self.send_header("Allow", "POST")
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else body)

    def _drain(self) -> None:
        """Take in for a while what is still being sent: closing at once would take the answer away from the client."""
        self.connection.shutdown(socket.SHUT_WR)
        ends_at, left = time.monotonic() + _LONGEST_DRAINING, _MOST_DRAINED
        while left > 0 and (seconds := ends_at - time.monotonic()) > 0 and not self.is_closing():
            self.connection.settimeout(min(seconds, _SLICE))
            with suppress(TimeoutError):
                part = self.connection.recv(65_536)
                if not part:
                    return
                left -= len(part)


class _InTime(io.RawIOBase):
    """What comes over a connection; after so many seconds, or when the server ends, a Refusal is raised instead."""

    def __init__(self, connection: socket.socket, seconds: float, is_closing: Callable[[], bool]) -> None:
        self._connection = connection
        self._seconds = seconds
        self._ends_at = time.monotonic() + seconds
        self._is_closing = is_closing

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int | None:  # type: ignore[override]
        if self._connection.gettimeout() == 0:
            with suppress(BlockingIOError):
                return self._connection.recv_into(buffer)
            return None
        while not self._is_closing():
            left = self._ends_at - time.monotonic()
            if left <= 0:
                told = f"the request did not come to its end within {self._seconds:g} seconds"
                raise Refusal(HTTPStatus.REQUEST_TIMEOUT, told)
            self._connection.settimeout(min(left, _SLICE))
            with suppress(TimeoutError):
                return self._connection.recv_into(buffer)
        raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "the server is ending")


def json_answer(answer: Mapping[str, JsonValue]) -> bytes:
    """An answer as it goes over the wire; halves of surrogate pairs, which cannot, become question marks."""
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")


def _query(body: bytes) -> tuple[str, int]:
    """The query of a form, and how many pages it wants. Raises Refusal."""
    try:
        form = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except UnicodeDecodeError:
        raise Refusal(HTTPStatus.BAD_REQUEST, "the form is not UTF-8") from None
    except ValueError:
        raise Refusal(HTTPStatus.BAD_REQUEST, f"the form has more than {_MOST_FIELDS} fields") from None
    for name in ("q", "n"):
        if len(form.get(name, ())) > 1:
            raise Refusal(HTTPStatus.BAD_REQUEST, f"the form has {name} more than once")
    if "q" not in form:
        raise Refusal(HTTPStatus.BAD_REQUEST, f"the form has no q; {_ASKING}")
    query = form["q"][0].strip()
    if len(query) > LONGEST_QUERY:
        told = f"q has {len(query):,} characters, the most are {LONGEST_QUERY:,}"
        raise Refusal(HTTPStatus.BAD_REQUEST, told)
    return query, _count(form.get("n", [str(_DOCUMENTS)])[0].strip())


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        told = f"n is {text[:40]!r}; it must be a whole number from 0 on, and {MOST_DOCUMENTS} pages are the most"
        raise Refusal(HTTPStatus.BAD_REQUEST, told)
    digits = text.lstrip("0") or "0"
    return min(int(digits), MOST_DOCUMENTS) if len(digits) < 9 else MOST_DOCUMENTS


def _page(document: SearchDocument) -> Mapping[str, object]:
    """A page in BB3's fields, and where its text stands in the folder."""
    page: dict[str, object] = {"url": document.url, "title": document.title, "content": document.text}
    if isinstance(document, FolderPage):
        page["origin"] = document.origin.model_dump(mode="json", exclude={"passage": {"text"}})
    return page
