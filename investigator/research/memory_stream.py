"""MemoryStream: every question and reply, in order (seed: generative_agents, "MemoryStream")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from investigator.records import Memory, PointStatus, Reading


class MemoryStream:
    """An append-only list that assigns unique ids, starting at 1. `keep` is called with each new memory before it is
    added, so everything in the stream is also in the store.
    """

    def __init__(self, memories: Iterable[Memory] = (), *, keep: Callable[[Memory], None] = lambda _: None) -> None:
        self._memories = list(memories)
        self._keep = keep

    def add(self, target_document_id: str, question: str, reading: Reading) -> Memory:
        """Remember a question and its result; a point of None is stored as unparsed."""
        memory = Memory(
            id=max((m.id for m in self._memories), default=0) + 1,
            target_document_id=target_document_id,
            question=question,
            status=PointStatus.UNPARSED if reading.point is None else PointStatus.SCORED,
            **dict(reading),
        )
        self._keep(memory)
        self._memories.append(memory)
        return memory

    def get(self, memory_id: int) -> Memory:
        """Return the memory with that id. Raises KeyError if it does not exist."""
        for memory in self._memories:
            if memory.id == memory_id:
                return memory
        raise KeyError(memory_id)

    def __iter__(self) -> Iterator[Memory]:
        return iter(tuple(self._memories))

    def __len__(self) -> int:
        return len(self._memories)
