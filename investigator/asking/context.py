"""The context layer: rejects prompts that do not fit into the engine's context, and shrinks their variables until they
do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from investigator.asking.call import Call, CallJournal, Layer
from investigator.engines.base import tokens_of, traits_of
from investigator.errors import ContextTooLongError
from investigator.records import Record, Reply

V = TypeVar("V", bound=Record)
T = TypeVar("T")

_MARGIN = 0.05  # fraction of the context reserved for the text that a chat template adds to a prompt
_MOST_REFUSALS = 8


class PromptTooLong(ContextTooLongError):
    """A prompt does not fit into the context. `share` (0..1) is the fraction of it that would fit, or None if the
    engine reported no token count.
    """

    def __init__(self, message: str, *, hint: str = "", share: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.share = share


class WithinContext:
    """Passes on prompts that fit into the engine's context, with their token counts.

    A prompt that does not fit is recorded in the journal, so that it is never counted or sent again.
    """

    def __init__(self, inner: Layer, journal: CallJournal) -> None:
        self._inner = inner
        self._journal = journal

    def __call__(self, call: Call) -> Reply:
        """Return the inner layer's reply. Raises PromptTooLong and StoreError."""
        tokens = self._tokens_that_fit(call)
        try:
            return self._inner(replace(call, tokens=tokens))
        except ContextTooLongError as error:
            self._journal.keep_too_long(call.key, 0)
            raise PromptTooLong(error.message, hint=error.hint) from error

    def _tokens_that_fit(self, call: Call) -> int:
        engine = call.engine
        traits = traits_of(engine)
        if traits.goes_by_measures:  # rules, which read prompts of any length
            return tokens_of(engine, call.prompt.text)
        limit = traits.context_tokens
        room = None if limit is None else int(limit * (1 - _MARGIN))
        known = self._journal.too_long(call.key)
        if known == 0:
            raise PromptTooLong(f"{engine.name} rejected a prompt of this length")
        tokens = tokens_of(engine, call.prompt.text) if known is None else known
        if room is not None and tokens > room:
            if known is None:
                self._journal.keep_too_long(call.key, tokens)
            message = f"the prompt of {tokens} tokens does not fit into the {room} that {engine.name} can read"
            raise PromptTooLong(message, share=room / tokens)
        return tokens


def no_smaller(_: Record, share: float) -> None:
    """Return None, because these variables cannot be reduced."""


def put_smaller_until_it_fits(put: Callable[[V], T], variables: V, smaller: Callable[[V, float], V | None]) -> T:
    """Call `put` with the variables, then with progressively shortened ones until the prompt fits, and return what
    `put` returns.

    `smaller` takes a fraction (0..1) and returns the variables reduced to about that fraction of their length, or None
    if nothing more can be omitted. An engine that does not declare its context size may reject several prompts before
    one fits. Raises PromptTooLong, and any error that `put` raises.
    """
    refusals = 0
    while True:
        try:
            return put(variables)
        except PromptTooLong as error:
            refusals += error.share is None
            less = smaller(variables, error.share or 0.5) if refusals < _MOST_REFUSALS else None
            if less is None:
                raise
            variables = less
