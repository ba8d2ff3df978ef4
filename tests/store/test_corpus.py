import shutil
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, update

from investigator.errors import DamagedDocumentError
from investigator.language.terms import content_words
from investigator.records import Chunk, Document, FileRecord, FileStatus, SplitDocument, Table, TableCell
from investigator.store.chroma import ChromaIndex
from investigator.store.corpus import Corpus, DecodedDocuments
from investigator.store.database import Database, FileDatabase
from investigator.store.full_text import FullText
from investigator.store.schema import INDEX, documents
from investigator.store.vectors import VectorTable


def file(path: str, content_hash: str = "h1", status: FileStatus = FileStatus.INDEXED) -> FileRecord:
    return FileRecord(path=path, size=1, mtime_ns=1, content_hash=content_hash, status=status)


def put(corpus: Corpus, path: str, *texts: str, content_hash: str = "h1") -> None:
    """Return a document whose chunks are the given texts."""
    chunks, start = [], 0
    for text in texts:
        chunks.append(Chunk(document_id=path, start=start, end=start + len(text)))
        start += len(text) + 1
    title, text = Path(path).stem, "\n".join(texts)
    document = Document(id=path, title=title, media_type="text/plain", content_hash=content_hash, text=text)
    corpus.put([file(path, content_hash)], [SplitDocument(document=document, chunks=tuple(chunks))])


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return FileDatabase(tmp_path / "index.db", INDEX)


def test_a_document_comes_back_as_it_was_put(database: Database) -> None:
    corpus = Corpus(database)
    put(corpus, "a/b.txt", "Köln lies on the Rhine.", "Second 🙂 part.")
    assert corpus.document("a/b.txt").text == "Köln lies on the Rhine.\nSecond 🙂 part."
    spans = corpus.chunk_spans([1, 2])
    assert [corpus.chunk_text(chunk) for chunk in spans.values()] == ["Köln lies on the Rhine.", "Second 🙂 part."]
    assert corpus.cards()["a/b.txt"].title == "b"


def test_the_tables_of_a_document_come_back_as_they_were_and_a_forged_cell_is_damage(database: Database) -> None:
    corpus = Corpus(database)
    cells = (TableCell(row=0, column=1, start=0, end=4), TableCell(row=1, column=1, start=7, end=9))
    table = Table(start=0, end=9, page=1, header_rows=1, cells=cells)
    document = Document(
        id="a.csv", title="a", media_type="text/csv", content_hash="h1", text="2023 | 41", tables=(table,)
    )
    corpus.put([file("a.csv")], [SplitDocument(document=document, chunks=())])
    assert corpus.document("a.csv") == document
    with database.begin() as connection:
        connection.execute(update(documents).values(tables=func.replace(documents.c.tables, ":7,", ":0,")))
    with pytest.raises(DamagedDocumentError):
        Corpus(database).document("a.csv")
    assert corpus.damaged() == {"a.csv"}


def test_a_document_is_decoded_once_until_it_changes(database: Database) -> None:
    decoded = DecodedDocuments()
    put(Corpus(database), "a.txt", "The ferry sank.")
    first = Corpus(database, decoded).document("a.txt")
    assert Corpus(database, decoded).document("a.txt") is first
    put(Corpus(database), "a.txt", "The ferry was raised.", content_hash="h2")
    assert Corpus(database, decoded).document("a.txt").text == "The ferry was raised."


def test_a_changed_document_leaves_no_words_or_chunks_of_the_old_one(database: Database) -> None:
    corpus, words = Corpus(database), FullText(database)
    put(corpus, "a.txt", "The plant makes 41 MW.")
    put(corpus, "a.txt", "The plant makes 97 MW.", content_hash="h2")
    assert words.chunks(["41"], 10) == []
    assert [match.document_id for match in words.chunks(["97"], 10)] == ["a.txt"]
    assert corpus.document("a.txt").text == "The plant makes 97 MW."


def test_chunk_ids_are_never_given_twice(database: Database) -> None:
    corpus = Corpus(database)
    put(corpus, "a.txt", "one", "two")
    corpus.drop("a.txt")
    put(corpus, "b.txt", "three")
    assert set(corpus.chunk_spans([1, 2, 3])) == {3}


def test_a_file_that_cannot_be_read_any_more_takes_its_text_along(database: Database) -> None:
    corpus = Corpus(database)
    put(corpus, "a.txt", "readable once")
    corpus.put([file("a.txt", "h2", FileStatus.ENCRYPTED)], [])
    assert corpus.document_ids() == ()
    assert [(item.path, item.status) for item in corpus.unreadable()] == [("a.txt", FileStatus.ENCRYPTED)]


def test_the_fingerprint_changes_with_content_and_not_with_a_stamp(database: Database) -> None:
    corpus = Corpus(database)
    put(corpus, "a.txt", "one")
    before = corpus.fingerprint()
    corpus.touch(file("a.txt").changed(mtime_ns=99))
    assert corpus.fingerprint() == before
    put(corpus, "a.txt", "two", content_hash="h2")
    assert corpus.fingerprint() != before


def test_a_renamed_file_is_found_under_its_new_name_with_its_vectors(database: Database, tmp_path: Path) -> None:
    corpus, words, table, notices = Corpus(database), FullText(database), VectorTable(database, "test"), []
    put(corpus, "old.txt", "the mill stands", "the river runs")
    table.put([1, 2], np.stack([vector(1, 0), vector(0, 1)]))
    index(database, tmp_path / "chroma", notices).close()
    corpus.rename("old.txt", file("new/name.txt"))
    chroma = index(database, tmp_path / "chroma", notices)
    assert corpus.document_ids() == ("new/name.txt",)
    assert corpus.document("new/name.txt").id == "new/name.txt"
    assert [match.document_id for match in words.chunks(["mill"], 10)] == ["new/name.txt"]
    assert [document_id for document_id, _ in words.cards(["name"], 10)] == ["new/name.txt"]
    assert words.cards(["old"], 10) == []
    assert table.missing() == {}
    assert [(m.chunk_id, m.document_id) for m in chroma.nearest(vector(0, 1), 1)] == [(2, "new/name.txt")]


