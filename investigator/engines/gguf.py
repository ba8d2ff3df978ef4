"""A model in a GGUF file, run in this process by llama.cpp; no server, no key."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from pydantic import Field

from investigator.engines.base import Traits
from investigator.engines.schemas import Json, bounded, reply_schema
from investigator.errors import ContextTooLongError, EngineError, MissingPackageError, SettingsError
from investigator.records import FinishReason, Prompt, Record, Reply

if TYPE_CHECKING:
    from xllamacpp import Server

_MAGIC = b"GGUF"
_SILENT = -1  # llama.cpp writes its log to standard error unless told not to


class GgufSettings(Record):
    """How a GGUF model is run."""

    context_tokens: int = Field(default=4096, ge=256, description="tokens of prompt and reply together")
    max_tokens: int = Field(default=512, ge=16, description="longest reply in tokens")
    threads: int | None = Field(
        default=None, ge=1, description="threads; all cores where not set, which is slow beside other work"
    )
    temperature: float = Field(default=0.0, ge=0, le=2, description="0 takes the likeliest token every time")
    seed: int = Field(default=0, ge=0, description="seed of the choice of tokens")


class GgufEngine:
    """A GGUF file as an engine; its replies are held to the schema of what is asked for.

    The model is loaded at the first prompt and answers one prompt at a time; other threads wait. Raises SettingsError
    at once where the path names no GGUF file, MissingPackageError where the extra `local` is not installed.
    """

    def __init__(self, path: str | Path, settings: GgufSettings | None = None) -> None:
        self._path = Path(path).expanduser()
        self._settings = settings or GgufSettings()
        self._lock = Lock()
        self._server: Server | None = None
        if self._settings.max_tokens >= self._settings.context_tokens:
            raise SettingsError(
                "max_tokens leaves no room for a prompt", hint="Set context_tokens larger than max_tokens."
            )
        self._name = f"gguf:{self._path.name}@{_checked_size(self._path)}"

    @property
    def name(self) -> str:
        """`gguf:` and the name of the file with its size, which tells two quantisations of one name apart."""
        return self._name

    @property
    def traits(self) -> Traits:
        """A language model that answers one prompt at a time."""
        room = self._settings.context_tokens - self._settings.max_tokens
        return Traits(is_model=True, context_tokens=room, concurrency=1)

    def reply(self, prompt: Prompt) -> Reply:
        """The model's reply to one prompt, as JSON. Raises EngineError where the prompt does not fit the context."""
        request = self._request(prompt)
        with self._lock:
            server = self._loaded()
            started = time.monotonic()
            try:
                answer = server.handle_chat_completions(request)
            except (ValueError, RuntimeError) as error:
                hint = "Choose another GGUF file: this one, or its chat template, cannot answer the prompt."
                raise EngineError(f"{self.name} gave no reply: {error}", hint=hint) from error
            seconds = time.monotonic() - started
        return self._read(answer, seconds)

    def _request(self, prompt: Prompt) -> dict[str, object]:
        return {
            "messages": [{"role": "user", "content": prompt.text}],
            "max_tokens": self._settings.max_tokens,
            "temperature": self._settings.temperature,
            "seed": self._settings.seed,
            "grammar": self._grammar(prompt.reply_type),
        }

    def _grammar(self, reply_type: type[Record]) -> str:
        """The reply's schema as a grammar: no white space between fields, and an end to every text and list."""
        from xllamacpp import json_schema_to_grammar

        room = self._settings.max_tokens
        schema = bounded(reply_schema(reply_type), characters=room * 3 // 5, items=max(2, room // 128))
        compact: dict[str, Json] = {"x-guidance": {"whitespace_flexible": False}, **schema}
        return str(json_schema_to_grammar(json.dumps(compact)))

    def _loaded(self) -> Server:
        if self._server is None:
            self._server = _load(self._path, self._settings)
        return self._server

    def _read(self, body: dict[str, Any], seconds: float) -> Reply:
        if "error" in body:
            raise self._refusal(body["error"])
        choice = body["choices"][0]
        finish = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}
        return Reply(
            text=choice["message"].get("content") or "",
            input_tokens=body["usage"]["prompt_tokens"],
            output_tokens=body["usage"]["completion_tokens"],
            finish_reason=finish.get(choice["finish_reason"], FinishReason.OTHER),
            seconds=seconds,
        )

    def _refusal(self, error: Mapping[str, object]) -> EngineError:
        if error.get("type") == "exceed_context_size_error":
            needed = error.get("n_prompt_tokens")
            message = (
                f"the prompt of {needed} tokens does not fit the context of {self._settings.context_tokens} tokens"
            )
            return ContextTooLongError(message, hint="Give it more with --set gguf.context_tokens=8192")
        return EngineError(f"{self.name} gave no reply: {error.get('message')}")


def _checked_size(path: Path) -> int:
    """Size in bytes of a file that can be loaded, as far as its beginning tells."""
    hint = "Name a model file, for example gguf:models/llama-3.2-1b.gguf"
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
            size = file.seek(0, os.SEEK_END)
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}", hint=hint) from error
    if magic != _MAGIC:
        raise SettingsError(f"{path} is not a GGUF file", hint=hint)
    if find_spec("xllamacpp") is None:
        raise MissingPackageError(
            "a GGUF model needs the package xllamacpp", hint='Install it with: pip install "investigator[local]"'
        )
    return size


def _load(path: Path, settings: GgufSettings) -> Server:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = settings.context_tokens
    parameters.n_parallel = 1
    parameters.warmup = False
    parameters.verbosity = _SILENT
    parameters.ui = False
    parameters.api_keys = [secrets.token_urlsafe(32)]  # llama.cpp opens a loopback port: nobody else may ask there
    if settings.threads is not None:
        parameters.cpuparams.n_threads = settings.threads
        parameters.cpuparams_batch.n_threads = settings.threads
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        hint = "The file may be damaged, or need more memory than there is: fetch it again or choose a smaller one."
        raise SettingsError(f"{path} cannot be loaded", hint=hint) from error
