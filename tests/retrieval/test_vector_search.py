"""A search before all vectors exist: its results, and that it computes no vector twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from investigator import Investigator, RunOptions, ScriptedEmbedder, load_settings
from investigator.engines.base import Vectors
from investigator.records import Answered, Embedded, Event, Notice, Search

QUESTION = "When did the mill burn down?"


class CountingEmbedder(ScriptedEmbedder):
    """An embedder that records the number of texts it received."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed(texts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Forty documents, of which one answers the question."""
    made = tmp_path / "documents"
    made.mkdir()
    for number in range(40):
        (made / f"{number:02}.txt").write_text(f"Parish number {number} sold grain and wool.", encoding="utf-8")
    (made / "mill.txt").write_text("The mill burned down in 1911.", encoding="utf-8")
    return made


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Embed nothing in advance, and few chunks for a question."""
    monkeypatch.setattr("investigator.retrieval.folder_index.EMBED_FIRST", 0)
    monkeypatch.setattr("investigator.retrieval.vector_search._CANDIDATES", 5)


def opened(folder: Path, embedder: CountingEmbedder) -> Investigator:
    return Investigator(folder, embedder=embedder, settings=load_settings(None, ["research.whole_tokens=0"]))


def last(events: list[Event]) -> Answered:
    assert isinstance(events[-1], Answered)
    return events[-1]


def test_a_question_embeds_only_the_passages_that_its_words_find(folder: Path) -> None:
    embedder = CountingEmbedder()
    events = list(opened(folder, embedder).investigate(QUESTION))
    answer = last(events).investigation.answer
    assert answer is not None
    assert [quote.document_id for quote in answer.citations] == ["mill.txt"]
    assert last(events).investigation.setup.search is Search.CANDIDATES
    assert sum(text.startswith("Parish number") for text in set(embedder.texts)) < 20
    assert any(isinstance(event, Notice) and "--vectors" in event.text for event in events)


def test_no_passage_is_embedded_twice(folder: Path) -> None:
    embedder = CountingEmbedder()
    made = opened(folder, embedder)
    for _ in range(2):
        with made.library() as library:
            library.passages((QUESTION,))
    passages = [text for text in embedder.texts if text != QUESTION]
    assert passages
    assert len(passages) == len(set(passages))
    list(made.index(vectors=True))
    passages = [text for text in embedder.texts if text != QUESTION]
    assert len(passages) == len(set(passages)) == 41


@pytest.mark.parametrize("search", [Search.WHOLE, Search.CANDIDATES])
def test_a_damaged_vector_changes_no_hit_and_is_computed_again(folder: Path, tmp_path: Path, search: Search) -> None:
    made = Investigator(folder, embedder=CountingEmbedder(), workspace=tmp_path / "w")
    list(made.index(vectors=True))
    with made.library(search=search) as library:
        before = library.passages((QUESTION,), "mill.txt")
    stored = "SELECT vector FROM vectors JOIN chunks ON id = chunk_id WHERE document_id = 'mill.txt'"
    with sqlite3.connect(tmp_path / "w" / "index.db") as connection:
        sound = connection.execute(stored).fetchall()
        connection.execute("UPDATE vectors SET vector = randomblob(length(vector))")
    with made.library(search=search) as library:
        assert library.passages((QUESTION,), "mill.txt") == before
    with sqlite3.connect(tmp_path / "w" / "index.db") as connection:
        assert connection.execute(stored).fetchall() == sound


def test_a_folder_that_lacks_few_vectors_gets_them_all_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("investigator.retrieval.folder_index.EMBED_FIRST", 41)
    embedder = CountingEmbedder()
    events = list(opened(folder, embedder).investigate(QUESTION))
    assert [event.total for event in events if isinstance(event, Embedded)] == [41]
    assert last(events).investigation.setup.search is Search.WHOLE


def test_what_candidates_find_does_not_depend_on_the_vectors_that_happen_to_be_there(folder: Path) -> None:
    made = opened(folder, CountingEmbedder())
    with made.library() as library:
        before = library.passages((QUESTION, "Who sold wool in parish 7?"))
    list(made.index(vectors=True))
    (folder / "more.txt").write_text("A note.", encoding="utf-8")  # one vector is missing again
    with made.library() as library:
        assert library.passages((QUESTION, "Who sold wool in parish 7?")) == before


def test_a_run_goes_on_in_the_search_that_it_began_with(folder: Path) -> None:
    made = opened(folder, CountingEmbedder())
    events = made.investigate(QUESTION)
    for event in events:
        if type(event).__name__ == "Started":
            break
    events.close()
    list(made.index(vectors=True))
    assert last(list(made.investigate(QUESTION))).investigation.setup.search is Search.CANDIDATES
    assert last(list(made.investigate(QUESTION, RunOptions(fresh=True)))).investigation.setup.search is Search.WHOLE


def test_a_question_can_be_asked_while_vectors_are_made(folder: Path) -> None:
    class Interrupted(CountingEmbedder):
        answered = 0

        def embed(self, texts: Sequence[str]) -> Vectors:
            if not self.answered and len(texts) == 41:
                self.answered = len(opened(folder, CountingEmbedder()).ask(QUESTION).citations)
            return super().embed(texts)

    embedder = Interrupted()
    making = opened(folder, embedder)
    list(making.index(vectors=True))
    assert embedder.answered
    assert making.status().without_vectors == 0
