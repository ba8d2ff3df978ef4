"""History: what was said in an episode, as one text or as tokens for a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError

Encode = Callable[[str], Sequence[int]]
"""Gives the tokens of a text."""


class History:
    """The turns of an episode, oldest first, heard and said alike.

    Of the options it takes `delimiter` (between turns, a line feed), `history_size` (turns that are kept; all, if it is
    not above 0; `size` comes before), `split_lines` (each line that is heard is a turn), `person_tokens` (turns begin
    with `p1_token` where they were heard, with `p2_token` where they were said), `add_p1_after_newln` (the token is
    before the last line of what was heard) and `history_reversed` (the tokens stand in reverse, the text does not).
    `encode` is needed for tokens only.
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
        options = Opt.of(opt)
        self.delimiter = options.text("delimiter", "\n")
        self.size = options.number("history_size", -1) if size is None else size
        self.field = field
        self._split_lines = options.switch("split_lines")
        self._person_tokens = options.switch("person_tokens")
        self._after_lines = options.switch("add_p1_after_newln")
        self._reversed = options.switch("history_reversed")
        self._encode = encode
        self._tokens = (p1_token, p2_token)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.history_strings: list[str] = []
        self.history_raw_strings: list[str] = []
        self.temp_history: str | None = None

    def update_history(self, observation: Mapping[str, object], temp_history: str | None = None) -> None:
        """Add what was heard; nothing, if the message has no text.

        `temp_history` is appended to the text, without a delimiter, until the next message is heard.
        """
        heard = observation.get(self.field)
        if heard is not None:
            for text in str(heard).split("\n") if self._split_lines else [str(heard)]:
                self._add(text, self._heard(text))
        self.temp_history = temp_history

    def add_reply(self, text: str) -> None:
        """Add what was said."""
        self._add(text, f"{self._tokens[1]} {text}" if self._person_tokens else text)

    def get_history_str(self) -> str | None:
        """Return the turns as one text; None if there are none."""
        if not self.history_strings:
            return None
        return self.delimiter.join(self.history_strings) + (self.temp_history or "")

    def get_history_vec(self) -> list[int] | None:
        """Return the tokens of the turns, with those of the delimiter between them; None if there are no turns.

        Raises DialogueError if the history was made without `encode`.
        """
        if self._encode is None:
            raise DialogueError("the history has no tokens", hint="Make it with: History(opt, encode=...)")
        if not self.history_strings:
            return None
        pieces = list(chain.from_iterable((self.delimiter, text) for text in self.history_strings))[1:]
        if self.temp_history is not None:
            pieces.append(self.temp_history)
        tokens = list(chain.from_iterable(map(self._encode, pieces)))
        return tokens[::-1] if self._reversed else tokens

    def _heard(self, text: str) -> str:
        if not self._person_tokens:
            return text
        before, line_end, last = text.rpartition("\n") if self._after_lines else ("", "", text)
        return f"{before}{line_end}{self._tokens[0]} {last}"

    def _add(self, raw: str, text: str) -> None:
        self.history_raw_strings.append(raw)
        self.history_strings.append(text)
        if self.size > 0:
            del self.history_raw_strings[: -self.size]
            del self.history_strings[: -self.size]
