"""Writes, renames and deletes the rows for a file, its documents and their chunks, all in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, delete, insert, select, text, update

from investigator.language.terms import folded, spaced
from investigator.records import Chunk, Document, FileRecord, Table
from investigator.store.row_codes import StoredRow, document_stands, with_document_codes
from investigator.store.schema import chunks, documents, files, gone_chunks, vectors

_CARD_CHARACTERS = 600
_CARD_HEADINGS = 12
_TABLES = TypeAdapter(tuple[Table, ...])
_INSERT_CARD = text(
    "INSERT INTO card_words (rowid, document_id, words) SELECT key, id, :words FROM documents WHERE id = :id"
)
_FORGET_CARD = text("DELETE FROM card_words WHERE rowid = (SELECT key FROM documents WHERE id = :id)")
_FORGET_WORDS = text("DELETE FROM chunk_words WHERE rowid IN (SELECT id FROM chunks WHERE document_id = :id)")


def insert_document(connection: Connection, document: Document, key: bytes) -> None:
    """Insert a document and its search words; `key` is the key for the codes."""
    connection.execute(insert(documents), _row(document, key))
    _insert_card(connection, document)


def _row(document: Document, key: bytes) -> dict[str, Any]:
    values = {
        "id": document.id,
        "content_hash": document.content_hash,
        "title": document.title,
        "authors": "\n".join(" ".join(author.split()) for author in document.authors),
        "pages": len(document.pages) or None,
        "date": document.date,
        "headings": "\n".join(" ".join(h.text.split()) for h in document.headings[:_CARD_HEADINGS]),
        "imprint": document.imprint.model_dump_json(),
        "card": document.changed(text="", tables=()).model_dump_json(),
        "text": document.text,
        "tables": _TABLES.dump_json(document.tables).decode(),
        "reader": document.reader,
    }
    return with_document_codes(key, values)


def stored_document(row: StoredRow) -> Document:
    """Return the document that a row stores; the caller must have checked that the row is unaltered."""
    card = Document.model_validate_json(row["card"])
    return card.changed(text=row["text"], tables=_TABLES.validate_json(row["tables"]))


def _insert_card(connection: Connection, document: Document) -> None:
    connection.execute(_INSERT_CARD, {"id": document.id, "words": card_words(document)})


def card_words(document: Document) -> str:
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
            [{"id": row["id"], "words": chunk_words(stored[row["start"] : row["end"]])} for row in rows],
        )


def chunk_words(stored: str) -> str:
    """Return the words under which a chunk is indexed."""
    return folded(spaced(stored))


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


def rename(connection: Connection, before: str, file: FileRecord, key: bytes) -> bool:
    """Set the new paths of a file and of the files inside it.

    Return False, and do nothing, if one of their documents was altered.
    """
    of_file = (files.c.path == before) | (files.c.inside == before)
    paths = connection.execute(select(files.c.path).where(of_file)).scalars().all()
    found = connection.execute(select(documents).where(documents.c.id.in_(paths))).mappings().all()
    if not all(document_stands(key, row) for row in found):
        return False
    for row in found:
        document = stored_document(row)
        _rename_document(connection, document, file.path + document.id[len(before) :], key)
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


def _rename_document(connection: Connection, document: Document, new: str, key: bytes) -> None:
    named_after_file = document.title == PurePosixPath(document.id).stem
    title = PurePosixPath(new).stem if named_after_file else document.title
    renamed = document.changed(id=new, title=title)
    connection.execute(_FORGET_CARD, {"id": document.id})
    connection.execute(update(documents).where(documents.c.id == document.id).values(_row(renamed, key)))
    _insert_card(connection, renamed)
