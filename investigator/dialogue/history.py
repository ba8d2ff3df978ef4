"""Defines History: the turns of an episode, as one text or as tokens for a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError

Encode = Callable[[str], Sequence[int]]
"""Returns the tokens in text."""


class History:
    """The messages heard and said in an episode, oldest first. Options: `delimiter` (between turns; a line feed
    by default), `history_size` (number of turns kept; all if not positive; `size` overrides it), `split_lines` (makes
    each heard line a turn), `person_tokens` (heard turns begin with `p1_token`, said ones with `p2_token`),
    `add_p1_after_newln` (the token precedes the last line of a heard turn) and `history_reversed` (reverses the tokens,
    but not the text). `encode` is needed only for tokens.
    """

    def __init__(
        self,
        opt: Mapping[str, object] | None = None,
        *,
        size: int | None = None,
        encode: Encode | None = None,
        field: str = "text",
        p1_token: str = "__p1__",
        p2_token: str = "__p2__",
    ) -> None:
        self.opt = Opt.of(opt)
        self.delimiter = self.opt.text("delimiter", "\n")
        self.size = self.opt.number("history_size", -1) if size is None else size
        self.field = field
        self._encode = encode
        self._tokens = (p1_token, p2_token)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.history_strings: list[str] = []
        self.history_raw_strings: list[str] = []
        self.temp_history: str | None = None

    def update_history(self, observation: Mapping[str, object], temp_history: str | None = None) -> None:
        """Add a message that the agent heard, unless it has no text. Until the next message, `temp_history` is appended
        to the history's text, without a delimiter.
        """
        heard = observation.get(self.field)
        if heard is not None:
            for text in str(heard).split("\n") if self.opt.switch("split_lines") else [str(heard)]:
                split = text.rpartition("\n") if self.opt.switch("add_p1_after_newln") else ("", "", text)
                self._add(text, self._tokens[0], *split)
        self.temp_history = temp_history

    def add_reply(self, text: str) -> None:
        """Add a message that the agent said."""
        self._add(text, self._tokens[1], "", "", text)

    def get_history_str(self) -> str | None:
        """Return the turns as one text; None if the history is empty."""
        if not self.history_strings:
            return None
        return self.delimiter.join(self.history_strings) + (self.temp_history or "")

    def get_history_vec(self) -> list[int] | None:
        """Return the tokens of the turns, separated by the tokens of the delimiter; None if the history is empty.

        Raises DialogueError if the history was made without `encode`.
        """
        if self._encode is None:
            raise DialogueError("the history cannot return tokens", hint="Make it with: History(opt, encode=...)")
        if not self.history_strings:
            return None
        pieces = [*chain.from_iterable((self.delimiter, text) for text in self.history_strings)][1:]
        tokens = list(chain.from_iterable(map(self._encode, [*pieces, *filter(None, [self.temp_history])])))
        return tokens[::-1] if self.opt.switch("history_reversed") else tokens

    def _add(self, raw: str, token: str, before: str, line_end: str, last: str) -> None:
        text = f"{before}{line_end}{token} {last}" if self.opt.switch("person_tokens") else raw
        self.history_raw_strings.append(raw)
        self.history_strings.append(text)
        if self.size > 0:
            del self.history_raw_strings[: -self.size]
            del self.history_strings[: -self.size]
