"""Tests of DataLoader."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import pytest

from investigator.dialogue.data import DataLoader
from investigator.errors import DialogueError


def test_what_is_requested_is_loaded_and_received_as_a_future_that_is_done() -> None:
    received: list[int] = []
    loader = DataLoader()

    def receive(future: Future[int]) -> None:
        assert future.done()
        received.append(future.result())

    loader.request_load(receive, lambda a, b: a + b, (1, 2))
    loader.request_load(receive, lambda *, a, b: a * b, {"a": 3, "b": 4})
    loader.shutdown()

    assert received == [3, 12]


def test_an_error_of_the_loading_is_in_the_future_and_the_next_request_is_served() -> None:
    loader = DataLoader()

    failed = loader.request_load(lambda _: None, lambda: 1 // 0)
    good: Future[Any] = loader.request_load(lambda _: None, lambda: "good")

    with pytest.raises(ZeroDivisionError):
        failed.result(timeout=5)
    assert good.result(timeout=5) == "good"
    loader.shutdown()


def test_several_threads_load_side_by_side() -> None:
    together = threading.Barrier(3)
    loader = DataLoader({"num_load_threads": 3})

    futures = [loader.request_load(lambda _: None, together.wait, (5,)) for _ in range(3)]

    assert sorted(future.result(timeout=5) for future in futures) == [0, 1, 2]
    loader.shutdown()


def test_after_the_shutdown_no_thread_is_left_and_nothing_is_taken() -> None:
    loader = DataLoader({"num_load_threads": 2})
    futures = [loader.request_load(lambda _: None, pow, (2, number)) for number in range(20)]

    loader.shutdown()
    loader.shutdown()

    assert [future.result(timeout=0) for future in futures] == [2**number for number in range(20)]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("data-loader")]
    with pytest.raises(DialogueError, match="after shutdown"):
        loader.request_load(lambda _: None, pow, (2, 2))


def test_a_loader_needs_a_thread() -> None:
    with pytest.raises(DialogueError, match="num_load_threads"):
        DataLoader({"num_load_threads": 0})
