"""A folder is updated when it has settled, its questions are read again, and an error does not end the watch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Event as Signal
from threading import Thread
from typing import Any

import pytest

from investigator.errors import EngineError, QuestionError, RunError, SettingsError, WorkspaceLockedError
from investigator.records import AskedAnew, BatchEnded, Event, Notice, StandingUpdate
from investigator.services.watching import moments, watched
from investigator.store.workspace import sole_watcher


class Watched:
    """A folder that is watched in another thread; counts the moments at which it would be updated."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self._stop, self._moments = Signal(), Queue[None]()
        self._source = moments(folder, folder / "inside" / "workspace", stop=self._stop, **options)
        self._thread = Thread(target=self._watch)

    def _watch(self) -> None:
        for moment in self._source:
            self._moments.put(moment)

    def __enter__(self) -> Watched:
        self._thread.start()
        self.next()  # the first one comes without a change
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def next(self) -> None:
        self._moments.get(timeout=30)

    def is_quiet(self, seconds: float) -> bool:
        with suppress(Empty):
            self._moments.get(timeout=seconds)
            return False
        return True


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "folder"
    (place / "inside" / "workspace").mkdir(parents=True)
    (place / "old.txt").write_text("old")
    os.utime(place / "old.txt", (0, 0))  # polling compares whole seconds
    return place


@pytest.mark.parametrize("poll", [None, 0.1])
def test_new_replaced_and_removed_files_are_noticed_but_not_hidden_ones(folder: Path, poll: float | None) -> None:
    with Watched(folder, poll=poll) as watching:
        (folder / "inside" / "workspace" / "index.db").write_text("own")
        (folder / ".draft").write_text("another text")
        assert watching.is_quiet(1.5)
        (folder / ".draft").replace(folder / "old.txt")
        watching.next()
        (folder / "old.txt").unlink()
        watching.next()
        (folder / "inside" / "new.txt").write_text("new")
        watching.next()
        assert watching.is_quiet(1.5)


def test_many_changes_are_one_moment_after_a_growing_file_is_complete(folder: Path) -> None:
    with Watched(folder) as watching:
        for number in range(500):
            (folder / f"{number}.txt").write_text("new")
        with (folder / "grows.txt").open("w") as file:
            for _ in range(10):
                file.write("more")
                file.flush()
                assert watching.is_quiet(0.1)
        watching.next()
        assert watching.is_quiet(1.5)


def test_a_changed_file_of_questions_counts_and_a_folder_is_compared_now_and_then(folder: Path) -> None:
    questions = folder.parent / "questions.txt"
    with Watched(folder, file=questions) as watching:
        questions.write_text("Who?\n")
        watching.next()
        assert watching.is_quiet(1)
    with Watched(folder, rescan=1.0) as watching:
        watching.next()


def test_a_folder_that_is_replaced_is_watched_again(folder: Path) -> None:
    with Watched(folder) as watching:
        folder.rename(folder.parent / "away")
        watching.next()
        folder.mkdir()
        watching.next()
        (folder / "new.txt").write_text("new")
        watching.next()


def outcome(questions: Sequence[str]) -> BatchEnded:
    return BatchEnded(
        outcome=StandingUpdate(at="", asked=tuple(AskedAnew(question=q, differs=True) for q in questions))
    )


class Files:
    """Lists of questions, one after the other; a message stands for a file that cannot be read."""

    def __init__(self, *read: Sequence[str] | str) -> None:
        self._read = list(read)

    def __call__(self) -> Sequence[str]:
        listed = self._read.pop(0) if len(self._read) > 1 else self._read[0]
        if isinstance(listed, str):
            raise QuestionError(listed)
        return listed


def asked(events: Sequence[Event]) -> list[list[str]]:
    return [
        [each.question for each in event.outcome.asked]
        for event in events
        if isinstance(event, BatchEnded) and isinstance(event.outcome, StandingUpdate)
    ]


def notices(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


def test_the_questions_are_read_again_and_kept_while_their_file_is_broken() -> None:
    file = Files(["a?"], "no question", "no question", ["b?"])
    events = list(watched(lambda now: iter([outcome(now)]), file, [None] * 4))
    assert asked(events) == [["a?"], ["a?"], ["a?"], ["b?"]]
    assert notices(events) == ["no question; the 1 questions read before are kept."] * 2
    with pytest.raises(QuestionError):
        list(watched(lambda now: iter([outcome(now)]), Files("no question"), [None]))


def test_an_error_is_reported_and_does_not_end_the_watch_unless_it_is_the_first() -> None:
    errors = [None, EngineError("the server is away"), WorkspaceLockedError("process 7 is writing"), None]
    waits: list[float] = []

    def update(now: Sequence[str]) -> Iterator[Event]:
        if (error := errors.pop(0)) is not None:
            raise error
        yield outcome(now)

    events = list(watched(update, Files(["a?"]), [None] * 3, waits.append))
    assert asked(events) == [["a?"], ["a?"]]
    away, locked = notices(events)
    assert away.startswith("the server is away; this is tried again")
    assert locked == "process 7 is writing; waiting for it to end."
    assert len(waits) == 1
    errors[:] = [EngineError("no key")]
    with pytest.raises(EngineError):
        list(watched(update, Files(["a?"]), [None]))
    errors[:] = [WorkspaceLockedError("process 7 is writing")] * 9
    with pytest.raises(RunError, match="process 7 is writing; after 0 minutes, nothing was asked"):
        list(watched(update, Files(["a?"]), [None], waits.append, patience=8))
    assert len(waits) == 1 + 4


def test_a_second_watcher_of_a_workspace_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    with (
        sole_watcher(tmp_path),
        pytest.raises(SettingsError, match="is already watching"),
        sole_watcher(tmp_path),
    ):
        pass
    with sole_watcher(tmp_path):
        pass
