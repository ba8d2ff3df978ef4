"""Work in an open folder is repeated once if its documents are damaged, and if a shard is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.engines.roles import Role
from investigator.errors import DamagedDocumentError, InvestigatorError, ShardLostError
from investigator.records import Event, Notice
from investigator.services.open_folder import Attempts, OpenFolder, open_folder
from investigator.tracing.base import Traces


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[OpenFolder]:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("The rent is 5 dollars.", encoding="utf-8")
    place = Investigator(tmp_path / "documents", embedder=ScriptedEmbedder(), workspace=tmp_path / "w")
    with open_folder(place, dict.fromkeys(Role, place.parts.extractive), Traces()) as opened:
        yield opened


def notices_of(folder: OpenFolder, work: Callable[[Attempts], None]) -> list[str]:
    events: list[Event] = []
    for attempt in Attempts(folder):
        with attempt:
            events += attempt.prepared()
            work(attempt)
    return [event.text for event in events if isinstance(event, Notice)]


def test_a_damaged_document_is_read_again_and_the_work_repeated(folder: OpenFolder) -> None:
    seen: list[frozenset[str]] = []

    def work(attempt: Attempts) -> None:
        seen.append(attempt.again)
        if not attempt.again:
            raise DamagedDocumentError("a.txt differs from its file", document_ids=("a.txt",))

    assert notices_of(folder, work) == ["A.txt differs from its file; it is read again."]
    assert seen == [frozenset(), {"a.txt"}]


@pytest.mark.parametrize(
    "error", [DamagedDocumentError("a.txt is damaged", document_ids=("a.txt",)), ShardLostError("shard 1 is silent")]
)
def test_what_happens_again_is_an_error(folder: OpenFolder, error: InvestigatorError) -> None:
    attempts: list[Attempts] = []

    def work(attempt: Attempts) -> None:
        attempts.append(attempt)
        raise error

    with pytest.raises(type(error)):
        notices_of(folder, work)
    assert len(attempts) == 2


def test_a_folder_whose_reading_fails_is_read_again(folder: OpenFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = folder.read
    failures = [ShardLostError("shard 1 is silent")]

    def read(again: frozenset[str] = frozenset()) -> Iterator[Event]:
        if failures:
            raise failures.pop()
        yield from reading(again)

    monkeypatch.setattr(folder, "read", read)
    done: list[Attempts] = []
    lost = "A part of the index was lost: shard 1 is silent. The shards are reopened."
    assert notices_of(folder, done.append) == [lost]
    assert len(done) == 1
