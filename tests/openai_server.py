"""An OpenAI-compatible chat server on loopback for tests, which sends given answers and records the requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from http.client import responses
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import TypeAlias


@dataclass(frozen=True)
class Response:
    """What goes over the wire.

    `delay` waits that many seconds (or until the server closes) before it goes, `drip` that many before each octet, of
    the head too with `drip_head`. `cut` closes the connection after half of the body; `endless` sends the body again
    and again. `gate` holds the second half of the body's lines back until it is set.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False
    drip: float = 0.0
    drip_head: bool = False
    endless: bool = False
    gate: threading.Event | None = None


Body: TypeAlias = dict[str, object]
Answers: TypeAlias = "Response | Callable[[Body], Response]"


def completion(text: str | None, *, finish: str = "stop", tokens: tuple[int, int] = (11, 7)) -> Response:
    """Return a chat completion with that text."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    body = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    return json_response(body)


def streamed(*pieces: str, tokens: tuple[int, int] | None = (11, 7), gate: threading.Event | None = None) -> Response:
    """Return a chat completion whose text comes in pieces; without `tokens` it does not report them."""
    deltas: list[dict[str, object]] = [{"content": piece} for piece in pieces]
    choices = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    choices.append([{"index": 0, "delta": {}, "finish_reason": "stop"}])
    about: dict[str, object] = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events: list[dict[str, object]] = [{**about, "choices": choice} for choice in choices]
    if tokens is not None:
        usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
        events.append({**about, "choices": [], "usage": usage})
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    return Response(200, body.encode(), {"Content-Type": "text/event-stream"}, gate=gate)


def refusal(status: int, message: str, *, headers: Mapping[str, str] | None = None, **fields: str) -> Response:
    """Return an error in OpenAI's words; `fields` are `code`, `param` and `type`."""
    return json_response({"error": {"message": message, **fields}}, status, headers)


def json_response(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return any JSON body."""
    headers = {"Content-Type": "application/json", **(headers or {})}
    return Response(status, json.dumps(body).encode(), headers)


@dataclass(frozen=True)
class Request:
    """A request to the server; the names of its headers are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Body


class OpenAIServer:
    """Gives the answers in order, and repeats the last one; an answer may be a function of the request's body."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.octets_sent = 0
        self.abandoned = threading.Event()  # set when a client has gone before it was given everything
        self._answers: list[Answers] = [completion("{}")]
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Return the base URL for a client."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def bodies(self) -> Sequence[Body]:
        """Return the bodies of all requests so far."""
        return [request.body for request in self.requests]

    def answer(self, *answers: Answers) -> None:
        """Set the answers from now on."""
        self._answers = list(answers)

    def close(self) -> None:
        """Stop at once; delayed answers are sent now."""
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _next(self, request: Request) -> Response:
        with self._lock:
            self.requests.append(request)
            answer = self._answers[0] if len(self._answers) == 1 else self._answers.pop(0)
        return answer if isinstance(answer, Response) else answer(request.body)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                response = server._next(Request(self.path, headers, _json_or_nothing(content)))
                if response.delay:
                    server._closing.wait(response.delay)
                self.close_connection = True
                try:
                    server._send(response, self.wfile)
                except OSError:
                    server.abandoned.set()  # which some tests are about

            do_GET = do_POST

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler

    def _send(self, response: Response, wire: BufferedIOBase) -> None:
        body = response.body
        self._write(_head(response), wire, response.drip if response.drip_head else 0)
        if response.gate is not None:
            lines = body.splitlines(keepends=True)
            early = b"".join(lines[: len(lines) // 2])
            self._write(early, wire, response.drip)
            wire.flush()
            response.gate.wait(30)
            body = body.removeprefix(early)
        self._write(body[: len(body) // 2] if response.cut else body, wire, response.drip)
        while response.endless and not self._closing.is_set():
            self._write(body, wire, response.drip)

    def _write(self, content: bytes, wire: BufferedIOBase, drip: float) -> None:
        step = 1 if drip else max(1, len(content))
        for start in range(0, len(content), step):
            if drip and self._closing.wait(drip):
                return
            wire.write(content[start : start + step])
            self.octets_sent += step


def _head(response: Response) -> bytes:
    headers = {"Date": format_datetime(datetime.now(UTC), usegmt=True), **response.headers, "Connection": "close"}
    if not response.endless:
        headers["Content-Length"] = str(len(response.body))
    lines = (f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {response.status} {responses.get(response.status, '')}\r\n{''.join(lines)}\r\n".encode("latin-1")


def _json_or_nothing(content: bytes) -> Body:
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
