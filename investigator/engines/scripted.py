"""An engine with prepared replies, and an embedder that counts words. They serve tests, trials of templates and
examples; both are part of the product and behave like real ones.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Self, TypeAlias

import numpy as np
from pydantic import TypeAdapter, ValidationError

from investigator.engines.base import Hear, Vectors
from investigator.errors import EngineError, SettingsError
from investigator.language.terms import stem, words
from investigator.records import Prompt, Reply, Traits

Script: TypeAlias = str | Sequence[str] | Callable[[Prompt], str]
"""One reply for every prompt, a sequence of replies, or a function of the prompt."""

_FILE = TypeAdapter(dict[str, str | list[str]])


class ScriptedEngine:
    """Returns prepared replies and remembers its prompts. `replies` is one script for all prompts, or a mapping from
    template names (with or without `.j2`) to scripts; `traits` are those of the engine to imitate.
    """

    def __init__(
        self, replies: Script | Mapping[str, Script], *, name: str = "scripted", traits: Traits | None = None
    ) -> None:
        self._scripts: Mapping[str, Script] = replies if isinstance(replies, Mapping) else {"": replies}
        self._given: Counter[str] = Counter()
        self._asked: list[Prompt] = []
        self._lock = Lock()
        self.name = name
        self.traits = traits or Traits()

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Return an engine for a script in a JSON file: an object that maps template names to a reply or a list of
        replies. Raises SettingsError.
        """
        file = Path(path).expanduser()
        hint = 'Write it as {"query/ask": ["first reply", "second reply"], ...}'
        try:
            scripts = _FILE.validate_json(file.read_bytes())
        except OSError as error:
            raise SettingsError(f"the script {file} cannot be read: {error.strerror}", hint=hint) from error
        except ValidationError as error:
            raise SettingsError(f"{file} is not a script of replies", hint=hint) from error
        return cls(scripts, name=f"scripted:{file.name}")

    @property
    def asked(self) -> list[Prompt]:
        """Return the prompts so far, in order."""
        with self._lock:
            return list(self._asked)

    def reply(self, prompt: Prompt) -> Reply:
        """Return the next reply from the prompt's script. Raises EngineError if none is left."""
        with self._lock:
            self._asked.append(prompt)
            text = self._next(prompt)
        return Reply(text=text if isinstance(text, str) else text(prompt))

    def reply_aloud(self, prompt: Prompt, hear: Hear) -> Reply:
        """Return the same reply, streamed word by word."""
        reply = self.reply(prompt)
        for word in re.finditer(r"\S+\s*", reply.text):
            hear(reply.text[: word.end()])
        return reply

    def _next(self, prompt: Prompt) -> str | Callable[[Prompt], str]:
        names = (prompt.template, prompt.template.removesuffix(".j2"), "")
        key = next((name for name in names if name in self._scripts), None)
        if key is None:
            raise EngineError(
                f"the script has no reply for the template {prompt.template}", hint="Add replies for that template."
            )
        script = self._scripts[key]
        if isinstance(script, str) or callable(script):
            return script
        number = self._given[key]
        if number >= len(script):
            raise EngineError(
                f"the script ran out after {number} replies ({prompt.template})", hint="Add more replies to the script."
            )
        self._given[key] += 1
        return script[number]


class ScriptedEmbedder:
    """Counts word stems in hashed dimensions, so that texts that share words get similar vectors. Text without words
    gets the vector of an empty string, so that every row has length 1.
    """

    name = "scripted-words"
    dimensions = 256

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (texts, 256)."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in words(text) or [""]:
                row[zlib.crc32(stem(word).encode("utf-8", "surrogatepass")) % self.dimensions] += 1.0
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors
