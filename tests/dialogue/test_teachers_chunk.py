"""ChunkTeacher: memory is bounded, errors are raised, and threads end."""

from __future__ import annotations

import gc
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import pytest

from investigator.dialogue.messages import Message
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers import ChunkTeacher
from investigator.errors import DialogueError


class Sample:
    """Counts the instances that exist at one time."""

    alive: ClassVar[int] = 0
    most: ClassVar[int] = 0
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, text: str) -> None:
        self.text = text
        with self._lock:
            Sample.alive += 1
            Sample.most = max(Sample.most, Sample.alive)

    def __del__(self) -> None:
        with self._lock:
            Sample.alive -= 1


class Generated(ChunkTeacher[Sample]):
    per_chunk = 3
    chunks: ClassVar[list[int]] = [0, 1, 2]

    def get_num_samples(self, opt: Opt) -> tuple[int, int]:
        return self.per_chunk * len(self.chunks), self.per_chunk * len(self.chunks)

    def get_fold_chunks(self, opt: Opt) -> list[int]:
        return self.chunks

    def load_from_chunk(self, chunk_idx: int) -> Iterable[Sample]:
        return (Sample(f"{chunk_idx}.{number}") for number in range(self.per_chunk))

    def create_message(self, queue_output: Sample, entry_idx: int = 0) -> Message:
        return Message(text=queue_output.text, labels=["y"], episode_done=True)

    def get_buffersize(self) -> int:
        return 10


class Large(Generated):
    per_chunk = 100
    chunks: ClassVar[list[int]] = list(range(20))


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    if _loaders():  # those of teachers that nothing refers to end once they are collected
        gc.collect()
    assert not _loaders()


def _loaders() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("chunk-loader")]


IN_ORDER = [f"{chunk}.{number}" for chunk in range(3) for number in range(3)]


def test_no_more_samples_are_in_memory_than_the_buffer_holds() -> None:
    gc.collect()
    Sample.most = Sample.alive
    teacher = Large({"datatype": "valid"})
    seen = sum(1 for _ in iter(lambda: teacher.act().is_padding(), True))
    teacher.shutdown()
    assert seen == 2_000
    assert Sample.most <= 10 + 3  # and one with the loader, one asked, one before it


@pytest.mark.parametrize("datatype", ["train:evalmode", "train:ordered:stream"])
def test_samples_come_in_order_and_the_end_is_known_with_the_padding(datatype: str) -> None:
    teacher = Generated({"datatype": datatype})
    acts = [(teacher.act().text, teacher.epoch_done()) for _ in range(11)]
    assert acts == [*((text, False) for text in IN_ORDER), ("", True), ("", True)]
    for _ in range(2):
        teacher.reset()
        assert [teacher.act().text for _ in range(5)] == IN_ORDER[:5]
    teacher.shutdown()


def test_in_training_chunks_and_samples_are_shuffled_and_begun_anew_the_same_for_the_same_seed() -> None:
    def texts(seed: int) -> list[str]:
        teacher = Generated({"datatype": "train", "seed": seed})
        try:
            return [teacher.act().text for _ in range(18)]
        finally:
            teacher.shutdown()

    first = texts(1)
    assert sorted(first[:9]) == sorted(first[9:]) == IN_ORDER
    assert first[:9] != IN_ORDER
    assert all(len({text[0] for text in first[start : start + 3]}) == 1 for start in range(0, 18, 3))
    assert first == texts(1) != texts(2)


def test_an_error_of_the_loading_is_raised_when_its_turn_comes_each_time() -> None:
    class Broken(Generated):
        def load_from_chunk(self, chunk_idx: int) -> Iterable[Sample]:
            if chunk_idx == 1:
                raise OSError("disk on fire")
            return super().load_from_chunk(chunk_idx)

    teacher = Broken({"datatype": "valid"})
    assert [teacher.act().text for _ in range(3)] == IN_ORDER[:3]
    with pytest.raises(OSError, match="disk on fire"):
        teacher.act()
    with pytest.raises(DialogueError, match="could not be read completely"):
        teacher.act()
    teacher.shutdown()


def test_a_shutdown_ends_a_thread_that_waits_with_a_full_buffer() -> None:
    teacher = Large({"datatype": "train"})
    teacher.act()
    teacher.shutdown()
    teacher.shutdown()
    assert not _loaders()
    assert teacher.act().is_padding()


def test_copies_in_threads_take_each_sample_once_and_all_see_the_end() -> None:
    teacher = Large({"datatype": "valid"})
    seen: list[str] = []

    def work(copy: Large) -> None:
        while not (act := copy.act()).is_padding():
            seen.append(act.text)
        copy.shutdown()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [teacher.clone() for _ in range(4)]))
    teacher.shutdown()
    assert Counter(seen).most_common(1)[0][1] == 1
    assert len(seen) == 2_000


def test_iterating_reads_from_the_beginning_and_ends_its_thread_even_half_way() -> None:
    teacher = Generated({"datatype": "valid"})
    teacher.act()
    assert [act.text for act in teacher] == IN_ORDER
    for act in teacher:
        assert act.text == "0.0"
        break
    assert teacher.act().text == "0.1"
    teacher.shutdown()


def test_what_is_missing_is_named() -> None:
    with pytest.raises(DialogueError, match='"get_num_samples" must be overridden by ChunkTeacher'):
        ChunkTeacher({"datatype": "valid"}).num_examples()
