"""Records the calls of all processes of a tuning run, and the replies of its proposer, in an append-only file."""

from __future__ import annotations

import threading
from pathlib import Path

from investigator.evaluation.lines import RecordFile
from investigator.records import Prompt, Record, Reply, Usage, together, usage_of
from investigator.scoring.prices import Prices, priced

PROPOSE = "tuning/propose"
"""The template of a proposer's prompt; replies to it are stored in this ledger, all other replies in their runs."""


class LedgerLine(Record):
    """The usage that a step of a call adds; only the proposer's lines have a `reply`."""

    key: str
    usage: Usage = Usage()
    reply: Reply | None = None


class TuningLedger:
    """Counts every call in a tuning run at its start, and corrects the cost at its end, so a call ended by a kill also
    counts. Thread-safe. Raises StoreError and DataError.
    """

    def __init__(self, path: Path, prices: Prices) -> None:
        self._file = RecordFile(path, LedgerLine, "a call of a tuning run")
        self._prices = prices
        self._writing = threading.Lock()
        lines = list(self._file.read())
        self._spent = together(*(line.usage for line in lines))
        self._replies = {line.key: line.reply for line in lines if line.reply is not None}
        self._begun: dict[str, Usage] = {}

    def find(self, key: str) -> Reply | None:
        """Return the proposer's reply stored under a key."""
        return self._replies.get(key)

    def begin(self, key: str, engine: str, tokens: int) -> None:
        """Record that a call is about to be made."""
        self._begun[key] = priced(Usage(calls=1, input_tokens=tokens, unanswered=1), self._prices.price_of(engine))
        self._add(LedgerLine(key=key, usage=self._begun[key]))

    def withdraw(self, key: str, *, sent: bool) -> None:
        """Record that a call got no reply; a call that was `sent` still counts."""
        if not sent:
            self._add(LedgerLine(key=key, usage=_less(Usage(), self._begun[key])))

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        """Record the cost of a call."""
        usage = _less(priced(usage_of(reply), self._prices.price_of(engine)), self._begun[key])
        self._add(LedgerLine(key=key, usage=usage, reply=reply if prompt.template == PROPOSE else None))

    def too_long(self, key: str) -> int | None:
        """Return None, because no refused prompt of a proposer is asked for again."""
        return None

    def keep_too_long(self, key: str, tokens: int) -> None:
        """Keep nothing: the refusal ends the search."""

    def usage(self) -> Usage:
        """Return the cost of all processes, including calls in progress or lost."""
        return self._spent

    def elapsed(self) -> float:
        """Return 0.0, because a tuning run has no time limit."""
        return 0.0

    def _add(self, line: LedgerLine) -> None:
        with self._writing:
            self._file.append(line)
            self._spent = together(self._spent, line.usage)
            if line.reply is not None:
                self._replies[line.key] = line.reply


def _less(usage: Usage, begun: Usage) -> Usage:
    return Usage(**{name: value - getattr(begun, name) for name, value in usage})
