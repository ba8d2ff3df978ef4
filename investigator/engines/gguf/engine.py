"""A model in a GGUF file, run in this process by llama.cpp, without a server or a key."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import copy
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from investigator.engines.base import Hear, Sampling
from investigator.engines.gguf.header import trained_context
from investigator.engines.gguf.model import GgufModel
from investigator.engines.loading import LoadedOnce
from investigator.engines.schemas import Json, bounded, reply_schema
from investigator.errors import SettingsError
from investigator.records import Prompt, Record, Reply, Traits, Writing
from investigator.records.decoding import SEED
from investigator.resources.distribution import install_command

_USUAL_CONTEXT = 8192  # a model may support more, at the cost of memory
_MOST_RECORDS = 40  # more than a prompt for such a context asks about
_TEMPLATE_TOKENS = 96  # room for what a chat template adds to a prompt: usually 10 to 80 tokens
USUAL_SECONDS = 900.0
"""Time limit for a reply in seconds, unless `chat.timeout` is set: a large model on a slow machine needs minutes."""
USUAL_TOKENS = 1024
"""The longest reply in tokens, unless `chat.max_tokens` is set."""


class GgufEngine:
    """Runs a GGUF file as an engine, and constrains the output to the reply's schema.

    The model is loaded once, on first use. It answers one prompt at a time; other threads wait. Prompt and reply have
    at most `context_tokens`, or as many as in training, but not more than 8,192. A reply is stopped after `max_tokens`
    or `seconds`; `on_writing` receives the reply's progress. The name contains the size of the file, which
    distinguishes two quantisations. Raises SettingsError at once if the path is not a GGUF file, the reply leaves no
    room for a prompt, or the extra `local` is not installed.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        context_tokens: int | None = None,
        max_tokens: int = USUAL_TOKENS,
        seconds: float = USUAL_SECONDS,
        on_writing: Callable[[Writing], None] = lambda _: None,
    ) -> None:
        file = Path(path).expanduser()
        self._seconds = seconds
        self._on_writing = on_writing
        self._context = context = min(trained_context(file), context_tokens or _USUAL_CONTEXT)
        self._take(Sampling(temperature=0, max_tokens=max_tokens))
        self.name = f"gguf:{file.name}@{file.stat().st_size}"
        self._loaded = LoadedOnce(lambda: GgufModel(file, context))
        if find_spec("xllamacpp") is None:
            raise SettingsError(
                "a GGUF model needs the package xllamacpp", hint=f"Install it with: {install_command('local')}"
            )

    def _take(self, sampling: Sampling) -> None:
        self.sampling, self._most = sampling, sampling.max_tokens or 0
        if self._most + _TEMPLATE_TOKENS >= self._context:
            raise SettingsError(
                f"max_tokens {self._most} leaves no room for a prompt in the context of {self._context} tokens",
                hint="Raise chat.context_tokens, or lower chat.max_tokens.",
            )

    @property
    def traits(self) -> Traits:
        """Return the traits of a language model that answers one prompt at a time."""
        values = {"max_tokens": 0, "temperature": 0, "seed": SEED, **self.sampling.model_dump(exclude_none=True)}
        sampling = " ".join(f"{name}={value:g}" for name, value in values.items())
        room = self._context - self._most - _TEMPLATE_TOKENS
        return Traits(is_model=True, context_tokens=room, concurrency=1, sampling=sampling)

    def reply(self, prompt: Prompt, hear: Hear | None = None) -> Reply:
        """Return the model's reply to one prompt, as JSON; a listener hears it token by token. A reply that takes too
        long is truncated. Raises EngineTimeoutError if it is then empty, ContextTooLongError, EngineError if there is
        no reply, and SettingsError if the model cannot be loaded.
        """
        grammar = _grammar(prompt.reply_type, self._most)
        options = {"seed": SEED, "grammar": grammar, **self.sampling.model_dump(exclude_none=True)}
        if self.sampling.temperature:  # and without the other filters that llama.cpp would apply
            options = {"top_p": 1.0, "top_k": 0, "min_p": 0.0, **options}
        return self._loaded().complete(prompt.text, options, hear, seconds=self._seconds, on_writing=self._on_writing)

    reply_aloud = reply

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in the text, without the additions of the chat template. Raises EngineError, and
        SettingsError if the model cannot be loaded.
        """
        return self._loaded().count_tokens(text)

    def with_sampling(self, sampling: Sampling) -> Self:
        """Return a copy of the engine with other sampling, which shares the loaded model. Raises SettingsError if
        replies of that length leave no room for a prompt.
        """
        other = copy(self)
        other._take(sampling)
        return other


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
