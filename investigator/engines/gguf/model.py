"""A GGUF model that llama.cpp has loaded in this process: generates replies, and counts tokens.

The state of a prompt is cached: of the next prompt, only what follows the same beginning is processed. Other options of
llama.cpp keep their defaults: nothing else was faster with the method's prompts.
"""

from __future__ import annotations

import json
import math
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from investigator.engines.base import Hear
from investigator.engines.gguf.header import control_tokens
from investigator.engines.http import Endpoint
from investigator.engines.loading import ControlTokens
from investigator.errors import ContextTooLongError, EngineError, EngineTimeoutError, SettingsError
from investigator.records import FinishReason, Reply, Writing

if TYPE_CHECKING:
    from xllamacpp import Server

_SILENT: Final = -1  # llama.cpp writes its log to standard error by default
_KEPT_PROMPTS: Final = 512  # MiB; llama.cpp would take 8192
_BATCH: Final = 128  # prompt tokens processed between checks for a stop; 512 would be 5 % faster, but stop later
_PLAIN_TEMPLATE: Final = "chatml"  # llama.cpp's default for a file without a template
_TOKEN_SECONDS: Final = 60.0
_LONGER: Final = (
    "Set a larger chat.context_tokens if the model supports it, or show it less of a document: "
    "research.query.characters=2000"
)


class GgufModel:
    """A loaded model, which answers one prompt at a time; other threads wait. Tokens can be counted in the meantime.

    The text of a prompt cannot end its turn: control tokens in it are treated as plain text. Raises SettingsError if
    the file cannot be loaded.
    """

    def __init__(self, path: Path, context_tokens: int) -> None:
        self._name = path.name
        self._context_tokens = context_tokens
        key = secrets.token_urlsafe(32)  # llama.cpp opens a loopback port, which no other program may use
        self._control = ControlTokens(control_tokens(path))
        self._server = _load(path, context_tokens, key)
        self._tokenizer = Endpoint(
            f"{str(self._server.listening_address).rstrip('/')}/tokenize",
            self._name,
            _TOKEN_SECONDS,
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
        )
        self._turn = Lock()

    def complete(
        self,
        text: str,
        options: Mapping[str, object],
        hear: Hear | None = None,
        *,
        seconds: float = math.inf,
        on_writing: Callable[[Writing], None] = lambda _: None,
    ) -> Reply:
        """Return the reply to one user message; `hear` receives it token by token, and `on_writing` its progress.

        `options` are llama.cpp's. After `seconds` the model is stopped, between two tokens or two batches of the
        prompt; the text so far is a truncated reply. Raises EngineTimeoutError if it is empty, ContextTooLongError, and
        EngineError if there is no reply.
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
            stream = ReplyStream(self._name, int(str(options["max_tokens"])), time.monotonic, hear, on_writing, seconds)
            try:
                self._server.handle_chat_completions(request, stream.take)
            except (ValueError, RuntimeError) as error:
                hint = "Choose another GGUF file: this one, or its chat template, cannot process the prompt."
                raise EngineError(f"{self._name} did not reply: {error}", hint=hint) from error
        return stream.reply(self._context_tokens)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens, counted by the model's tokenizer. Raises EngineError if it does not answer."""
        status, body = self._tokenizer.post(json.dumps({"content": self._control.defused(text)}).encode("ascii"))
        try:
            return len(json.loads(body)["tokens"])
        except (ValueError, LookupError) as error:
            raise EngineError(f"{self._name} could not count the tokens of a text (status {status})") from error


class _OutOfTimeError(Exception):
    """Raised inside the callback to stop a reply; llama.cpp stops on any exception."""


