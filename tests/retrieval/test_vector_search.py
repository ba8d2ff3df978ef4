"""A search before all vectors exist, and stored vectors of sentences: computed once, deleted with their passage, and
never altered.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from investigator import Investigator, RunOptions, ScriptedEmbedder, load_settings
from investigator.engines.base import Vectors
from investigator.records import Answered, Embedded, Event, Notice, Search

QUESTION = "When did the mill burn down?"
TEXT = "The mill burned down in 1911. It was rebuilt by the parish two years later. The miller was not hurt."
FIRST = "The mill burned down in 1911."
NONE_AHEAD = "investigator.retrieval.folder_index._SENTENCES_UP_TO"


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
            library.passages(QUESTION)
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
        before = library.passages(QUESTION, "mill.txt")
    stored = "SELECT vector FROM vectors JOIN chunks ON id = chunk_id WHERE document_id = 'mill.txt'"
    with sqlite3.connect(tmp_path / "w" / "index.db") as connection:
        sound = connection.execute(stored).fetchall()
        connection.execute("UPDATE vectors SET vector = randomblob(length(vector))")
    with made.library(search=search) as library:
        assert library.passages(QUESTION, "mill.txt") == before
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
        before = library.passages(QUESTION)
    list(made.index(vectors=True))
    (folder / "more.txt").write_text("A note.", encoding="utf-8")  # one vector is missing again
    with made.library() as library:
        assert library.passages(QUESTION) == before


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


@pytest.fixture
def mill(tmp_path: Path) -> Path:
    """A folder with one document of three sentences."""
    made = tmp_path / "documents"
    made.mkdir()
    (made / "mill.txt").write_text(TEXT, encoding="utf-8")
    return made


def rows(workspace: Path) -> int:
    with sqlite3.connect(workspace / "index.db") as connection:
        return int(connection.execute("SELECT count(*) FROM sentence_vectors").fetchone()[0])


def at_mill(mill: Path, *settings: str) -> tuple[Investigator, CountingEmbedder]:
    embedder = CountingEmbedder()
    set_to = load_settings(None, settings)
    return Investigator(mill, embedder=embedder, workspace=mill.parent / "w", settings=set_to), embedder


def test_sentences_are_embedded_with_the_index_and_not_for_a_question(
    mill: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, embedder = at_mill(mill)
    list(made.index(vectors=True))
    assert FIRST in embedder.texts
    assert rows(mill.parent / "w") == 3
    again, embedder = at_mill(mill)
    with again.library() as library:
        result = library.passages(QUESTION)
    assert embedder.texts == [QUESTION]
    (mill.parent / "w" / "index.db").unlink()
    monkeypatch.setattr(NONE_AHEAD, 0)
    anew, _ = at_mill(mill)
    with anew.library() as library:
        assert library.passages(QUESTION) == result


def test_a_sentence_that_is_cut_by_the_border_of_two_passages_is_embedded_with_the_index(mill: Path) -> None:
    cut = f"The old mill at the river burned down in the night, {'and the wind drove the fire on, ' * 5}to the barn."
    (mill / "mill.txt").write_text(cut, encoding="utf-8")
    small = ("chunks.target=100",)
    made, embedder = at_mill(mill, *small)
    list(made.index(vectors=True))
    assert cut in embedder.texts
    again, embedder = at_mill(mill, *small)
    again.ask("What burned down in the night?")
    assert not [text for text in embedder.texts if text in cut]


def test_a_question_keeps_what_it_reads_if_nothing_was_made_ahead(mill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NONE_AHEAD, 0)
    made, _ = at_mill(mill)
    list(made.index(vectors=True))
    assert rows(mill.parent / "w") == 0
    with made.library() as library:
        library.passages(QUESTION)
    assert rows(mill.parent / "w") == 3


def test_a_damaged_vector_is_computed_again(mill: Path) -> None:
    made, _ = at_mill(mill)
    list(made.index(vectors=True))
    with made.library() as library:
        before = library.passages(QUESTION)
    with sqlite3.connect(mill.parent / "w" / "index.db") as connection:
        connection.execute("UPDATE sentence_vectors SET vector = randomblob(length(vector)) WHERE place = 0")
        connection.execute("UPDATE sentence_vectors SET vector = x'00' WHERE place = 1")
    again, embedder = at_mill(mill)
    with again.library() as library:
        assert library.passages(QUESTION) == before
    assert FIRST in embedder.texts
    with again.library() as library:
        library.passages("Who rebuilt the mill?")
    assert rows(mill.parent / "w") == 3
    anew, embedder = at_mill(mill)
    with anew.library() as library:
        assert library.passages(QUESTION) == before
    assert FIRST not in embedder.texts


def test_nothing_is_kept_of_a_document_that_is_gone(mill: Path) -> None:
    made, _ = at_mill(mill)
    list(made.index(vectors=True))
    (mill / "mill.txt").write_text("Nothing of that.", encoding="utf-8")
    list(made.index())
    assert rows(mill.parent / "w") == 0
