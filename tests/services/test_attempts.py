"""Work in an open folder is repeated once if its documents are damaged, and if a shard is lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.engines.roles import Role
from investigator.errors import DamagedDocumentError, InvestigatorError, ShardLostError
from investigator.records import AskedQuestions, BatchEnded, Event, Notice
from investigator.services.open_folder import OpenFolder, open_folder, repeated

DAMAGED = DamagedDocumentError("a.txt is damaged", document_ids=("a.txt",))
LOST = ShardLostError("shard 1 is silent")


class Work:
    """Work that fails with the given errors, then succeeds; `again` are the documents that each attempt was given."""

    def __init__(self, *errors: InvestigatorError) -> None:
        self.again: list[frozenset[str]] = []
        self._errors = list(errors)

    def __call__(self, _: OpenFolder, again: frozenset[str]) -> Iterator[Event]:
        self.again.append(again)
        if self._errors:
            raise self._errors.pop()
        yield from ()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[OpenFolder]:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("The rent is 5 dollars.", encoding="utf-8")
    place = Investigator(tmp_path / "documents", embedder=ScriptedEmbedder(), workspace=tmp_path / "w")
    with open_folder(place, dict.fromkeys(Role, place.parts.extractive)) as opened:
        yield opened


def notices_of(folder: OpenFolder, work: Work) -> list[str]:
    return [event.text for event in repeated(nullcontext(folder), work) if isinstance(event, Notice)]


def test_a_damaged_document_is_read_again_and_the_work_repeated(folder: OpenFolder) -> None:
    work = Work(DAMAGED)
    assert notices_of(folder, work) == ["A.txt is damaged; it is read again."]
    assert work.again == [frozenset(), {"a.txt"}]


@pytest.mark.parametrize("error", [DAMAGED, LOST])
def test_what_happens_again_is_an_error(folder: OpenFolder, error: InvestigatorError) -> None:
    work = Work(error, error)
    with pytest.raises(type(error)):
        notices_of(folder, work)
    assert len(work.again) == 2


def test_a_question_of_many_is_asked_once_more_when_a_shard_is_lost(
    folder: OpenFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    investigated, failures = OpenFolder.investigated, [LOST]

    def losing(*given: Any, **named: Any) -> Iterator[Event]:
        if failures:
            raise failures.pop()
        yield from investigated(*given, **named)

    monkeypatch.setattr(OpenFolder, "investigated", losing)
    place = Investigator(tmp_path / "documents", embedder=ScriptedEmbedder(), workspace=tmp_path / "v")
    *_, last = place.investigate_all(["How much is the rent?"])
    assert isinstance(last, BatchEnded)
    assert isinstance(last.outcome, AskedQuestions)
    assert [outcome.failure for outcome in last.outcome.outcomes] == [""]
    failures[:] = [LOST, LOST]
    with pytest.raises(ShardLostError):
        list(place.investigate_all(["What is the rent?"]))


def test_a_folder_whose_reading_fails_is_read_again(folder: OpenFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, failures, work = folder.read, [LOST], Work()

    def read(again: frozenset[str] = frozenset()) -> Iterator[Event]:
        if failures:
            raise failures.pop()
        yield from reading(again)

    monkeypatch.setattr(folder, "read", read)
    lost = "A part of the index was lost: shard 1 is silent. The shards are reopened."
    assert notices_of(folder, work) == [lost]
    assert len(work.again) == 1