def test_a_rename_over_another_file_leaves_nothing_of_that_one(database: Database) -> None:
    corpus, words = Corpus(database), FullText(database)
    put(corpus, "a.txt", "the mill")
    put(corpus, "b.txt", "the river", content_hash="h2")
    corpus.rename("a.txt", file("b.txt"))
    assert corpus.document_ids() == ("b.txt",)
    assert corpus.document("b.txt").text == "the mill"
    assert words.chunks(["river"], 10) == []
    assert list(corpus.manifest()) == ["b.txt"]


def test_the_files_inside_a_renamed_file_move_with_it_and_leave_with_it(database: Database) -> None:
    corpus = Corpus(database)
    inner = Document(id="box.zip/a.txt", title="a", media_type="text/plain", content_hash="h2", text="inside")
    chunk = Chunk(document_id=inner.id, start=0, end=6)
    members = [file("box.zip"), file("box.zip/a.txt", "h2").changed(inside="box.zip")]
    corpus.put(members, [SplitDocument(document=inner, chunks=(chunk,))])
    corpus.rename("box.zip", file("x/crate.zip"))
    assert corpus.document("x/crate.zip/a.txt").text == "inside"
    assert [(kept.path, kept.inside) for kept in corpus.files()] == [
        ("x/crate.zip", ""),
        ("x/crate.zip/a.txt", "x/crate.zip"),
    ]
    assert list(corpus.manifest()) == ["x/crate.zip"]
    corpus.drop("x/crate.zip")
    assert corpus.files() == ()
    assert corpus.document_ids() == ()


def test_vectors_of_chunks_that_are_gone_are_not_kept(database: Database) -> None:
    corpus, table = Corpus(database), VectorTable(database, "test")
    put(corpus, "a.txt", "one", "two")
    corpus.drop("a.txt")
    put(corpus, "b.txt", "three")
    table.put([1, 3], np.stack([vector(1, 0), vector(0, 1)]))
    assert set(table.get([1, 2, 3])) == {3}
    assert table.missing_count() == 0


@pytest.mark.parametrize("query", ['"', "NEAR(", "a OR b AND", "-x", "col:y", "*", "'; DROP TABLE files; --"])
def test_the_query_language_of_the_index_cannot_be_reached(database: Database, query: str) -> None:
    corpus, words = Corpus(database), FullText(database)
    put(corpus, "a.txt", "plain words")
    assert words.chunks([query], 10) == []
    assert corpus.document_ids() == ("a.txt",)


def test_words_of_scripts_without_spaces_are_found(database: Database) -> None:
    corpus, words = Corpus(database), FullText(database)
    put(corpus, "zh.txt", "蒸汽机是由瓦特改良的。")
    put(corpus, "other.txt", "完全不同的内容在这里。")
    assert words.chunks(content_words("瓦特改良了什么"), 10)[0].document_id == "zh.txt"


@pytest.mark.parametrize("word", ["Чайковский", "Ёлка", "Київ", "서울은", "Αθήνα", "Straße", "finance", "naïve"])
def test_a_word_that_stands_in_the_text_is_found_in_any_script(database: Database, word: str) -> None:
    corpus, words = Corpus(database), FullText(database)
    put(corpus, "a.txt", f"Here stands {word}.")
    assert words.chunks(content_words(word), 10)


def vector(*values: float) -> np.ndarray:
    row = np.array(values, dtype=np.float32)
    return row / np.linalg.norm(row)


def index(database: Database, directory: Path, notices: list[str]) -> ChromaIndex:
    return ChromaIndex(directory, "", VectorTable(database, "test"), notices.append)


def test_a_lost_vector_index_is_built_again_without_embedding(database: Database, tmp_path: Path) -> None:
    corpus, table, notices = Corpus(database), VectorTable(database, "test"), []
    put(corpus, "a.txt", "one", "two")
    table.put([1, 2], np.stack([vector(1, 0), vector(0, 1)]))
    index(database, tmp_path / "chroma", notices)
    shutil.rmtree(tmp_path / "chroma")
    rebuilt = index(database, tmp_path / "chroma", notices)
    assert [m.chunk_id for m in rebuilt.nearest(vector(0, 1), 1)] == [2]
    assert len(notices) == 1


def test_a_chunk_that_is_gone_leaves_the_vectors_of_every_embedder(database: Database, tmp_path: Path) -> None:
    corpus, notices, tables = Corpus(database), [], [VectorTable(database, name) for name in ("first", "second")]
    put(corpus, "old.txt", "one", "two")
    for table in tables:
        table.put([1, 2], np.stack([vector(1, 0), vector(0, 1)]))
        ChromaIndex(tmp_path / "chroma", "", table, notices.append).close()
    corpus.drop("old.txt")
    ChromaIndex(tmp_path / "chroma", "", tables[1], notices.append).close()
    put(corpus, "new.txt", "three", "four")
    tables[0].put([3, 4], np.stack([vector(1, 1), vector(1, 2)]))
    again = ChromaIndex(tmp_path / "chroma", "", tables[0], notices.append)
    assert {match.chunk_id for match in again.nearest(vector(1, 0), 9)} == {3, 4}
    assert notices == []
