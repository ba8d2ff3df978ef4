"""Defines ChunkTeacher, which asks questions from data that is too large for memory and is loaded chunk by chunk."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

from investigator.dialogue.agents import Shared, shared_part
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.options import Opt, Options
from investigator.dialogue.teachers.base import FixedDialogTeacher, missing
from investigator.errors import DialogueError, DialogueValueError

Sample = TypeVar("Sample")


class ChunkQueue(Generic[Sample]):
    """Reads samples from `load` in a thread, at most `size` ahead of the consumers; it starts with `take`."""

    def __init__(self, load: Callable[[], Iterator[Sample]], size: int) -> None:
        if size < 1:
            raise DialogueValueError(f"the buffer of a ChunkTeacher must have room for at least 1 sample, not {size}")
        self._load = load
        self._size = size
        self._lock = Lock()
        self._ahead: deque[Future[Sample | None]] = deque()
        self._begin()

    def take(self) -> Sample | None:
        """Return the next sample; None after the last one, or after `close`. If loading fails, the error is raised
        after the samples before it, each time.
        """
        with self._lock:
            for _ in range(2):  # one for this call, and one more, until the buffer is full
                if self._is_open and len(self._ahead) < self._size:
                    self._ahead.append(self._thread.submit(next, self._samples, None))
            if not self._ahead:
                return None
            sample = self._ahead[0].result()
            self._ahead.popleft()
            return sample

    def close(self) -> None:
        """End the thread and free the loaded samples; no examples can be taken until `restart`."""
        with self._lock:
            self._is_open = False
            self._thread.shutdown(cancel_futures=True)
            self._ahead.clear()

    def restart(self) -> None:
        """Start again with the first sample."""
        self.close()
        self._begin()

    def _begin(self) -> None:
        self._samples = self._load()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="chunk-loader")
        self._is_open = True


class ChunkTeacher(FixedDialogTeacher, Generic[Sample]):
    """A base class; subclasses implement `get_num_samples`, `get_fold_chunks`, `load_from_chunk` and `create_message`.
    A thread loads at most `get_buffersize` samples ahead, until `shutdown`. If the datatype shuffles, chunks and their
    samples come in random order. Data that does not repeat ends with the padding after the last sample. Copies take
    samples in turn. An error while loading is raised by `act`.
    """

    def __init__(self, opt: Options = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        common = shared_part(shared, "chunks", ChunkQueue)
        self._shares = common is not None
        self._queue: ChunkQueue[Sample] = common or ChunkQueue(self._samples, self.get_buffersize())
        self._sample: Sample | None = None

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
        """Return the maximum number of samples to load ahead."""
        return 100_000

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        """Raise DialogueError: chunks can be read only in order."""
        hint = "Take its examples with act, or iterate over it."
        raise DialogueError("a ChunkTeacher has no numbered episodes", hint=hint)

    def num_examples(self) -> int:
        return self.get_num_samples(self.opt)[0]

    def num_episodes(self) -> int:
        return self.get_num_samples(self.opt)[1]

    def next_example(self) -> tuple[Message, bool]:
        self.entry_idx += 1
        if self._episode_done:
            self._sample, self.entry_idx = self._queue.take(), 0
        if self._sample is None:
            return Message.padding_example(), True
        example = Message.of(self.create_message(self._sample, self.entry_idx))
        self._episode_done = bool(example.get(EPISODE_DONE))
        return example, False

    def reset(self) -> None:
        super().reset()
        self._sample = None
        self._queue.restart()

    def share(self) -> dict[str, object]:
        return {**super().share(), "chunks": self._queue}

    def shutdown(self) -> None:
        """End the thread, unless another teacher owns it."""
        if not self._shares:
            self._queue.close()

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
