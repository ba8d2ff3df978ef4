"""Defines ChunkTeacher, which asks questions from data that is too large for memory and is loaded chunk by chunk."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.options import Opt, Options
from investigator.dialogue.teachers.base import FixedDialogTeacher, missing

Sample = TypeVar("Sample")


class ChunkTeacher(FixedDialogTeacher, Generic[Sample]):
    """A base class; subclasses implement `get_num_samples`, `get_fold_chunks`, `load_from_chunk` and `create_message`.
    A thread loads at most `get_buffersize` samples ahead, until `shutdown`. If the datatype shuffles, chunks and their
    samples come in random order. Data that does not repeat ends with the padding after the last sample. Copies take
    samples in turn. An error while loading is raised by `act`, after the samples before it.
    """

    def __init__(self, opt: Options = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self._owns_stream = "stream" not in (shared or {})

    def get_num_samples(self, opt: Opt) -> tuple[int, int]:
        """Return the number of examples and the number of episodes. To be overridden."""
        raise missing("get_num_samples", self)

    def get_fold_chunks(self, opt: Opt) -> list[int]:
        """Return the numbers of the chunks that belong to the fold. To be overridden."""
        raise missing("get_fold_chunks", self)

    def load_from_chunk(self, chunk_idx: int) -> Iterable[Sample]:
        """Return the samples of one chunk, as a list or an iterator; called on another thread. To be overridden."""
        raise missing("load_from_chunk", self)

    def create_message(self, queue_output: Sample, entry_idx: int = 0) -> Message:
        """Return one example from a sample, with `episode_done` true at the end of an episode. To be overridden."""
        raise missing("create_message", self)

    def get_buffersize(self) -> int:
        """Return the maximum number of samples to load ahead, at least 1."""
        return 100_000

    def num_examples(self) -> int:
        return self.get_num_samples(self.opt)[0]

    def num_episodes(self) -> int:
        return self.get_num_samples(self.opt)[1]

    def example_of(self, episode: Any, entry_idx: int) -> Message:
        return self.create_message(episode, entry_idx)

    def shutdown(self) -> None:
        """End the thread, unless another teacher owns it."""
        if self._owns_stream:
            self.stream.close()

    def episode_stream(self) -> Generator[tuple[Any, bool]]:
        """Yield the samples, which a thread reads ahead."""
        samples = self._samples()
        ahead: deque[Future[Sample | None]] = deque()
        thread = ThreadPoolExecutor(1, thread_name_prefix="chunk-loader")
        try:
            while True:
                for _ in range(2):  # one to yield, and one more, until the buffer is full
                    if len(ahead) < self.get_buffersize():
                        ahead.append(thread.submit(next, samples, None))
                sample = ahead.popleft().result()
                if sample is None:
                    return
                yield sample, False
        finally:
            thread.shutdown(cancel_futures=True)

    def _samples(self) -> Iterator[Sample]:
        order = random.Random(self.opt.number("seed", 0))
        chunks = list(self.get_fold_chunks(self.opt))
        repeats = True
        while repeats:
            repeats = False
            if self.datatype.shuffles:
                order.shuffle(chunks)
            for chunk in chunks:
                samples = self.load_from_chunk(chunk)
                if self.datatype.shuffles:
                    samples = list(samples)
                    order.shuffle(samples)
                for sample in samples:
                    repeats = self.datatype.cycles
                    yield sample
