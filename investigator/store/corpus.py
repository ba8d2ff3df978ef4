"""The folder as stored in the workspace: files, documents, chunks, their words and vectors."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from typing import NamedTuple, TypeVar

from sqlalchemy import RowMapping, bindparam, func, insert, select, update

from investigator.errors import DamagedDocumentError
from investigator.records import (
    Chunk,
    Document,
    DocumentCard,
    FileRecord,
    FileStatus,
    LeftOut,
    LeftOutReason,
    SplitDocument,
    Unreadable,
)
from investigator.store.database import Database, get_meta, set_meta
from investigator.store.document_rows import (
    forget,
    forget_chunks,
    insert_chunks,
    insert_document,
    is_whole,
    rename,
    stamp,
    stored_document,
)
from investigator.store.schema import chunks, documents, files

_CACHED_DOCUMENTS = 64
_MOST_CHARACTERS = 20_000_000
_LEFT_OUT = "left_out"

# statements that are executed often are built once, because building one takes longer than executing it
_CHECKSUM = select(documents.c.checksum).where(documents.c.id == bindparam("of_id"))
_DOCUMENT = select(documents).where(documents.c.id == bindparam("of_id"))
_DOCUMENT_IDS = select(documents.c.id).order_by(documents.c.id)
_CHUNKS = select(chunks).where(chunks.c.id.in_(bindparam("ids", expanding=True)))
_CHUNKS_OF_DOCUMENT = select(chunks).where(chunks.c.document_id == bindparam("of_id")).order_by(chunks.c.start)
_CHUNK_COUNT = select(func.count()).select_from(chunks)
_DOCUMENT_COUNT = select(func.count()).select_from(documents)
_CARD_AT = select(documents.c.id, documents.c.card).order_by(documents.c.id).limit(1).offset(bindparam("place"))
_HEADINGS = (
    select(chunks.c.document_id, chunks.c.heading, func.sum(chunks.c.end - chunks.c.start))
    .where(chunks.c.document_id.in_(bindparam("ids", expanding=True)), chunks.c.heading != "")
    .group_by(chunks.c.document_id, chunks.c.heading)
)
_LONGEST_TOPIC = 60
_Value = TypeVar("_Value")


class FollowedText(NamedTuple):
    """The text of the chunk that follows a given chunk, and the text of both together."""

    next: str
    both: str


class DecodedDocuments:
    """Keeps the documents that were used most recently, up to 20 million characters, for the next question.
    Thread-safe. A document is stored under the checksum of its row, which changes with the content.
    """

    def __init__(self) -> None:
        self._documents: OrderedDict[str, Document] = OrderedDict()
        self._characters = 0
        self._changing = Lock()

    def get(self, checksum: str) -> Document | None:
        """Return the document whose row has this checksum, if it is cached."""
        with self._changing:
            if checksum in self._documents:
                self._documents.move_to_end(checksum)
            return self._documents.get(checksum)

    def keep(self, checksum: str, document: Document) -> None:
        """Cache a document whose row has this checksum."""
        with self._changing:
            if checksum not in self._documents:
                self._documents[checksum] = document
                self._characters += len(document.text)
            while self._characters > _MOST_CHARACTERS:
                self._characters -= len(self._documents.popitem(last=False)[1].text)


class Corpus:
    """Documents and chunks of one workspace. All changes for a file are made in one transaction.

    A document whose row does not match its checksum, because of a failing disk, is never returned;
    DamagedDocumentError is raised instead.
    """

    def __init__(self, database: Database, decoded: DecodedDocuments | None = None) -> None:
        self._database = database
        self._decoded = decoded or DecodedDocuments()
        self._load = lru_cache(maxsize=_CACHED_DOCUMENTS)(self._read_document)
        self._chunks = lru_cache(maxsize=_CACHED_DOCUMENTS)(self._read_chunks)
        self._cards: Mapping[str, DocumentCard] | None = None

    def manifest(self) -> Mapping[str, FileRecord]:
        """Return the last seen state of every file in the folder, keyed by path, excluding files inside archives and
        messages.
        """
        return {file.path: file for file in self.files() if not file.inside}

    def files(self) -> tuple[FileRecord, ...]:
        """Return every file as last seen, including those inside archives and messages, sorted by path."""
        with self._database.begin() as connection:
            rows = connection.execute(select(files).order_by(files.c.path)).mappings()
            return tuple(FileRecord.model_validate(dict(row)) for row in rows)

    def unreadable(self) -> tuple[Unreadable, ...]:
        """Return the files that could not be read, with the reason."""
        query = select(files.c.path, files.c.status, files.c.reason).order_by(files.c.path)
        with self._database.begin() as connection:
            rows = connection.execute(query.where(files.c.status != FileStatus.INDEXED)).mappings()
            return tuple(Unreadable.model_validate(dict(row)) for row in rows)

    def keep_left_out(self, left_out: Sequence[LeftOut]) -> None:
        """Store the excluded files, grouped by reason."""
        if self.left_out() != tuple(left_out):
            self.set_setting(_LEFT_OUT, json.dumps([item.model_dump(mode="json") for item in left_out]))

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return the files in the folder that are not documents, grouped by reason."""
        return tuple(LeftOut.model_validate(item) for item in json.loads(self.setting(_LEFT_OUT) or "[]"))

    def put(self, records: Sequence[FileRecord], split: Sequence[SplitDocument]) -> None:
        """Store a file (the first record), the files inside it, and their documents, replacing earlier ones."""
        with self._database.begin() as connection:
            forget(connection, records[0].path)
            connection.execute(insert(files), [record.model_dump(mode="json") for record in records])
            for part in split:
                insert_document(connection, part.document)
                insert_chunks(connection, part.document.id, part.document.text, part.chunks)
        self._changed()

    def touch(self, file: FileRecord) -> None:
        """Store the new size, time and inode of a file with unchanged content."""
        with self._database.begin() as connection:
            stamp(connection, file)

    def rename(self, before: str, file: FileRecord) -> bool:
        """Store a file's new path; its text, chunks and vectors are kept, as are those of the files inside it.

        Return False if the file's stored data is damaged; the data is then dropped, and the file must be read again.
        """
        with self._database.begin() as connection:
            forget(connection, file.path)
            kept = rename(connection, before, file)
            if not kept:
                forget(connection, before)
        self._changed()
        return kept

    def drop(self, path: str) -> None:
        """Forget a deleted file and the files inside it."""
        with self._database.begin() as connection:
            forget(connection, path)
        self._changed()

    def _changed(self) -> None:
        self._load.cache_clear()
        self._chunks.cache_clear()
        self._cards = None

    def fingerprint(self, scope: Sequence[str] = ()) -> str:
        """Return a hash of the folder's contents: it changes only if a file is changed, added, deleted or ignored.

        With a `scope`, only the documents in it count.
        """
        query = select(files.c.path, files.c.content_hash, files.c.status).order_by(files.c.path)
        if scope:
            query = query.where(files.c.path.in_(scope))
        with self._database.begin() as connection:
            rows = [(row.path, row.content_hash, row.status) for row in connection.execute(query)]
        return fingerprint_of(rows, () if scope else self.left_out())

    def document_ids(self) -> tuple[str, ...]:
        """Return the ids of all documents that were read, sorted."""
        with self._database.begin() as connection:
            return tuple(connection.execute(_DOCUMENT_IDS).scalars())

    def document(self, document_id: str) -> Document:
        """Return a document with its text. Raises KeyError for an unknown id, and DamagedDocumentError."""
        return self._load(document_id)

    def _read_document(self, document_id: str) -> Document:
        with self._database.begin() as connection:
            checksum = connection.execute(_CHECKSUM, {"of_id": document_id}).scalar()
            if checksum is None:
                raise KeyError(document_id)
            known = self._decoded.get(checksum)
            if known is not None and known.id == document_id:
                return known
            row = connection.execute(_DOCUMENT, {"of_id": document_id}).mappings().one()
            if not is_whole(row):
                message = f"the index of {document_id} differs from what was read from its file"
                raise DamagedDocumentError(message, document_ids=(document_id,))
            document = stored_document(row)
        self._decoded.keep(checksum, document)
        return document

    def cards(self) -> Mapping[str, DocumentCard]:
        """Return the card of each document, keyed by id, without query-dependent values."""
        if self._cards is None:
            with self._database.begin() as connection:
                rows = connection.execute(select(documents.c.id, documents.c.card).order_by(documents.c.id))
                self._cards = {row.id: DocumentCard.model_validate_json(row.card) for row in rows}
        return self._cards

    def topics(self, most: int) -> tuple[str, ...]:
        """Return what some documents, spread over the folder, deal with: of each the heading with most text that none
        of the others has, or else its title. Reads only a few rows, however many documents there are.
        """
        with self._database.begin() as connection:
            count = int(connection.execute(_DOCUMENT_COUNT).scalar_one())
            sample = min(count, 3 * most)
            places = [number * count // sample for number in range(sample)]
            picked = [connection.execute(_CARD_AT, {"place": place}).one() for place in places]
            rows = connection.execute(_HEADINGS, {"ids": [document_id for document_id, _ in picked]}).all()
        in_documents = Counter(heading for _, heading, _ in rows)
        topics = []
        for document_id, card in picked:
            own = [row for row in rows if row[0] == document_id and in_documents[row[1]] == 1]
            headings = [heading for _, heading, _ in sorted(own, key=lambda row: -row[2]) if _is_short(heading)]
            title = DocumentCard.model_validate_json(card).title
            topics += headings[:1] or ([title] if _is_short(title) else [])
        distinct = tuple(dict.fromkeys(topics))
        return distinct[:: max(1, len(distinct) // most)][:most]

    def damaged(self) -> frozenset[str]:
        """Return the ids of documents whose rows do not match their checksums; loads every text."""
        damaged = set()
        for document_id in self.document_ids():
            with self._database.begin() as connection:
                if not is_whole(connection.execute(_DOCUMENT, {"of_id": document_id}).mappings().one()):
                    damaged.add(document_id)
        return frozenset(damaged)

    def containers(self, document_ids: Collection[str]) -> frozenset[str]:
        """Return the paths of the files that contain these documents, some of which may be archives or messages."""
        query = select(files.c.path, files.c.inside)
        with self._database.begin() as connection:
            inside = {row.path: row.inside for row in connection.execute(query)} if document_ids else {}
        return frozenset(inside.get(document_id) or document_id for document_id in document_ids)

    def readers(self) -> Mapping[str, tuple[str, ...]]:
        """Return the ids of the documents, grouped by the reader version that produced their stored texts."""
        by_reader: dict[str, list[str]] = {}
        with self._database.begin() as connection:
            for row in connection.execute(select(documents.c.id, documents.c.reader)):
                by_reader.setdefault(row.reader, []).append(row.id)
        return {reader: tuple(ids) for reader, ids in by_reader.items()}

    def chunk_text(self, chunk: Chunk) -> str:
        """Return the text of one chunk. Raises the same errors as `document`."""
        return self.document(chunk.document_id).text[chunk.start : chunk.end]

    def chunk_spans(self, chunk_ids: Sequence[int]) -> dict[int, Chunk]:
        """Return the chunks with these ids; deleted chunks are omitted."""
        chunks: dict[int, Chunk] = {}
        with self._database.begin() as connection:
            for part in in_batches(chunk_ids):
                for row in connection.execute(_CHUNKS, {"ids": part}).mappings():
                    chunks[row["id"]] = _chunk(row)
        return chunks

    def chunk_texts(self, document_id: str, chunk_ids: Sequence[int]) -> dict[int, str]:
        """Return the texts of the given chunks of a document; chunks that are deleted, even during the call, are
        omitted.
        """
        try:
            stored = self.document(document_id).text
        except KeyError:
            return {}
        # reading the text first is safe: chunk ids are never reused, so an existing span belongs to this text
        spans = self.chunk_spans(chunk_ids)
        return {i: stored[span.start : span.end] for i, span in spans.items() if span.document_id == document_id}

    def followed_texts(self, chunk_ids: Collection[int]) -> dict[int, FollowedText]:
        """Return the texts of the given chunks with the next chunk, if it is on the same page; deleted chunks are
        omitted.
        """
        followed: dict[int, FollowedText] = {}
        for name in dict.fromkeys(chunk.document_id for chunk in self.chunk_spans([*chunk_ids]).values()):
            try:
                text = self.document(name).text
            except KeyError:
                continue
            for (i, chunk), (_, other) in pairwise(self.chunks_of(name).items()):
                if i in chunk_ids and chunk.page == other.page:
                    followed[i] = FollowedText(text[other.start : other.end], text[chunk.start : other.end])
        return followed

    def chunks_of(self, document_id: str) -> Mapping[int, Chunk]:
        """Return the chunks of a document, keyed by id, in text order."""
        return self._chunks(document_id)

    def _read_chunks(self, document_id: str) -> Mapping[int, Chunk]:
        with self._database.begin() as connection:
            rows = connection.execute(_CHUNKS_OF_DOCUMENT, {"of_id": document_id}).mappings()
            return {row["id"]: _chunk(row) for row in rows}

    def chunk_count(self) -> int:
        """Return the number of chunks in all documents."""
        with self._database.begin() as connection:
            return int(connection.execute(_CHUNK_COUNT).scalar_one())

    def rechunk(self, document_id: str, pieces: Sequence[Chunk]) -> None:
        """Replace the chunks of a document; the vectors and words of the old chunks are dropped."""
        own, stored = files.c.path == document_id, self.document(document_id).text
        with self._database.begin() as connection:
            forget_chunks(connection, document_id)
            insert_chunks(connection, document_id, stored, pieces)
            connection.execute(update(files).where(own).values(chunks=len(pieces)))
        self._chunks.cache_clear()

    def setting(self, name: str) -> str | None:
        """Return a setting of the index; None if it was never stored."""
        with self._database.begin() as connection:
            return get_meta(connection, name)

    def set_setting(self, name: str, value: str) -> None:
        """Store a setting of the index."""
        with self._database.begin() as connection:
            set_meta(connection, name, value)


def fingerprint_of(rows: Iterable[tuple[str, str, str]], left_out: Iterable[LeftOut]) -> str:
    """Return a hash of sorted files (path, content hash, status), and of the files that the folder itself excludes."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update("\0".join((*row, "\n")).encode())
    for item in left_out:
        if item.reason is LeftOutReason.IGNORE_FILE:
            digest.update(item.model_dump_json().encode())
    return digest.hexdigest()


def _is_short(topic: str) -> bool:
    return len(topic) <= _LONGEST_TOPIC and any(character.isalpha() for character in topic)


def _chunk(row: RowMapping) -> Chunk:
    return Chunk.model_validate({str(key): value for key, value in row.items() if key != "id"})


def in_batches(values: Sequence[_Value], size: int = 500) -> list[Sequence[_Value]]:
    """Return the values in batches that fit into one SQL statement."""
    return [values[i : i + size] for i in range(0, len(values), size)]
