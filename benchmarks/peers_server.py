"""Serves a local model on loopback with an OpenAI-compatible API, and counts the calls of both sides of `peers.py`."""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from investigator.engines.base import Embedder

if TYPE_CHECKING:
    from xllamacpp import Server

_PATH = re.compile(r"/(?P<label>[\w.-]+)/v1/(?P<what>chat/completions|embeddings)")
_SILENT = -1  # llama.cpp's verbosity
_LONGEST_BODY = 10_000_000

Json = dict[str, Any]


@dataclass
class Spent:
    """The cost of the calls under one label; `seconds` is the model's time, excluding waits for other calls."""

    calls: int = 0
    refused: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    embedded: int = 0

    @property
    def tokens(self) -> int:
        """Return the tokens of prompts and replies."""
        return self.input_tokens + self.output_tokens


class CountingServer:
    """Serves chat completions of a GGUF file, and embeddings, one call at a time, and counts calls by label.

    Calls to the address `url("first")` are counted under "first". A reply ends after `max_tokens` tokens, whatever the
    caller requests. If a call must use one tool, the reply is constrained to that tool's parameters, because the chat
    templates of small models do not support tools. Calls without `key` are rejected. Each call is logged to `log` as a
    line of JSON. Use it as a context manager, which closes the port at its end.
    """

    def __init__(
        self, model: Path, embedder: Embedder, *, context: int, max_tokens: int, threads: int, log: Path | None = None
    ) -> None:
        self.key = secrets.token_urlsafe(24)
        self._log = log
        self._max_tokens = max_tokens
        self._embedder = embedder
        self._spent: defaultdict[str, Spent] = defaultdict(Spent)
        self._lock = threading.Lock()
        self._model = _loaded(model, context, threads)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def url(self, label: str) -> str:
        """Return the base URL for calls counted under that label (letters, digits, dots and dashes)."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/{label}/v1"

    def spent(self, label: str) -> Spent:
        """Return the cost counted under a label so far."""
        return self._spent[label]

    def _answer(self, label: str, what: str, body: Json) -> tuple[int, Json]:
        """Return the status and body; the lock prevents calls from competing for the processor."""
        with self._lock:
            return self._embeddings(label, body) if what == "embeddings" else self._completion(label, body)

    def _completion(self, label: str, body: Json) -> tuple[int, Json]:
        spent = self._spent[label]
        spent.calls += 1
        asked = [body.pop(name, None) for name in ("max_tokens", "max_completion_tokens")]
        limit = min([self._max_tokens, *(number for number in asked if number)])
        function = _forced(body)
        began = time.monotonic()
        try:
            request = _held_to(function, body) if function else body
            found: Json = self._model.handle_chat_completions({**request, "max_tokens": limit})
        except (ValueError, RuntimeError) as error:
            found = {"error": {"code": 400, "type": "invalid_request_error", "message": str(error)}}
        spent.seconds += time.monotonic() - began
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"label": label, "asked": body, "told": found}, ensure_ascii=False) + "\n")
        if "error" in found:
            spent.refused += 1
            return int(found["error"].get("code") or 400), found
        spent.input_tokens += found["usage"]["prompt_tokens"]
        spent.output_tokens += found["usage"]["completion_tokens"]
        return 200, _called(function, found) if function else found

    def _embeddings(self, label: str, body: Json) -> tuple[int, Json]:
        texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
        self._spent[label].embedded += len(texts)
        rows = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(self._embedder.embed(texts).tolist())
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return 200, {"object": "list", "data": rows, "model": body.get("model", ""), "usage": usage}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), _LONGEST_BODY))
                place = _PATH.fullmatch(self.path)
                if self.headers.get("Authorization") != f"Bearer {server.key}":
                    status, told = 401, _refusal("the key is wrong")
                elif place is None:
                    status, told = 404, _refusal(f"there is no {self.path}")
                else:
                    status, told = server._answer(place["label"], place["what"], json.loads(body))
                wire = json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(wire)))
                self.end_headers()
                self.wfile.write(wire)

            def log_message(self, format: str, *args: object) -> None:
                """Suppress the log."""

        return Handler


def _forced(body: Json) -> Json | None:
    """Return the only function that a reply may call; None if the caller does not require one."""
    choice = body.get("tool_choice")
    if not isinstance(choice, dict):
        return None
    name = choice["function"]["name"]
    return next(tool["function"] for tool in body["tools"] if tool["function"]["name"] == name)


def _held_to(function: Json, body: Json) -> Json:
    """Return the body with a schema in place of tools, which chat templates of small models ignore."""
    held = {name: value for name, value in body.items() if name not in ("tools", "tool_choice")}
    named = {"name": function["name"], "strict": True, "schema": function["parameters"]}
    return {**held, "response_format": {"type": "json_schema", "json_schema": named}}


def _called(function: Json, found: Json) -> Json:
    """Return the reply as a call of the function."""
    choice = found["choices"][0]
    call = {"name": function["name"], "arguments": choice["message"]["content"]}
    tool_calls = [{"id": secrets.token_hex(8), "type": "function", "function": call}]
    message = {"role": "assistant", "content": None, "tool_calls": tool_calls}
    return {**found, "choices": [{**choice, "message": message, "finish_reason": "tool_calls"}]}


def _refusal(message: str) -> Mapping[str, Mapping[str, str]]:
    return {"error": {"message": message, "type": "invalid_request_error"}}


def _loaded(path: Path, context: int, threads: int) -> Server:
    """Return a server with one slot of `context` tokens; a random key protects the port that llama.cpp opens."""
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.api_keys = [secrets.token_urlsafe(24)]
    wanted.model.path = str(path)
    wanted.n_parallel, wanted.n_ctx = 1, context
    for processors in (wanted.cpuparams, wanted.cpuparams_batch):
        processors.n_threads = threads
    wanted.warmup, wanted.ui, wanted.verbosity = False, False, _SILENT
    return xllamacpp.Server(wanted)
