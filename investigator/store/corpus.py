"""The folder as the workspace knows it: files, documents, chunks, their words and vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sqlalchemy import Connection, RowMapping, delete, func, insert, select, text, update

from investigator.records import Chunk, Document, FileRecord, FileStatus, Unreadable
from investigator.store.database import Database, get_meta, set_meta
from investigator.store.schema import chunks, documents, files, gone_chunks
from investigator.text.terms import spaced

_CARD_CHARACTERS = 600
_CACHED_DOCUMENTS = 64
_CACHED_OUTLINES = 4096


class Corpus:
    """Documents and chunks of one workspace. Each change of a file is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._load = lru_cache(maxsize=_CACHED_DOCUMENTS)(self._read_document)
        self._outline = lru_cache(maxsize=_CACHED_OUTLINES)(self._read_outline)

    def manifest(self) -> Mapping[str, FileRecord]:
        """Every file as last seen, by path."""
        with self._database.begin() as connection:
            rows = connection.execute(select(files).order_by(files.c.path)).mappings()
            return {row["path"]: FileRecord.model_validate(dict(row)) for row in rows}

    def unreadable(self) -> tuple[Unreadable, ...]:
        """Files that hold nothing we could read, with the reason."""
        return tuple(
            Unreadable(path=file.path, status=file.status, reason=file.reason)
            for file in self.manifest().values()
            if file.status is not FileStatus.INDEXED
        )

    def put(self, file: FileRecord, document: Document, pieces: tuple[Chunk, ...]) -> None:
        """Keep a document that was read, in place of what was kept of it before."""
        with self._database.begin() as connection:
            _forget(connection, file.path)
            connection.execute(insert(files), file.model_dump(mode="json"))
            _insert_document(connection, document)
            _insert_chunks(connection, document.id, document.text, pieces)
        self._changed()

    def put_unreadable(self, file: FileRecord) -> None:
        """Keep that a file could not be read; what was kept of it before is dropped."""
        with self._database.begin() as connection:
            _forget(connection, file.path)
            connection.execute(insert(files), file.model_dump(mode="json"))
        self._changed()

    def touch(self, file: FileRecord) -> None:
        """Keep a new stamp of a file whose content is the same."""
        with self._database.begin() as connection:
            connection.execute(
                update(files).where(files.c.path == file.path).values(size=file.size, mtime_ns=file.mtime_ns)
            )

    def drop(self, path: str) -> None:
        """Forget a file that is gone."""
        with self._database.begin() as connection:
            _forget(connection, path)
        self._changed()

    def _changed(self) -> None:
        self._load.cache_clear()
        self._outline.cache_clear()

    def fingerprint(self) -> str:
        """A hash of what the folder holds: equal when no file has changed, come or gone."""
        digest = hashlib.sha256()
        for file in self.manifest().values():
            digest.update(f"{file.path}\0{file.content_hash}\0{file.status}\n".encode())
        return digest.hexdigest()

    def document_ids(self) -> tuple[str, ...]:
        """Ids of all documents that were read, sorted."""
        with self._database.begin() as connection:
            return tuple(connection.execute(select(documents.c.id).order_by(documents.c.id)).scalars())

    def document(self, document_id: str) -> Document:
        """A document with its text. Raises KeyError for an unknown id."""
        return self._load(document_id)

    def _read_document(self, document_id: str) -> Document:
        with self._database.begin() as connection:
            row = connection.execute(
                select(documents.c.card, documents.c.text).where(documents.c.id == document_id)
            ).one_or_none()
        if row is None:
            raise KeyError(document_id)
        return Document.model_validate_json(row.card).model_copy(update={"text": row.text})

    def outline(self, document_id: str) -> Document:
        """A document without its text. Raises KeyError for an unknown id."""
        return self._outline(document_id)

    def _read_outline(self, document_id: str) -> Document:
        with self._database.begin() as connection:
            card = connection.execute(select(documents.c.card).where(documents.c.id == document_id)).scalar()
        if card is None:
            raise KeyError(document_id)
        return Document.model_validate_json(card)

    def chunk_text(self, chunk: Chunk) -> str:
        """The text of one chunk, without reading the rest of its document into memory."""
        span = func.substr(documents.c.text, chunk.start + 1, chunk.end - chunk.start)
        with self._database.begin() as connection:
            return str(connection.execute(select(span).where(documents.c.id == chunk.document_id)).scalar_one())

    def chunk_spans(self, chunk_ids: Sequence[int]) -> dict[int, Chunk]:
        """The chunks of those ids; ids that are gone are left out."""
        found: dict[int, Chunk] = {}
        with self._database.begin() as connection:
            for part in in_batches(chunk_ids):
                for row in connection.execute(select(chunks).where(chunks.c.id.in_(part))).mappings():
                    found[row["id"]] = _chunk(row)
        return found

    def chunks_of(self, document_id: str) -> dict[int, Chunk]:
        """All chunks of a document by id, in the order of the text."""
        query = select(chunks).where(chunks.c.document_id == document_id).order_by(chunks.c.start)
        with self._database.begin() as connection:
            return {row["id"]: _chunk(row) for row in connection.execute(query).mappings()}

    def rechunk(self, settings: str, split: Mapping[str, tuple[Chunk, ...]]) -> None:
        """Replace all chunks by new ones, made with other settings; vectors and words go with the old ones."""
        with self._database.begin() as connection:
            for document_id, pieces in split.items():
                _forget_chunks(connection, document_id)
                stored = connection.execute(select(documents.c.text).where(documents.c.id == document_id)).scalar_one()
                _insert_chunks(connection, document_id, stored, pieces)
            set_meta(connection, "chunking", settings)

    def chunking(self) -> str | None:
        """The settings that the chunks were made with; None before the first."""
        with self._database.begin() as connection:
            return get_meta(connection, "chunking")

    def set_chunking(self, settings: str) -> None:
        """Keep the settings that chunks are made with."""
        with self._database.begin() as connection:
            set_meta(connection, "chunking", settings)


