"""A model hub on loopback: the part of the protocol needed to fetch one file, with faults on demand."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class HubServer:
    """Serves `files` of one repository. `lies` is sent instead of a file, and `cut` is the number of bytes sent before
    the connection breaks. `ranges` are the Range headers of downloads, None for a whole file.
    """

    repo: str
    files: Mapping[str, bytes]
    licence: str = "apache-2.0"
    lies: bytes | None = None
    cut: int | None = None
    ranges: list[str | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Return the address, for HF_ENDPOINT."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        """Stop the server."""
        self._http.shutdown()
        self._http.server_close()

    def described(self) -> bytes:
        """Return the answer of the API about the repository."""
        siblings = [
            {
                "rfilename": name,
                "size": len(data),
                "blobId": hashlib.sha1(data, usedforsecurity=False).hexdigest(),
                "lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134},
            }
            for name, data in self.files.items()
        ]
        about = {"id": self.repo, "modelId": self.repo, "sha": COMMIT, "siblings": siblings, "tags": [], "downloads": 0}
        return json.dumps({**about, "cardData": {"license": self.licence}, "private": False}).encode()


def _handler(hub: HubServer) -> type[BaseHTTPRequestHandler]:
    return type("HubHandler", (_Handler,), {"hub": hub})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: HubServer

    def do_HEAD(self) -> None:
        """Send the properties of a file."""
        data, headers = self._asked_for()
        self._head(200 if data is not None else 404, {**headers, "Content-Length": str(len(data or b""))})

    def do_GET(self) -> None:
        """Send a file or the description of the repository."""
        if self.path.startswith(f"/api/models/{self.hub.repo}"):
            self._send(200, self.hub.described(), {"Content-Type": "application/json"})
        elif self.path.startswith("/api/"):
            self._send(404, b'{"error": "Repository not found"}', {"X-Error-Code": "RepoNotFound"})
        else:
            self._file()

    def _file(self) -> None:
        data, headers = self._asked_for()
        if data is None:
            self._send(404, b"", headers)
            return
        sent = self.hub.lies if self.hub.lies is not None else data
        wanted = self.headers.get("Range")
        self.hub.ranges.append(wanted)
        start = int(wanted.removeprefix("bytes=").partition("-")[0]) if wanted else 0
        if wanted:
            headers["Content-Range"] = f"bytes {start}-{len(sent) - 1}/{len(sent)}"
        self._send(206 if wanted else 200, sent[start:], headers, self.hub.cut)

    def _asked_for(self) -> tuple[bytes | None, dict[str, str]]:
        found = re.fullmatch(rf"/{re.escape(self.hub.repo)}/resolve/{COMMIT}/(.+)", self.path)
        data = self.hub.files.get(found[1]) if found is not None else None
        if data is None:
            return None, {"X-Error-Code": "EntryNotFound"}
        etag = f'"{hashlib.sha256(data).hexdigest()}"'
        return data, {"ETag": etag, "X-Linked-Etag": etag, "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}

    def _send(self, status: int, body: bytes, headers: Mapping[str, str], cut: int | None = None) -> None:
        self._head(status, {**headers, "Content-Length": str(len(body))})
        self.wfile.write(body if cut is None else body[:cut])
        if cut is not None and cut < len(body):
            self.close_connection = True

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""
