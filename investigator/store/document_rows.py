"""Writes, renames and deletes the rows for a file, its documents and their chunks, all in one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, RowMapping, delete, insert, select, text, update

from investigator.language.terms import folded, spaced
from investigator.records import Chunk, Document, DocumentCard, FileRecord, Table
from investigator.store.schema import chunks, documents, files, gone_chunks, vectors

_CARD_CHARACTERS = 600
_CARD_HEADINGS = 12
_TABLES = TypeAdapter(tuple[Table, ...])
_INSERT_CARD = text(
    "INSERT INTO card_words (rowid, document_id, words) SELECT key, id, :words FROM documents WHERE id = :id"
)
_FORGET_CARD = text("DELETE FROM card_words WHERE rowid = (SELECT key FROM documents WHERE id = :id)")
_FORGET_WORDS = text("DELETE FROM chunk_words WHERE rowid IN (SELECT id FROM chunks WHERE document_id = :id)")


def insert_document(connection: Connection, document: Document) -> None:
    """Insert a document and its search words."""
    connection.execute(insert(documents), _row(document))
    _insert_card(connection, document)


def _row(document: Document) -> dict[str, Any]:
    card = DocumentCard(
        document_id=document.id,
        title=document.title,
        authors=tuple(" ".join(author.split()) for author in document.authors),
        pages=len(document.pages) or None,
        date=document.date,
        headings=tuple(" ".join(heading.text.split()) for heading in document.headings[:_CARD_HEADINGS]),
        imprint=document.imprint,
    )
    contents = {
        "card": card.model_dump_json(),
        "record": document.changed(text="", tables=()).model_dump_json(),
        "tables": _TABLES.dump_json(document.tables).decode(),
        "text": document.text,
    }
    return {"id": document.id, "reader": document.reader, "checksum": _checksum(*contents.values()), **contents}


def _checksum(*contents: str) -> str:
    digest = hashlib.sha256()
    for part in contents:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def is_whole(row: RowMapping) -> bool:
    """Return True if the row of a document matches its checksum."""
    return bool(_checksum(row["card"], row["record"], row["tables"], row["text"]) == row["checksum"])


def stored_document(row: RowMapping) -> Document:
    """Return the document that a row stores; the caller must have checked that the row is whole."""
    record = Document.model_validate_json(row["record"])
    return record.changed(text=row["text"], tables=_TABLES.validate_json(row["tables"]))


def _insert_card(connection: Connection, document: Document) -> None:
    connection.execute(_INSERT_CARD, {"id": document.id, "words": _card_words(document)})


def _card_words(document: Document) -> str:
    """Return the words that describe a document: title, path, authors, headings and first lines."""
    headings = " \n".join(heading.text for heading in document.headings[:40])
    path = document.id.replace("/", " ").replace("_", " ").replace("-", " ").replace(".", " ")
    imprint = document.imprint
    about = " ".join((*document.authors, imprint.issuer, *imprint.symbols, document.date or ""))
    card = "\n".join((document.title, path, about, headings, document.text[:_CARD_CHARACTERS]))
    return folded(spaced(card))


def insert_chunks(connection: Connection, document_id: str, stored: str, pieces: Sequence[Chunk]) -> None:
    """Insert the chunks of a document and their search words; `stored` is the text of the document."""
    first = (connection.execute(text("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'")).scalar() or 0) + 1
    rows = [{**piece.model_dump(), "id": first + i} for i, piece in enumerate(pieces)]
    if rows:
        connection.execute(insert(chunks), rows)
        connection.execute(
            text("INSERT INTO chunk_words (rowid, words) VALUES (:id, :words)"),
            [{"id": row["id"], "words": folded(spaced(stored[row["start"] : row["end"]]))} for row in rows],
        )


def forget(connection: Connection, path: str) -> None:
    """Delete a file and the files inside it, with all their stored data."""
    of_file = (files.c.path == path) | (files.c.inside == path)
    paths = connection.execute(select(files.c.path).where(of_file)).scalars().all()
    for document_id in {path, *paths}:
        forget_chunks(connection, document_id)
        connection.execute(_FORGET_CARD, {"id": document_id})
        connection.execute(delete(documents).where(documents.c.id == document_id))
    if paths:
        connection.execute(delete(files).where(of_file))


def forget_chunks(connection: Connection, document_id: str) -> None:
    """Delete the chunks of a document with their words and vectors, and note which ones Chroma must still delete."""
    ids = select(chunks.c.id).where(chunks.c.document_id == document_id)
    in_chroma = select(vectors.c.chunk_id).where(vectors.c.chunk_id.in_(ids), vectors.c.in_chroma == 1).distinct()
    connection.execute(insert(gone_chunks).from_select(["chunk_id"], in_chroma))
    connection.execute(_FORGET_WORDS, {"id": document_id})
    connection.execute(delete(chunks).where(chunks.c.document_id == document_id))


def rename(connection: Connection, before: str, file: FileRecord) -> bool:
    """Set the new paths of a file and of the files inside it.

    Return False, and do nothing, if one of their documents is damaged.
    """
    of_file = (files.c.path == before) | (files.c.inside == before)
    paths = connection.execute(select(files.c.path).where(of_file)).scalars().all()
    rows = connection.execute(select(documents).where(documents.c.id.in_(paths))).mappings().all()
    if not all(map(is_whole, rows)):
        return False
    for row in rows:
        document = stored_document(row)
        _rename_document(connection, document, file.path + document.id[len(before) :])
    for old in paths:
        inside = file.path if old != before else ""
        new = file.path + old[len(before) :]
        connection.execute(update(files).where(files.c.path == old).values(path=new, inside=inside))
    stamp(connection, file)
    return True


def stamp(connection: Connection, file: FileRecord) -> None:
    """Update the stored size, modification time and inode of a file."""
    values = {"size": file.size, "mtime_ns": file.mtime_ns, "inode": file.inode}
    connection.execute(update(files).where(files.c.path == file.path).values(values))


def _rename_document(connection: Connection, document: Document, new: str) -> None:
    named_after_file = document.title == PurePosixPath(document.id).stem
    title = PurePosixPath(new).stem if named_after_file else document.title
    renamed = document.changed(id=new, title=title)
    connection.execute(_FORGET_CARD, {"id": document.id})
    connection.execute(update(documents).where(documents.c.id == document.id).values(_row(renamed)))
    _insert_card(connection, renamed)