def _insert_document(connection: Connection, document: Document) -> None:
    card = document.model_copy(update={"text": ""})
    connection.execute(
        insert(documents),
        {
            "id": document.id,
            "content_hash": document.content_hash,
            "title": document.title,
            "pages": len(document.pages) or None,
            "card": card.model_dump_json(),
            "text": document.text,
        },
    )
    connection.execute(
        text("INSERT INTO card_words (document_id, words) VALUES (:id, :words)"),
        {"id": document.id, "words": spaced(_card_text(document))},
    )


def _card_text(document: Document) -> str:
    headings = " \n".join(heading.text for heading in document.headings[:40])
    path = document.id.replace("/", " ").replace("_", " ").replace("-", " ").replace(".", " ")
    about = " ".join((*document.authors, document.date or ""))
    return "\n".join((document.title, path, about, headings, document.text[:_CARD_CHARACTERS]))


def _insert_chunks(connection: Connection, document_id: str, stored: str, pieces: tuple[Chunk, ...]) -> None:
    first = (connection.execute(text("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'")).scalar() or 0) + 1
    rows = [{**piece.model_dump(), "id": first + i} for i, piece in enumerate(pieces)]
    if rows:
        connection.execute(insert(chunks), rows)
        connection.execute(
            text("INSERT INTO chunk_words (rowid, words) VALUES (:id, :words)"),
            [{"id": row["id"], "words": spaced(stored[row["start"] : row["end"]])} for row in rows],
        )


def _forget(connection: Connection, path: str) -> None:
    _forget_chunks(connection, path)
    connection.execute(text("DELETE FROM card_words WHERE document_id = :id"), {"id": path})
    connection.execute(delete(documents).where(documents.c.id == path))
    connection.execute(delete(files).where(files.c.path == path))


def _forget_chunks(connection: Connection, document_id: str) -> None:
    ids = select(chunks.c.id).where(chunks.c.document_id == document_id)
    of_document = {"id": document_id}
    connection.execute(insert(gone_chunks).from_select(["chunk_id"], ids))
    connection.execute(
        text("DELETE FROM chunk_words WHERE rowid IN (SELECT id FROM chunks WHERE document_id = :id)"), of_document
    )
    connection.execute(delete(chunks).where(chunks.c.document_id == document_id))


def _chunk(row: RowMapping) -> Chunk:
    return Chunk.model_validate({str(key): value for key, value in row.items() if key != "id"})


def in_batches(values: Sequence[int], size: int = 500) -> list[Sequence[int]]:
    """The values in parts that fit into one SQL statement."""
    return [values[i : i + size] for i in range(0, len(values), size)]
