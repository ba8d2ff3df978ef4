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
    """Collects the pieces of one reply: its text, why it ended, its token counts and the server's error, if any.

    `seconds` is its time limit, or None; `clock` returns seconds. `late` is True if the time limit stopped the reply;
    `problem` is the error that stopped it.
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
        self.text = self.finish = ""
        self.usage: Mapping[str, int] = {}
        self.refusal: Mapping[str, object] = {}
        self.problem: BaseException | None = None
        self.late = False

    @property
    def elapsed(self) -> float:
        """Return the seconds since the reply began."""
        return self._clock() - self._began

    def take(self, piece: dict[str, Any]) -> None:
        """Take the next piece; an error in `hear` or the time limit ends the reply."""
        try:
            self._count(piece)
            self.refusal = piece.get("error") or self.refusal
            self.usage = piece.get("usage") or self.usage
            for choice in piece.get("choices", ()):
                self.finish = choice["finish_reason"] or self.finish
                more = choice["delta"].get("content") or ""
                self.text += more
                if more and self._hear is not None:
                    self._hear(self.text)
            if self._seconds is not None and self.elapsed >= self._seconds:
                self.late = True
                raise _OutOfTimeError
        finally:
            self.problem = sys.exception()  # llama.cpp stops at this exception, but does not pass it on

    def cut(self) -> Reply:
        """Return the text written within the time limit, as a truncated reply. Raises EngineTimeoutError."""
        if not self.text.strip():
            raise EngineTimeoutError(
                f"{self._model} was stopped after {self.elapsed:.0f} s, before it wrote a word: it had read "
                f"{self._read:,} of {self._to_read:,} tokens"
            )
        return Reply(
            text=self.text,
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
