"""The layer that answers from the journal of earlier calls, so that nothing is paid for twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from investigator.asking.call import Call, Layer
from investigator.records import Prompt, Reply, Usage


class CallJournal(Protocol):
    """Keeps calls; `keep` and `keep_too_long` return only when it is safe.

    `too_long` gives the tokens of a prompt that did not fit into the engine's context, or 0 if the engine refused it
    without a count: then it is not to be sent again.
    """

    def find(self, key: str) -> Reply | None: ...
    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None: ...
    def too_long(self, key: str) -> int | None: ...
    def keep_too_long(self, key: str, tokens: int) -> None: ...
    def usage(self) -> Usage: ...
    def elapsed(self) -> float: ...


class Journaled:
    """Returns the kept reply of a call if there is one; each of `on_reuse` is told of it.

    A new reply is kept by the layer of the budget (`Budgeted`): what a call has cost must be known in the same moment
    as the call is no longer under way.
    """

    def __init__(
        self, inner: Layer, journal: CallJournal, on_reuse: Sequence[Callable[[Call, Reply], None]] = ()
    ) -> None:
        self._inner = inner
        self._journal = journal
        self._on_reuse = on_reuse

    def __call__(self, call: Call) -> Reply:
        """Return the kept reply, else that of the layer inside. Raises StoreError."""
        kept = self._journal.find(call.key)
        if kept is None:
            return self._inner(call)
        for tell in self._on_reuse:
            tell(call, kept)
        return kept
