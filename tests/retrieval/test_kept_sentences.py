"""Stored vectors of sentences are computed once, deleted with their passage, and never altered."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.engines.base import Vectors

TEXT = "The mill burned down in 1911. It was rebuilt by the parish two years later. The miller was not hurt."
FIRST = "The mill burned down in 1911."
NONE_AHEAD = "investigator.retrieval.folder_index._SENTENCES_UP_TO"


class CountingEmbedder(ScriptedEmbedder):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed(texts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    (made / "mill.txt").write_text(TEXT, encoding="utf-8")
    return made


def rows(workspace: Path) -> int:
    with sqlite3.connect(workspace / "index.db") as connection:
        return int(connection.execute("SELECT count(*) FROM sentence_vectors").fetchone()[0])


def opened(folder: Path, *settings: str) -> tuple[Investigator, CountingEmbedder]:
    embedder = CountingEmbedder()
    set_to = load_settings(None, settings)
    return Investigator(folder, embedder=embedder, workspace=folder.parent / "w", settings=set_to), embedder


def test_sentences_are_embedded_with_the_index_and_not_for_a_question(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, embedder = opened(folder)
    list(made.index(vectors=True))
    assert FIRST in embedder.texts
    assert rows(folder.parent / "w") == 3
    again, embedder = opened(folder)
    with again.library() as library:
        found = library.passages(("When did the mill burn down?",))
    assert embedder.texts == ["When did the mill burn down?"]
    (folder.parent / "w" / "index.db").unlink()
    monkeypatch.setattr(NONE_AHEAD, 0)
    anew, _ = opened(folder)
    with anew.library() as library:
        assert library.passages(("When did the mill burn down?",)) == found


def test_a_sentence_that_is_cut_by_the_border_of_two_passages_is_embedded_with_the_index(folder: Path) -> None:
    cut = f"The old mill at the river burned down in the night, {'and the wind drove the fire on, ' * 5}to the barn."
    (folder / "mill.txt").write_text(cut, encoding="utf-8")
    small = ("chunks.target=100", "chunks.maximum=150")
    made, embedder = opened(folder, *small)
    list(made.index(vectors=True))
    assert cut in embedder.texts
    again, embedder = opened(folder, *small)
    again.ask("What burned down in the night?")
    assert not [text for text in embedder.texts if text in cut]


def test_a_question_keeps_what_it_reads_if_nothing_was_made_ahead(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NONE_AHEAD, 0)
    made, _ = opened(folder)
    list(made.index(vectors=True))
    assert rows(folder.parent / "w") == 0
    with made.library() as library:
        library.passages(("When did the mill burn down?",))
    assert rows(folder.parent / "w") == 3


def test_a_damaged_vector_is_computed_again(folder: Path) -> None:
    made, _ = opened(folder)
    list(made.index(vectors=True))
    with made.library() as library:
        before = library.passages(("When did the mill burn down?",))
    with sqlite3.connect(folder.parent / "w" / "index.db") as connection:
        connection.execute("UPDATE sentence_vectors SET vector = randomblob(length(vector)) WHERE place = 0")
        connection.execute("UPDATE sentence_vectors SET vector = x'00' WHERE place = 1")
    again, embedder = opened(folder)
    with again.library() as library:
        assert library.passages(("When did the mill burn down?",)) == before
    assert FIRST in embedder.texts
    with again.library() as library:
        library.passages(("Who rebuilt the mill?",))
    assert rows(folder.parent / "w") == 3
    anew, embedder = opened(folder)
    with anew.library() as library:
        assert library.passages(("When did the mill burn down?",)) == before
    assert FIRST not in embedder.texts


def test_nothing_is_kept_of_a_document_that_is_gone(folder: Path) -> None:
    made, _ = opened(folder)
    list(made.index(vectors=True))
    (folder / "mill.txt").write_text("Nothing of that.", encoding="utf-8")
    list(made.index())
    assert rows(folder.parent / "w") == 0
