"""A chat server on loopback, compatible with OpenAI, with fixed latency and capacity, for `concurrency.py`.

    python benchmarks/chat_server.py --latency 1 --room 16 [--retry-after 1]

Prints its port. Answers each of the method's prompts, recognised by its first words, after the given latency. While as
many calls are in progress as --room allows, it rejects further calls at once with status 429. GET /counts returns
statistics of the calls so far as JSON.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import threading
import time
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | None"


@dataclass
class Counts:
    """Statistics of the requests."""

    requests: int = 0
    refused: int = 0
    at_once: int = 0
    most_at_once: int = 0


@dataclass
class Room:
    """A limited number of slots for concurrent calls. Thread-safe."""

    size: int
    counts: Counts = field(default_factory=Counts)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def enter(self) -> bool:
        """Take a slot; return False if none is free."""
        with self._lock:
            counts = self.counts
            counts.requests += 1
            counts.most_at_once = max(counts.most_at_once, counts.at_once + 1)
            if counts.at_once >= self.size:
                counts.refused += 1
                return False
            counts.at_once += 1
            return True

    def leave(self) -> None:
        """Release the slot."""
        with self._lock:
            self.counts.at_once -= 1


def answer_to(prompt: str) -> Json:
    """Return a reply in the requested form: all documents are read, and none answers."""
    ids = [html.unescape(name) for name in re.findall(r'<document id="([^"]+)"', prompt)]
    if prompt.startswith("You plan how to answer"):
        steps: list[Json] = [{"document_id": name, "purpose": "Which power?", "perspectives": "power"} for name in ids]
        return {"parts": [], "scope": "some", "wordings": [], "strategy": "All of them.", "steps": steps}
    if prompt.startswith("You read"):
        blank: dict[str, Json] = {"verdict": "not_stated", "point": 20, "quotes": [], "reply": "Not in this text."}
        return {"readings": [{"document": name, **blank} for name in ids]}
    if prompt.startswith("You review"):
        return {"known": [], "unknown": ["the power"], "wordings": ["output in MW"]}
    if prompt.startswith("You write the answer"):
        return {"lead": None, "details": [], "parts": [{"part": 1, "status": "not_stated"}], "search": []}
    return {"statements": [], "answers": "rightly_not_stated", "open_parts": [], "reason": ""}


def serve(latency: float, room: Room, retry_after: str) -> ThreadingHTTPServer:
    """Return the server, on a free port; it runs once `serve_forever` is called."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # keeps connections open, as model servers do
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not room.enter():
                self._send(429, {"error": {"message": "too many at once"}})
                return
            time.sleep(latency)
            room.leave()
            text = json.dumps(answer_to(request["messages"][-1]["content"]))
            message: Json = {"role": "assistant", "content": text}
            choices: Json = [{"index": 0, "finish_reason": "stop", "message": message}]
            usage: Json = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            body: dict[str, Json] = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
            self._send(200, {**body, "choices": choices, "usage": usage})

        def do_GET(self) -> None:
            self._send(200, asdict(room.counts))

        def _send(self, status: int, body: Json) -> None:
            content = json.dumps(body).encode()
            waits = f"Retry-After: {retry_after}\r\n" if status == 429 and retry_after else ""
            about = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n{waits}"
            self.wfile.write(f"HTTP/1.1 {status} -\r\n{about}\r\n".encode() + content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 256
        daemon_threads = True

    return Server(("127.0.0.1", 0), Handler)


def main() -> None:
    """Parse the arguments, print the port, and serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds")
    parser.add_argument("--room", type=int, default=16, help="maximum number of concurrent calls")
    parser.add_argument("--retry-after", default="", help="value of Retry-After in rejections, in seconds")
    arguments = parser.parse_args()
    server = serve(arguments.latency, Room(arguments.room), arguments.retry_after)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