@dataclass
class ReplyStream:
    """Collects the pieces of one reply, passes them on, and stops llama.cpp at the time limit.

    `most` is the longest reply in tokens; `seconds` is the time limit; `clock` returns seconds.
    """

    model: str
    most: int
    clock: Callable[[], float]
    hear: Hear | None = None
    on_writing: Callable[[Writing], None] = lambda _: None
    seconds: float = math.inf

    def __post_init__(self) -> None:
        self._began = self._wrote_from = self._ended = self.clock()
        self._read = self._to_read = self._written = 0
        self._text = self._finish = ""
        self._usage: Mapping[str, int] = {}
        self._refusal: Mapping[str, object] = {}
        self._problem: BaseException | None = None

    def take(self, piece: dict[str, Any]) -> None:
        """Take the next piece; an error in `hear` or the time limit ends the reply."""
        self._ended = self.clock()
        try:
            self._count(piece)
            self._refusal = piece.get("error") or self._refusal
            self._usage = piece.get("usage") or self._usage
            for choice in piece.get("choices", ()):
                self._finish = choice["finish_reason"] or self._finish
                more = choice["delta"].get("content") or ""
                self._text += more
                if more and self.hear is not None:
                    self.hear(self._text)
            if self._ended - self._began >= self.seconds:
                raise _OutOfTimeError
        finally:
            self._problem = sys.exception()  # llama.cpp stops at this exception, but does not pass it on

    def reply(self, context_tokens: int) -> Reply:
        """Return the whole reply or, after the time limit, the text so far as a truncated one. Raises
        EngineTimeoutError if that is empty, ContextTooLongError, EngineError, and the error of a listener.
        """
        seconds = self._ended - self._began
        read, written, finish = self._to_read, self._written, FinishReason.LENGTH
        if isinstance(self._problem, _OutOfTimeError):
            if not self._text.strip():
                raise EngineTimeoutError(
                    f"{self.model} was stopped after {seconds:.0f} s, before it wrote a word: it had read "
                    f"{self._read:,} of {self._to_read:,} tokens"
                )
        else:
            self._check(context_tokens)
            read, written = self._usage["prompt_tokens"], self._usage["completion_tokens"]
            finish = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}.get(self._finish, FinishReason.OTHER)
        return Reply(text=self._text, input_tokens=read, output_tokens=written, finish_reason=finish, seconds=seconds)

    def _check(self, context_tokens: int) -> None:
        if self._problem is not None:
            raise self._problem
        if self._refusal.get("type") == "exceed_context_size_error":
            needed = self._refusal.get("n_prompt_tokens")
            message = f"the prompt of {needed} tokens does not fit the context of {context_tokens} tokens"
            raise ContextTooLongError(message, hint=_LONGER)
        if self._refusal:
            raise EngineError(f"{self.model} did not reply: {self._refusal.get('message')}")
        if not self._finish or not self._usage:
            raise EngineError(f"{self.model} stopped in the middle of a reply")
        if self._finish == "length" and self._usage["completion_tokens"] < self.most:
            room = f"too little room for the reply in the context of {context_tokens} tokens"
            message = f"the prompt of {self._usage['prompt_tokens']} tokens leaves {room}"
            raise ContextTooLongError(message, hint=_LONGER)

    def _count(self, piece: Mapping[str, Any]) -> None:
        if (reading := piece.get("prompt_progress")) is not None:
            self._read, self._to_read = reading["processed"], reading["total"]
        written = piece.get("timings", {}).get("predicted_n", 0)
        if written and not self._written:
            self._wrote_from = self._ended
        self._written = max(self._written, written)
        seconds = round(self._ended - (self._wrote_from if self._written else self._began), 3)
        counts = {"read": self._read, "to_read": self._to_read, "written": self._written, "most": self.most}
        self.on_writing(Writing(engine=self.model, seconds=seconds, **counts))


def _load(path: Path, context_tokens: int, key: str) -> Server:
    """Load the model; if its own chat template is broken, use a common one. Raises SettingsError."""
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
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError:
        parameters.chat_template = _PLAIN_TEMPLATE
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        hint = "The file may be damaged, or need more memory than is free: fetch it again or choose a smaller one."
        raise SettingsError(f"{path} cannot be loaded", hint=hint) from error
