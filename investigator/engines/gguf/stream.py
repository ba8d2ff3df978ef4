"""Passes on a streamed reply from llama.cpp, and stops it at its time limit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from investigator.engines.base import Hear
from investigator.errors import EngineTimeoutError
from investigator.records import FinishReason, Reply, Writing


class _OutOfTimeError(Exception):
    """Raised inside the callback to stop a reply; llama.cpp stops on any exception."""


class ReplyStream:
    """Collects the pieces of one reply; `seconds` is its time limit, or None. `clock` returns seconds. `late` is True
    if the time limit stopped the reply.
    """

    def __init__(
        self,
        model: str,
        most: int,
        clock: Callable[[], float],
        hear: Hear | None = None,
        on_writing: Callable[[Writing], None] | None = None,
        seconds: float | None = None,
    ) -> None:
        self._model = model
        self._most = most
        self._clock = clock
        self._hear = hear
        self._on_writing = on_writing
        self._seconds = seconds
        self._began = clock()
        self._wrote_from = 0.0
        self._read = self._to_read = self._written = 0
        self._pieces: list[dict[str, Any]] = []
        self._said = ""
        self._problem: BaseException | None = None
        self.late = False

    @property
    def elapsed(self) -> float:
        """Return the seconds since the reply began."""
        return self._clock() - self._began

    def take(self, piece: dict[str, Any]) -> None:
        """Take the next piece; an error in `hear` or the time limit ends the reply."""
        self._pieces.append(piece)
        try:
            self._count(piece)
            if more := "".join(choice["delta"].get("content") or "" for choice in piece.get("choices", ())):
                self._said += more
                if self._hear is not None:
                    self._hear(self._said)
            if self._seconds is not None and self.elapsed >= self._seconds:
                self.late = True
                raise _OutOfTimeError
        finally:
            self._problem = sys.exception()  # llama.cpp stops at this exception, but does not pass it on

    def whole(self) -> dict[str, Any]:
        """Return the complete response, or the server's error. Raises the error that `hear` raised, if any."""
        if self._problem is not None:
            raise self._problem
        failed = next((piece for piece in self._pieces if "error" in piece), None)
        if failed is not None:
            return failed
        ends = [one["finish_reason"] for piece in self._pieces for one in piece["choices"] if one["finish_reason"]]
        if not ends or "usage" not in self._pieces[-1]:
            raise RuntimeError("the model stopped in the middle of a reply")
        return {**self._pieces[-1], "choices": [{"finish_reason": ends[-1], "message": {"content": self._said}}]}

    def cut(self) -> Reply:
        """Return the text written within the time limit, as a truncated reply. Raises EngineTimeoutError."""
        if not self._said.strip():
            raise EngineTimeoutError(
                f"{self._model} was stopped after {self.elapsed:.0f} s, before it wrote a word: it had read "
                f"{self._read:,} of {self._to_read:,} tokens"
            )
        return Reply(
            text=self._said,
            input_tokens=self._to_read,
            output_tokens=self._written,
            finish_reason=FinishReason.LENGTH,
            seconds=self.elapsed,
        )

    def _count(self, piece: Mapping[str, Any]) -> None:
        if (reading := piece.get("prompt_progress")) is not None:
            self._read, self._to_read = reading["processed"], reading["total"]
        written = piece.get("timings", {}).get("predicted_n", 0)
        if written and not self._written:
            self._wrote_from = self.elapsed
        self._written = max(self._written, written)
        if self._on_writing is not None:
            seconds = self.elapsed - (self._wrote_from if self._written else 0.0)
            writing = Writing(
                engine=self._model,
                read=self._read,
                to_read=self._to_read,
                written=self._written,
                most=self._most,
                seconds=round(seconds, 3),
            )
            self._on_writing(writing)
