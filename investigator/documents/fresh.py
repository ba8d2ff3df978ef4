"""Opens files of a folder in other processes: documents that match their files are read again only if those changed."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from investigator.documents.beneath import open_file, status_of
from investigator.documents.chunks import ChunkSettings
from investigator.documents.exchange import Contents
from investigator.documents.folder import cpus, request_for
from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.reading_pool import ReadingPool
from investigator.documents.scanning import FolderSettings, FoundFile, scan
from investigator.records import Document

MISSING = "the file is no longer in the folder"
MOST_KEPT = 20_000_000
"""Maximum number of cached characters; the most recently used file may exceed it."""


@dataclass(frozen=True)
class FreshDocument:
    """A document that matches the current state of its file, or the `problem` that prevented reading it."""

    document: Document | None = None
    problem: str = ""

    @property
    def missing(self) -> bool:
        """Return True if the file does not exist."""
        return self.problem == MISSING


class FolderReading:
    """The files of a folder, opened in at most `processes` processes within the limits of `reader`. Use it as a context
    manager; on exit the processes are stopped.
    """

    def __init__(
        self, root: Path, folder: FolderSettings, reader: ReaderSettings, *, processes: int | None = None
    ) -> None:
        self._root = root
        self._folder = folder
        self._reader = reader
        self._pool = ReadingPool(min(reader.workers or cpus(), processes or cpus()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def _listing(self) -> dict[str, FoundFile]:
        return {file.id: file for file in scan(self._root, self._folder).files}


class FreshReading(FolderReading):
    """Rereads the documents in a folder; each file is read once, and again only if its bytes change. Nothing is
    written. Thread-safe, but only one thread reads at a time. At most `MOST_KEPT` characters of text are cached.
    """

    def __init__(
        self, root: Path, folder: FolderSettings, reader: ReaderSettings, *, processes: int | None = None
    ) -> None:
        super().__init__(root, folder, reader, processes=processes)
        self._turn = threading.Lock()
        self._kept: dict[str, tuple[str, Contents]] = {}  # maps the id of each file to its sha256 and contents
        self._stamps: dict[str, tuple[str, tuple[int, ...]]] = {}  # maps it to its sha256, and size and times with it

    def documents(self, document_ids: Collection[str], held: Collection[Document] = ()) -> dict[str, FreshDocument]:
        """Return the documents with these ids, including those inside archives and messages.

        A file is not read again if its sha256 is unchanged since an earlier call, or equals that of a verified document
        in `held`. Raises FolderError if the folder cannot be listed, and ReaderError if no process can be started.
        """
        if not document_ids:
            return {}
        listed = self._listing()
        same = {
            document.id: FreshDocument(document)
            for document in held
            if document.id in listed and self._hash(listed[document.id]) == document.content_hash
        }
        files = {name: file_of(name, listed) for name in document_ids}
        with self._turn:
            read = self._read({file.id: file for name, file in files.items() if file is not None and name not in same})
            self._forget()
        return {name: same.get(name) or _document(name, file, read) for name, file in files.items()}

    def shown_again(self, document_ids: Collection[str], held: Collection[Document]) -> dict[str, FreshDocument]:
        """Return the same as `documents`. A file that has the size, times and inode with which it equalled its held
        document before is not opened, and if all have them, the folder is not listed.
        """
        same = {document.id: FreshDocument(document) for document in held if self._is_as_before(document)}
        others = [name for name in document_ids if name not in same]
        return same | self.documents(others, [document for document in held if document.id not in same])

    def _is_as_before(self, document: Document) -> bool:
        try:
            status = status_of(str(self._root), document.id)
        except (OSError, ReadFailure):  # such as a file in an archive, whose id is no path
            return False
        times = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        now = (document.content_hash, times)
        if self._stamps.get(document.id) != now:
            if self._hash(FoundFile(document.id, document.id)) != document.content_hash:
                return False
            self._stamps[document.id] = now
        return True

    def _hash(self, file: FoundFile) -> str:
        """Return the sha256 of a file; "" if it must not or cannot be read."""
        if file.problem:
            return ""
        try:
            with open_file(str(self._root), file.path) as opened:
                small = os.fstat(opened.fileno()).st_size <= self._reader.max_bytes
                return hashlib.file_digest(opened, "sha256").hexdigest() if small else ""
        except (OSError, ReadFailure):
            return ""

    def _read(self, files: Mapping[str, FoundFile]) -> dict[str, Contents]:
        """Return the contents of each file, keyed by id; files that must not be opened are omitted."""
        before = {name: self._kept.pop(name) for name in files if name in self._kept}
        self._kept |= {name: kept for name, kept in before.items() if self._hash(files[name]) == kept[0]}
        read = {name: self._kept[name][1] for name in files if name in self._kept}
        new = [file for name, file in files.items() if name not in read and not file.problem]
        requests = [request_for(self._root, file, "", self._reader, ChunkSettings()) for file in new]
        for reading in self._pool.read(requests):
            read[reading.request.id] = reading.contents
            if reading.opened is not None:
                self._kept[reading.request.id] = (reading.opened.content_hash, reading.contents)
        return read

    def _forget(self) -> None:
        """Drop the least recently used texts until the rest are within the limit."""
        sizes = {
            file_id: sum(len(part.document.text) for part in contents.documents)
            for file_id, (_, contents) in self._kept.items()
        }
        for file_id in list(sizes)[:-1]:
            if sum(sizes.values()) <= MOST_KEPT:
                return
            del self._kept[file_id], sizes[file_id]


def file_of(document_id: str, listed: Mapping[str, FoundFile]) -> FoundFile | None:
    """Return the file that contains a document: its own file, or an archive or a message."""
    parts = document_id.split("/")
    ids = ("/".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((listed[file_id] for file_id in ids if file_id in listed), None)


def _document(document_id: str, file: FoundFile | None, read: dict[str, Contents]) -> FreshDocument:
    if file is None:
        return FreshDocument(problem=MISSING)
    if file.problem:
        return FreshDocument(problem=file.problem)
    contents = read[file.id]
    for part in contents.documents:
        if part.document.id == document_id:
            return FreshDocument(part.document)
    if contents.documents and document_id != file.id:
        return FreshDocument(problem=MISSING)
    reason = next((item.reason for item in contents.unreadable if item.path == document_id), "")
    return FreshDocument(problem=contents.reason or reason or "it no longer contains text")
