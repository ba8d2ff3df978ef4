"""Dictionary: the tokens of texts, numbered by how often they come (seed: parlai_core_concepts, "dict")."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from investigator.errors import DialogueError, DialogueFormatError

NULL, START, END, UNKNOWN = "__null__", "__start__", "__end__", "__unk__"
SPECIAL = (NULL, START, END, UNKNOWN)
"""The first indexes. No text holds them: in a text `_` is a token of its own."""

_TOKEN = re.compile(r" ?[^\W_]+| ?[^\s]|\s")


def tokens_of(text: str) -> list[str]:
    """The tokens of a text, which joined are the text: words and signs, each with the space before it."""
    return _TOKEN.findall(text)


class Dictionary:
    """Gives each token an index, and back. What was added can be encoded and decoded without loss.

    Indexes are given in the order in which tokens are first met, after those of `SPECIAL`.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._tokens: list[str] = list(SPECIAL)
        self._indexes = {token: index for index, token in enumerate(SPECIAL)}
        self._counts: Counter[str] = Counter()
        for text in texts:
            self.add(text)

    def __len__(self) -> int:
        return len(self._tokens)

    def __contains__(self, token: str) -> bool:
        return token in self._indexes

    def add(self, text: str) -> None:
        """Count the tokens of a text, and give the new ones an index."""
        for token in tokens_of(text):
            self._add(token, 1)

    def count(self, token: str) -> int:
        """How often the token was added."""
        return self._counts[token]

    def index(self, token: str) -> int:
        """The index of a token; that of `UNKNOWN` where it is not in the dictionary."""
        return self._indexes.get(token, self._indexes[UNKNOWN])

    def token(self, index: int) -> str:
        """The token of an index. Raises DialogueError where there is none."""
        if not 0 <= index < len(self._tokens):
            raise DialogueError(f"the dictionary has no token {index}", hint=f"It has {len(self._tokens)}, from 0.")
        return self._tokens[index]

    def encode(self, text: str) -> list[int]:
        """The indexes of the tokens of a text."""
        return [self.index(token) for token in tokens_of(text)]

    def decode(self, indexes: Sequence[int]) -> str:
        """The text of the indexes; `NULL`, `START` and `END` give nothing. Raises DialogueError."""
        silent = (NULL, START, END)
        return "".join(token for token in map(self.token, indexes) if token not in silent)

    def pruned(self, at_least: int = 1, at_most: int | None = None) -> Dictionary:
        """A dictionary of the tokens that came `at_least` so often: the `at_most` commonest, the commonest first."""
        kept = [(token, count) for token, count in self._counts.most_common() if count >= at_least]
        made = Dictionary()
        for token, count in kept[:at_most]:
            made._add(token, count)
        return made

    def save(self, file: Path) -> None:
        """Write one token a line, as JSON text, TAB, its count. Raises DialogueError where it cannot be written."""
        lines = (f"{json.dumps(token)}\t{self._counts[token]}\n" for token in self._tokens[len(SPECIAL) :])
        draft = file.with_name(f".{file.name}.tmp")
        try:
            draft.write_text("".join(lines), encoding="utf-8", newline="\n")
            draft.replace(file)
        except OSError as error:
            reason = error.strerror or error
            raise DialogueError(f"the dictionary cannot be written to {file}: {reason}") from error

    @classmethod
    def load(cls, file: Path) -> Dictionary:
        """The dictionary that was saved. Raises DialogueFormatError for a line that cannot be read."""
        made = cls()
        try:
            lines = file.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise DialogueError(f"the dictionary {file} cannot be read: {error}") from error
        for number, line in enumerate(lines, start=1):
            if line.strip():
                made._add(*_entry(file, number, line))
        return made

    def _add(self, token: str, count: int) -> None:
        if token not in self._indexes:
            self._indexes[token] = len(self._tokens)
            self._tokens.append(token)
        self._counts[token] += count


def _entry(file: Path, number: int, line: str) -> tuple[str, int]:
    raw, _, count = line.partition("\t")
    try:
        token = json.loads(raw)
        if not isinstance(token, str) or token in SPECIAL or not int(count) > 0:
            raise ValueError
        return token, int(count)
    except ValueError as error:
        gist = "a line holds a token as JSON text, TAB, a count"
        raise DialogueFormatError(f"{file}, line {number}: {line[:60]!r} is no token: {gist}") from error
