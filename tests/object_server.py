"""A small S3-compatible server on loopback: lists, ranges, etags, refusals, and changes between two requests."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

PAGE = 100
"""Keys in one page of a list; the real service has a thousand."""


class ObjectServer:
    """Objects of one bucket, `papers`, by their keys; `requests` are the requested keys, one per object. `refusal` is a
    status and a code that every request gets; `before_get` is called with a key before it is sent.
    """

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.refusal: tuple[HTTPStatus, str] | None = None
        self.before_get: Callable[[str], None] = lambda _: None
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def address(self) -> str:
        """Return the address of the server."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        """Stop the server."""
        self._http.shutdown()
        self._http.server_close()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        _, bucket, *names = unquote(parts.path).split("/")
        key = "/".join(names)
        if self.refusal is not None:
            _send(request, self.refusal[0], _error(self.refusal[1]))
        elif bucket != "papers":
            _send(request, HTTPStatus.NOT_FOUND, _error("NoSuchBucket"))
        elif not key:
            _send(request, HTTPStatus.OK, self._list({name: one[0] for name, one in parse_qs(parts.query).items()}))
        else:
            self.requests.append(key)
            self.before_get(key)
            self._get(request, key)

    def _list(self, query: dict[str, str]) -> bytes:
        prefix, after = query.get("prefix", ""), query.get("continuation-token", "")
        keys = sorted(key for key in self.objects if key.startswith(prefix) and key > after)
        shown, more = keys[:PAGE], len(keys) > PAGE
        contents = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f"<ETag>{_etag(self.objects[key])}</ETag><Size>{len(self.objects[key])}</Size></Contents>"
            for key in shown
        )
        token = f"<NextContinuationToken>{escape(shown[-1])}</NextContinuationToken>" if more else ""
        truncated = f"<IsTruncated>{str(more).lower()}</IsTruncated>"
        return f"<ListBucketResult>{truncated}{token}{contents}</ListBucketResult>".encode()

    def _get(self, request: BaseHTTPRequestHandler, key: str) -> None:
        body = self.objects.get(key)
        if body is None:
            _send(request, HTTPStatus.NOT_FOUND, _error("NoSuchKey"))
        elif request.headers.get("If-Match", _etag(body)) != _etag(body):
            _send(request, HTTPStatus.PRECONDITION_FAILED, _error("PreconditionFailed"))
        else:
            first, last = request.headers["Range"].removeprefix("bytes=").split("-")
            part = body[int(first) : int(last) + 1]
            about = {"Content-Range": f"bytes {first}-{int(first) + len(part) - 1}/{len(body)}", "ETag": _etag(body)}
            _send(request, HTTPStatus.PARTIAL_CONTENT, part, about)


def _etag(body: bytes) -> str:
    return f'"{hashlib.md5(body).hexdigest()}"'


def _error(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()


def _send(
    request: BaseHTTPRequestHandler, status: HTTPStatus, body: bytes, headers: dict[str, str] | None = None
) -> None:
    request.send_response(status)
    for name, value in {
        "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT",
        "Content-Length": str(len(body)),
        **(headers or {}),
    }.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(body)
