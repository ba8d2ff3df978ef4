"""Built data, tokens and their indices, and data loaded in threads."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.dialogue.data import (
    END,
    SPECIAL,
    START,
    UNKNOWN,
    DataLoader,
    Dictionary,
    build,
    built,
    tokens_of,
)
from investigator.errors import DialogueError


def writes(text: str, calls: list[str]) -> object:
    def make(folder: Path) -> None:
        assert list(folder.iterdir()) == []
        calls.append(text)
        (folder / "data.txt").write_text(text, encoding="utf-8")

    return make


def test_data_are_built_once_for_each_version(tmp_path: Path) -> None:
    folder, calls = tmp_path / "deep" / "data", list[str]()
    assert build(folder, "1.0", writes("one", calls))
    assert not build(folder, "1.0", writes("again", calls))
    assert build(folder, "2.0", writes("two", calls))
    assert calls == ["one", "two"]
    assert (folder / "data.txt").read_text(encoding="utf-8") == "two"
    assert built(folder, "2.0")
    assert not built(folder, "1.0")


def test_a_build_that_fails_leaves_the_older_data(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    build(folder, "1", writes("one", []))

    def fails(new: Path) -> None:
        (new / "data.txt").write_text("half", encoding="utf-8")
        raise ValueError("stopped")

    with pytest.raises(ValueError, match="stopped"):
        build(folder, "2", fails)
    assert built(folder, "1")
    assert (folder / "data.txt").read_text(encoding="utf-8") == "one"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".data.lock", "data"]


def test_somebody_elses_files_are_not_replaced_and_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DialogueError, match="not built here"):
        build(tmp_path, "1", writes("one", []))
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"
    with pytest.raises(DialogueError, match="cannot be built"):
        build(tmp_path / "notes.txt" / "data", "1", writes("one", []))


@settings(max_examples=30)
@given(st.text())
def test_any_text_that_was_added_comes_back_as_it_was(text: str) -> None:
    dictionary = Dictionary([text])
    assert dictionary.decode(dictionary.encode(text)) == text
    assert set(tokens_of(f"{text} __unk__ __start__{text}")).isdisjoint(SPECIAL)


def test_words_and_signs_are_tokens_with_the_space_before_them() -> None:
    assert tokens_of("It's 4 km, no more.") == ["It", "'", "s", " 4", " km", ",", " no", " more", "."]


def test_an_unknown_token_has_the_index_of_unknown_and_start_and_end_are_silent() -> None:
    dictionary = Dictionary(["the mill"])
    assert dictionary.encode("the fox") == [len(SPECIAL), dictionary.index(UNKNOWN)]
    assert dictionary.decode(dictionary.encode("the fox")) == "the" + UNKNOWN
    framed = [dictionary.index(START), *dictionary.encode("the mill"), dictionary.index(END)]
    assert dictionary.decode(framed) == "the mill"


def test_what_is_requested_is_loaded_and_received_as_a_future_that_is_done() -> None:
    received: list[int] = []
    loader = DataLoader()

    def receive(future: Future[int]) -> None:
        assert future.done()
        received.append(future.result())

    failed = loader.request_load(lambda _: None, lambda: 1 // 0)
    loader.request_load(receive, lambda a, b: a + b, (1, 2))
    loader.request_load(receive, lambda *, a, b: a * b, {"a": 3, "b": 4})
    with pytest.raises(ZeroDivisionError):
        failed.result(timeout=5)
    loader.shutdown()
    assert received == [3, 12]


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
    with pytest.raises(RuntimeError, match="after shutdown"):
        loader.request_load(lambda _: None, pow, (2, 2))
