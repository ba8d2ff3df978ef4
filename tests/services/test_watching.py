"""A folder is updated when it has settled, its questions are read again, and an error does not end the watch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from investigator.errors import EngineError, QuestionError, SettingsError, WorkspaceLockedError
from investigator.records import AskedAnew, BatchEnded, Event, Notice, StandingUpdate
from investigator.services.watching import RESCAN, folder_changes, settled, watched, with_file
from investigator.store.workspace import sole_watcher

A, B, NOTHING = frozenset(("a",)), frozenset(("b",)), frozenset[str]()


def moments(*noticed: tuple[float, frozenset[str]]) -> list[tuple[float, bool]]:
    """Return the moments at which a folder is updated, and whether it was quiet, for changes at certain seconds."""
    now = 0.0

    def changes() -> Iterator[frozenset[str]]:
        nonlocal now
        for now, paths in noticed:  # noqa: B007 - read by the clock
            yield paths

    return [(now, is_quiet) for is_quiet in settled(changes(), quiet=0.7, clock=lambda: now)]


def test_a_folder_is_updated_at_first_and_once_after_changes_have_settled() -> None:
    assert moments((0, NOTHING), (5, A), (5.2, B), (5.5, NOTHING), (6, NOTHING), (6.3, NOTHING)) == [
        (0, True),
        (6, True),
    ]


def test_a_file_that_grows_is_waited_for_but_not_for_ever() -> None:
    growing = [(1 + tenth / 2, A) for tenth in range(50)]
    assert moments((0, NOTHING), *growing) == [(0, True), (11, False), (21.5, False)]


def test_a_folder_without_signs_of_change_is_compared_now_and_then() -> None:
    assert moments((0, NOTHING), (9, NOTHING), (RESCAN + 1, NOTHING), (RESCAN + 2, NOTHING)) == [
        (0, True),
        (RESCAN + 1, True),
    ]


def noticed(source: Iterator[frozenset[str]], most: int = 100) -> frozenset[str]:
    """Return the names that change next, up to a quiet moment."""
    names: set[str] = set()
    for paths in (next(source) for _ in range(most)):
        names |= {Path(path).name for path in paths}
        if names and not paths:
            return frozenset(names)
    raise AssertionError(f"nothing more than {names} was noticed")


@pytest.mark.parametrize("polls", [False, True])
def test_new_changed_replaced_and_removed_files_are_noticed_but_not_hidden_ones(tmp_path: Path, polls: bool) -> None:
    folder, file = tmp_path / "folder", tmp_path / "questions.txt"
    (folder / "inside" / "workspace").mkdir(parents=True)
    (folder / "old.txt").write_text("old")
    (folder / "gone.txt").write_text("gone")
    os.utime(folder / "old.txt", (0, 0))  # polling compares whole seconds
    source = folder_changes(folder, folder / "inside" / "workspace", poll=0.1 if polls else None)
    source = with_file(source, file)
    assert next(source) == frozenset()
    (folder / "inside" / "new.txt").write_text("new")
    (folder / "inside" / "workspace" / "index.db").write_text("own")
    (folder / ".hidden").write_text("hidden")
    (folder / ".draft").write_text("another text")
    (folder / ".draft").replace(folder / "old.txt")
    (folder / "gone.txt").unlink()
    file.write_text("Who?\n")
    names = noticed(source)
    assert {"new.txt", "old.txt", "gone.txt", "questions.txt"} <= names
    assert not names & {"index.db", ".hidden", ".draft"}


def test_a_folder_that_is_replaced_is_watched_again(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    source = folder_changes(folder, tmp_path / "w")
    assert next(source) == frozenset()
    folder.rename(tmp_path / "away")
    assert "folder" in noticed(source)
    folder.mkdir()
    assert "folder" in noticed(source)
    (folder / "new.txt").write_text("new")
    assert "new.txt" in noticed(source)


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
    events = list(watched(lambda now: iter([outcome(now)]), file, [True] * 4))
    assert asked(events) == [["a?"], ["a?"], ["a?"], ["b?"]]
    assert notices(events) == ["no question; the 1 questions read before are kept."] * 2
    with pytest.raises(QuestionError):
        list(watched(lambda now: iter([outcome(now)]), Files("no question"), [True]))


def test_an_error_is_reported_and_does_not_end_the_watch_unless_it_is_the_first() -> None:
    errors = [None, EngineError("the server is away"), WorkspaceLockedError("process 7 is writing"), None]
    waits: list[float] = []

    def update(now: Sequence[str]) -> Iterator[Event]:
        if (error := errors.pop(0)) is not None:
            raise error
        yield outcome(now)

    events = list(watched(update, Files(["a?"]), [True, False, True], waits.append))
    assert asked(events) == [["a?"], ["a?"]]
    keeps_changing, away, locked = notices(events)
    assert "keeps changing" in keeps_changing
    assert away.startswith("the server is away; this is tried again")
    assert locked == "process 7 is writing; waiting for it to end."
    assert len(waits) == 1
    errors[:] = [EngineError("no key")]
    with pytest.raises(EngineError):
        list(watched(update, Files(["a?"]), [True]))


def test_a_second_watcher_of_a_workspace_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    with (
        sole_watcher(tmp_path),
        pytest.raises(SettingsError, match="is already watching"),
        sole_watcher(tmp_path),
    ):
        pass
    with sole_watcher(tmp_path):
        pass
