"""A model in a GGUF file, run in this process by llama.cpp, without a server or a key."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import copy
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from pydantic import Field

from investigator.engines.base import Hear
from investigator.engines.gguf.header import trained_context
from investigator.engines.gguf.model import GgufModel
from investigator.engines.loading import LoadedOnce
from investigator.engines.schemas import Json, bounded, reply_schema
from investigator.errors import SettingsError
from investigator.records import Prompt, Record, Reply, Traits, Writing
from investigator.resources.distribution import install_command

_USUAL_CONTEXT = 8192  # a model may support more, at the cost of memory
_MOST_RECORDS = 40  # more than a prompt for such a context asks about
_TEMPLATE_TOKENS = 96  # room for what a chat template adds to a prompt: usually 10 to 80 tokens
USUAL_SECONDS = 900.0
"""Time limit for a reply in seconds, unless `chat.timeout` is set: a large model on a slow machine needs minutes."""


class GgufSettings(Record):
    """Settings for running a GGUF model."""

    context_tokens: int | None = Field(
        default=None,
        ge=256,
        description=(
            f"context size in tokens (prompt and reply); by default the size used in training, up to {_USUAL_CONTEXT}"
        ),
    )
    max_tokens: int = Field(default=1024, ge=16, description="longest reply in tokens")
    threads: int | None = Field(
        default=None,
        ge=1,
        description="number of threads; by default one for each core, which is slow if other programs are busy",
    )
    temperature: float = Field(
        default=0.0, ge=0, le=2, description="sampling temperature; 0 always takes the most probable token"
    )
    top_p: float | None = Field(
        default=None, ge=0, le=1, description="nucleus sampling: the probability mass to sample from; 0.95 if not set"
    )
    top_k: int | None = Field(
        default=None, ge=1, description="number of most probable tokens to sample from; 40 if not set"
    )
    seed: int = Field(default=0, ge=0, description="seed for sampling tokens")


class GgufEngine:
    """Runs a GGUF file as an engine, and constrains the output to the reply's schema.

    The model is loaded once, on first use. It answers one prompt at a time; other threads wait. A reply is stopped
    after `seconds`; `on_writing` receives the reply's progress. Raises SettingsError at once if the path is not a GGUF
    file, the context does not fit the model, or the extra `local` is not installed.
    """

    def __init__(
        self,
        path: str | Path,
        settings: GgufSettings | None = None,
        *,
        seconds: float = USUAL_SECONDS,
        on_writing: Callable[[Writing], None] | None = None,
    ) -> None:
        self._seconds = seconds
        self._on_writing = on_writing
        self._path = Path(path).expanduser()
        self._settings = settings or GgufSettings()
        self._context_tokens = _context(self._path, self._settings)
        self._name = f"gguf:{self._path.name}@{self._path.stat().st_size}"
        self._loaded = LoadedOnce(lambda: GgufModel(self._path, self._context_tokens, self._settings.threads))
        if find_spec("xllamacpp") is None:
            raise SettingsError(
                "a GGUF model needs the package xllamacpp", hint=f"Install it with: {install_command('local')}"
            )

    @property
    def name(self) -> str:
        """Return `gguf:`, the file's name, and its size, which distinguishes two quantisations with the same name."""
        return self._name

    @property
    def settings(self) -> GgufSettings:
        """Return the settings of the model."""
        return self._settings

    @property
    def traits(self) -> Traits:
        """Return the traits of a language model that answers one prompt at a time."""
        settings = self._settings
        room = self._context_tokens - settings.max_tokens - _TEMPLATE_TOKENS
        shaping = settings.model_dump(exclude_none=True)
        names = ("max_tokens", "temperature", "seed", "top_p", "top_k")
        sampling = " ".join(f"{name}={shaping[name]:g}" for name in names if name in shaping)
        return Traits(is_model=True, context_tokens=room, concurrency=1, sampling=sampling)

    def reply(self, prompt: Prompt) -> Reply:
        """Return the model's reply to one prompt, as JSON.

        A reply that takes too long is truncated. Raises EngineTimeoutError if it is then empty; ContextTooLongError if
        the prompt and the reply do not fit the context; EngineError if there is no reply; and SettingsError if the
        model cannot be loaded.
        """
        return self.reply_aloud(prompt, None)

    def reply_aloud(self, prompt: Prompt, hear: Hear | None) -> Reply:
        """Return the same reply, streamed token by token."""
        model, settings = self._loaded(), self._settings
        options: dict[str, object] = {
            "max_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "grammar": _grammar(prompt.reply_type, settings.max_tokens),
        }
        if settings.top_p is not None or settings.top_k is not None:  # llama.cpp then applies no other filters
            top_p = 1.0 if settings.top_p is None else settings.top_p
            options |= {"top_p": top_p, "top_k": settings.top_k or 0, "min_p": 0.0}
        return model.complete(prompt.text, options, hear, seconds=self._seconds, on_writing=self._on_writing)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in the text, without the additions of the chat template. Raises EngineError, and
        SettingsError if the model cannot be loaded.
        """
        return self._loaded().count_tokens(text)

    def with_settings(self, settings: GgufSettings) -> Self:
        """Return a copy of the engine with other sampling; it shares the loaded model with its context and threads.
        Raises SettingsError if replies of that length leave no room for a prompt.
        """
        other = copy(self)
        other._settings = settings
        _context(self._path, settings)
        return other


def _context(path: Path, settings: GgufSettings) -> int:
    """Return the context size, in tokens, with which to load a file. Raises SettingsError."""
    trained = trained_context(path)
    chosen = settings.context_tokens
    if chosen is not None and chosen > trained:
        raise SettingsError(
            f"{path.name} was made for a context of {trained} tokens, not {chosen}",
            hint=f"Set gguf.context_tokens to {trained} or less, or omit it.",
        )
    context = chosen or min(trained, _USUAL_CONTEXT)
    if settings.max_tokens + _TEMPLATE_TOKENS >= context:
        raise SettingsError(
            f"max_tokens {settings.max_tokens} leaves no room for a prompt in the context of {context} tokens",
            hint="Raise gguf.context_tokens, or lower gguf.max_tokens.",
        )
    return context


@cache
def _grammar(reply_type: type[Record], max_tokens: int) -> str:
    """Return the reply's schema as a grammar, with one space after each colon and comma, and a limit on every text and
    list. This is how models write JSON on their own. Without whitespace, some models reply with an empty list to
    everything; with unlimited whitespace, some write nothing else.
    """
    from xllamacpp import json_schema_to_grammar

    items = max(2, max_tokens // 128)
    schema = bounded(reply_schema(reply_type), characters=max_tokens * 3 // 5, items=items, records=_MOST_RECORDS)
    spaced: dict[str, Json] = {"whitespace_flexible": False, "key_separator": ": ", "item_separator": ", "}
    return str(json_schema_to_grammar(json.dumps({"x-guidance": spaced, **schema})))
