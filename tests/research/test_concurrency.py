"""Concurrent work: results and errors are in order, and never more tasks run at once than there are workers."""

from __future__ import annotations

import contextvars
import threading

import pytest

from investigator.research.concurrency import in_order


def test_results_come_in_the_order_of_the_items_whichever_is_done_first() -> None:
    done = [threading.Event() for _ in range(4)]

    def backwards(item: int) -> int:
        if item < 3:
            assert done[item + 1].wait(20)
        done[item].set()
        return item * item

    assert list(in_order(backwards, range(4), workers=4)) == [0, 1, 4, 9]


def test_an_error_comes_after_the_results_before_it_and_what_was_not_begun_is_not_begun() -> None:
    begun: list[int] = []

    def work(item: int) -> int:
        begun.append(item)
        if item == 2:
            raise ValueError("no")
        if item > 2:
            threading.Event().wait(0.05)  # for the error to be noticed
        return item

    results = in_order(work, range(40), workers=1)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="no"):
        next(results)
    assert len(begun) < 20


def test_never_more_is_in_work_than_there_are_workers() -> None:
    inside, most, lock = 0, 0, threading.Lock()
    both = threading.Barrier(3, timeout=20)

    def work(_: int) -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        both.wait()
        with lock:
            inside -= 1

    assert len(list(in_order(work, range(12), workers=3))) == 12
    assert most == 3


MARK: contextvars.ContextVar[str] = contextvars.ContextVar("mark", default="none")


def test_work_sees_the_context_of_its_caller() -> None:
    token = MARK.set("mine")
    try:
        assert list(in_order(lambda _: MARK.get(), range(3), workers=2)) == ["mine"] * 3
    finally:
        MARK.reset(token)
