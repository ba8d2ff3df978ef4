"""HistorySelector: the memories worth keeping in mind (seed: generative_agents, "History Selector")."""

from __future__ import annotations

from collections.abc import Iterable

from investigator.records import Memory


class HistorySelector:
    """Selects the memories with a high score from a MemoryStream."""

    def __init__(self, memory_stream: Iterable[Memory]) -> None:
        self.memory_stream = memory_stream
        self.history: tuple[Memory, ...] = ()

    def select(self, threshold: int) -> tuple[Memory, ...]:
        """Return the memories whose point is at or above the threshold (0..100), in order; unparsed memories are
        excluded.
        """
        self.history = tuple(m for m in self.memory_stream if m.point is not None and m.point >= threshold)
        return self.history

    def get_history(self) -> tuple[Memory, ...]:
        """Return the last selection; empty before the first selection."""
        return self.history
