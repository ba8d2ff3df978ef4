"""A GGUF model that llama.cpp has loaded in this process: generates replies, and counts tokens. The state of a prompt
is cached: if the next prompt has the same beginning, only the rest is processed. Earlier prompts are kept in memory up
to a limit; an earlier prompt is reused if it shares at least its first quarter with the new prompt. Flash attention,
several slots and n-gram speculation keep llama.cpp's defaults: nothing else was faster with the method's prompts.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from investigator.engines.base import Hear
from investigator.engines.gguf.header import control_tokens
from investigator.engines.gguf.stream import ReplyStream
from investigator.engines.http import Endpoint
from investigator.engines.loading import ControlTokens
from investigator.errors import ContextTooLongError, EngineError, SettingsError
from investigator.records import FinishReason, Reply, Writing

if TYPE_CHECKING:
    from xllamacpp import Server

_SILENT: Final = -1  # llama.cpp writes its log to standard error by default
_KEPT_PROMPTS: Final = 512  # MiB; llama.cpp would take 8192
_BATCH: Final = 128  # prompt tokens processed between checks for a stop; 512 would be 5 % faster, but stop later
_PLAIN_TEMPLATE: Final = "chatml"  # llama.cpp's default for a file without a template
_TOKEN_SECONDS: Final = 60.0
_LONGER: Final = (
    "Set a larger gguf.context_tokens if the model supports it, or show it less of a document: "
    "--set research.query.characters=2000"
)


class GgufModel:
    """A loaded model, which answers one prompt at a time; other threads wait. Tokens can be counted in the meantime.

    The text of a prompt cannot end its turn: control tokens in it are treated as plain text. Raises SettingsError if
    the file cannot be loaded.
    """

    def __init__(self, path: Path, context_tokens: int, threads: int | None = None) -> None:
        self._name = path.name
        self._context_tokens = context_tokens
        self._key = secrets.token_urlsafe(32)  # llama.cpp opens a loopback port, which no other program may use
        self._control = ControlTokens(control_tokens(path))
        self._server = _load(path, context_tokens, threads, self._key)
        self._tokenizer = Endpoint(
            f"{str(self._server.listening_address).rstrip('/')}/tokenize",
            self._name,
            _TOKEN_SECONDS,
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        self._turn = Lock()

    def complete(
        self,
        text: str,
        options: Mapping[str, object],
        hear: Hear | None = None,
        *,
        seconds: float | None = None,
        on_writing: Callable[[Writing], None] | None = None,
    ) -> Reply:
        """Return the reply to one user message; `hear` receives it token by token, and `on_writing` its progress.

        `options` are llama.cpp's: `max_tokens`, and others for sampling. After `seconds` the model is stopped, between
        two tokens or between two batches of the prompt; the text so far is returned as a truncated reply. The duration
        excludes waiting. Raises EngineTimeoutError if it is empty, ContextTooLongError, and EngineError if there is no
        reply.
        """
        request = {
            **options,
            "messages": [{"role": "user", "content": self._control.defused(text)}],
            "cache_prompt": True,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,
            "timings_per_token": True,
        }
        with self._turn:
            heard = ReplyStream(self._name, _most(options), time.monotonic, hear, on_writing, seconds)
            try:
                self._server.handle_chat_completions(request, heard.take)
                took = heard.elapsed
            except (ValueError, RuntimeError) as error:
                hint = "Choose another GGUF file: this one, or its chat template, cannot process the prompt."
                raise EngineError(f"{self._name} did not reply: {error}", hint=hint) from error
        if heard.late:
            return heard.cut()
        if heard.problem is not None:  # llama.cpp stops at the listener's error, but does not pass it on
            raise heard.problem
        return self._read(heard, took, _most(options))

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens, counted by the model's tokenizer. Raises EngineError if it does not answer."""
        status, body = self._tokenizer.post(json.dumps({"content": self._control.defused(text)}).encode("ascii"))
        try:
            return len(json.loads(body)["tokens"])
        except (ValueError, LookupError) as error:
            raise EngineError(f"{self._name} could not count the tokens of a text (status {status})") from error

    def _read(self, heard: ReplyStream, seconds: float, most: int) -> Reply:
        if heard.refusal:
            raise self._refusal(heard.refusal)
        if not heard.finish or not heard.usage:
            raise EngineError(f"{self._name} stopped in the middle of a reply")
        read, written = heard.usage["prompt_tokens"], heard.usage["completion_tokens"]
        if heard.finish == "length" and written < most:
            raise ContextTooLongError(
                f"the prompt of {read} tokens leaves too little room for the reply in the context "
                f"of {self._context_tokens} tokens",
                hint=_LONGER,
            )
        finish = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}.get(heard.finish, FinishReason.OTHER)
        return Reply(text=heard.text, input_tokens=read, output_tokens=written, finish_reason=finish, seconds=seconds)

    def _refusal(self, error: Mapping[str, object]) -> EngineError:
        if error.get("type") == "exceed_context_size_error":
            needed = error.get("n_prompt_tokens")
            message = f"the prompt of {needed} tokens does not fit the context of {self._context_tokens} tokens"
            return ContextTooLongError(message, hint=_LONGER)
        return EngineError(f"{self._name} did not reply: {error.get('message')}")


def _most(options: Mapping[str, object]) -> int:
    return int(str(options["max_tokens"]))


def _load(path: Path, context_tokens: int, threads: int | None, key: str) -> Server:
    """Load the model; if its own chat template is broken, use a common one. Raises SettingsError."""
    for template in ("", _PLAIN_TEMPLATE):
        try:
            return _opened(path, context_tokens, threads, key, template)
        except RuntimeError as error:
            failure = error
    hint = "The file may be damaged, or need more memory than is free: fetch it again or choose a smaller one."
    raise SettingsError(f"{path} cannot be loaded", hint=hint) from failure


def _opened(path: Path, context_tokens: int, threads: int | None, key: str, template: str) -> Server:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.n_batch = _BATCH
    parameters.cache_prompt = True
    parameters.cache_ram_mib = _KEPT_PROMPTS
    parameters.warmup = False
    parameters.verbosity = _SILENT
    parameters.ui = False
    parameters.api_keys = [key]
    if template:
        parameters.chat_template = template
    if threads is not None:
        parameters.cpuparams.n_threads = threads
        parameters.cpuparams_batch.n_threads = threads
    return xllamacpp.Server(parameters)
