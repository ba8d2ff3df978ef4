"""Defines Dictionary, which assigns numbers to the tokens in texts (seed: parlai_core_concepts, "dict")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from investigator.errors import DialogueError

NULL, START, END, UNKNOWN = "__null__", "__start__", "__end__", "__unk__"
SPECIAL = (NULL, START, END, UNKNOWN)
"""The tokens with the first indices. No text produces them, because `_` in a text is a separate token."""

_TOKEN = re.compile(r" ?[^\W_]+| ?[^\s]|\s")


def tokens_of(text: str) -> list[str]:
    """Split the text into tokens: words and signs, with any spaces that precede them. Joining the tokens restores the
    text.
    """
    return _TOKEN.findall(text)


class Dictionary:
    """Maps tokens to indices and back. Text that has been added to the dictionary can be encoded and decoded without
    loss. The tokens of `SPECIAL` have the first indices; other tokens are numbered in the order in which they first
    occur.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._tokens: list[str] = list(SPECIAL)
        self._indexes = {token: index for index, token in enumerate(SPECIAL)}
        for text in texts:
            self.add(text)

    def __len__(self) -> int:
        return len(self._tokens)

    def __contains__(self, token: str) -> bool:
        return token in self._indexes

    def add(self, text: str) -> None:
        """Assign an index to each new token of the text."""
        for token in tokens_of(text):
            if self._indexes.setdefault(token, len(self._tokens)) == len(self._tokens):
                self._tokens.append(token)

    def index(self, token: str) -> int:
        """Return the index of a token, or the index of `UNKNOWN` if the token is not in the dictionary."""
        return self._indexes.get(token, self._indexes[UNKNOWN])

    def token(self, index: int) -> str:
        """Return the token with this index. Raises DialogueError if no token has it."""
        if not 0 <= index < len(self._tokens):
            hint = f"It has {len(self._tokens)} tokens, counted from 0."
            raise DialogueError(f"the dictionary has no token {index}", hint=hint)
        return self._tokens[index]

    def encode(self, text: str) -> list[int]:
        """Return the indices of the tokens in the text."""
        return [self.index(token) for token in tokens_of(text)]

    def decode(self, indexes: Sequence[int]) -> str:
        """Return the text that the tokens with these indices form; `NULL`, `START` and `END` produce nothing. Raises
        DialogueError.
        """
        return "".join(token for token in map(self.token, indexes) if token not in (NULL, START, END))
