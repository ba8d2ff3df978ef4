"""Reads a file and the files inside it, at any depth, within limits that apply to their total."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath, PurePosixPath

from investigator.documents.imprints import imprint_of
from investigator.documents.readers.base import (
    MOST_CHARACTERS,
    MOST_MEMBERS,
    Extracted,
    Member,
    Reader,
    ReaderSettings,
    ReadFailure,
    SourceFile,
)
from investigator.records import Document, FileStatus, Unreadable

REST = "(the rest)"
"""Placeholder for the unread part of a file, used in place of the name of an inner file."""

MOST_UNPACKED = 1_000_000_000
"""Maximum number of bytes that one archive may unpack to."""
DEEPEST = 3
"""Maximum depth of nested archives."""
_DRIVE = re.compile(r"^[A-Za-z]:")
_LONGEST_PART = 200
_MOST_PARTS = 20
_SHARE_OF_TIME = 0.5  # stop once this fraction of the time limit has passed, so that the results so far are kept
_TELLING = (
    FileStatus.ENCRYPTED,
    FileStatus.NEEDS_OCR,
    FileStatus.TOO_LARGE,
    FileStatus.TIMED_OUT,
    FileStatus.FAILED,
    FileStatus.UNSUPPORTED,
    FileStatus.EMPTY,
)


@dataclass(frozen=True)
class Unpacked:
    """The contents of one file: its document, the documents of its inner files, and the inner files without text."""

    documents: tuple[Document, ...]
    unreadable: tuple[Unreadable, ...]


class Unpacking:
    """Reads one file. `reader_of` returns the media type and the reader of a file."""

    def __init__(self, reader_of: Callable[[SourceFile], tuple[str, Reader]], settings: ReaderSettings) -> None:
        self._reader_of = reader_of
        self._settings = settings
        self._end = time.monotonic() + _SHARE_OF_TIME * settings.max_seconds
        self._documents: list[Document] = []
        self._unreadable: list[Unreadable] = []
        self._names: dict[str, int] = {}
        self._members = 0
        self._bytes = 0
        self._characters = 0
        self._stopped = False

    def read(self, source: SourceFile, document_id: str, content_hash: str) -> Unpacked:
        """Read everything in the file. Raises ReadFailure if the file contains no text."""
        self._file(source, document_id, content_hash, depth=0)
        if not self._documents:
            raise _nothing(self._unreadable, document_id)
        return Unpacked(tuple(self._documents), tuple(self._unreadable))

    def _file(self, source: SourceFile, document_id: str, content_hash: str, depth: int) -> None:
        """Keep the contents of a file. Raises ReadFailure if nothing was kept or recorded as unreadable."""
        before = len(self._documents) + len(self._unreadable)
        with damage_as_failure():
            source, extracted = self._extracted(source)
        failure = self._keep_text(source, extracted, document_id, content_hash)
        try:
            with damage_as_failure():
                self._keep_members(extracted.members, document_id, depth)
        except ReadFailure as broken_off:
            failure = broken_off
        if len(self._documents) + len(self._unreadable) == before:
            raise failure or ReadFailure(FileStatus.EMPTY, "it contains no files")
        if failure is not None and failure.status is not FileStatus.EMPTY:
            self._leave_out(document_id, failure.status, failure.reason)

    def _extracted(self, source: SourceFile) -> tuple[SourceFile, Extracted]:
        most = self._settings.max_bytes
        if len(source.data) > most:
            raise ReadFailure(FileStatus.TOO_LARGE, f"more than the limit of {most:,} bytes (reader.max_bytes)")
        if not source.data.strip(b" \t\r\n\f\v\0"):
            if b"\0" in source.data:
                raise ReadFailure(FileStatus.FAILED, "it contains only zero bytes: it is damaged, or not fully copied")
            raise ReadFailure(FileStatus.EMPTY, "the file is empty")
        kind, reader = self._reader_of(source)
        typed = replace(source, media_type=kind)
        return typed, reader(typed, self._settings)

    def _keep_text(
        self, source: SourceFile, extracted: Extracted, document_id: str, content_hash: str
    ) -> ReadFailure | None:
        """Keep the file's own text; return the failure if it has none, or too much."""
        if not extracted.text.strip():
            if not extracted.members:
                return ReadFailure(FileStatus.EMPTY, "the file contains no text")
            return next((part for part in extracted.left_out if part.status is not FileStatus.EMPTY), None)
        if len(extracted.text) > MOST_CHARACTERS:
            reason = f"{len(extracted.text):,} characters of text, more than the limit of {MOST_CHARACTERS:,}"
            return ReadFailure(FileStatus.TOO_LARGE, reason)
        self._characters += len(extracted.text)
        self._documents.append(_document(source, extracted, document_id, content_hash))
        for part in extracted.left_out:
            self._leave_out(document_id, part.status, part.reason)
        return None

    def _keep_members(self, members: Iterable[Member], container_id: str, depth: int) -> None:
        """Keep the contents of the inner files; a limit of the whole file is reported once, where it is reached."""
        for member in members:
            if self._stopped:
                return
            if depth > DEEPEST:
                reason = f"nested archives are opened only {DEEPEST} deep"
                self._leave_out(container_id, FileStatus.TOO_LARGE, reason)
                return
            if (limit := self._limit()) is not None:
                self._stopped = True
                self._leave_out(container_id, *limit)
                return
            self._members += 1
            path = inner_path(member.name)
            member_id = self._unique(f"{container_id}/{path}")
            try:
                with damage_as_failure():
                    data = member.read()
                self._bytes += len(data)
                inner = SourceFile(data, PurePosixPath(path).name)
                self._file(inner, member_id, hashlib.sha256(data).hexdigest(), depth + 1)
            except ReadFailure as failure:
                self._unreadable.append(Unreadable(path=member_id, status=failure.status, reason=failure.reason))

    def _limit(self) -> tuple[FileStatus, str] | None:
        if self._members >= MOST_MEMBERS:
            return FileStatus.TOO_LARGE, f"more than {MOST_MEMBERS:,} files are inside"
        if max(self._bytes, self._characters) >= MOST_UNPACKED:
            return FileStatus.TOO_LARGE, f"it unpacks to more than {MOST_UNPACKED:,} bytes"
        if time.monotonic() > self._end:
            reason = f"unpacking took too much of the {self._settings.max_seconds:g} seconds for one file"
            return FileStatus.TIMED_OUT, f"{reason} (reader.max_seconds)"
        return None

    def _leave_out(self, container_id: str, status: FileStatus, reason: str) -> None:
        path = self._unique(f"{container_id}/{REST}")
        self._unreadable.append(Unreadable(path=path, status=status, reason=reason))

    def _unique(self, name: str) -> str:
        """Return a name that was not returned before: the second `name` becomes `name~2`."""
        unique = name
        while unique in self._names:
            self._names[name] += 1
            unique = f"{name}~{self._names[name]}"
        self._names[unique] = 1
        return unique


def inner_path(name: str) -> str:
    """Return the path of a file inside another file, as part of a document id: with forward slashes, and never empty.

    The path cannot escape its target folder: no drive, no leading slash, no `..`. Unprintable characters become U+FFFD;
    overlong parts are shortened in the middle, overlong paths at the beginning.
    """
    parts = (part.strip() for part in _DRIVE.sub("", name).replace("\\", "/").split("/"))
    return "/".join([_shown(part) for part in parts if part not in ("", ".", "..")][-_MOST_PARTS:]) or "unnamed"


def _shown(part: str) -> str:
    if len(part) > _LONGEST_PART:
        half = _LONGEST_PART // 2
        part = f"{part[:half]}…{part[-half:]}"
    return "".join(character if character.isprintable() else "\ufffd" for character in part)


@contextmanager
def damage_as_failure() -> Iterator[None]:
    """Turn a reader's exceptions into ReadFailure, except MemoryError: a damaged file must never stop the reading of
    other files.
    """
    try:
        yield
    except (ReadFailure, MemoryError):
        raise
    except Exception as error:
        raise ReadFailure(FileStatus.FAILED, "the file is damaged or not what its name says") from error


def _document(source: SourceFile, extracted: Extracted, document_id: str, content_hash: str) -> Document:
    return Document(
        id=document_id,
        title=_title(extracted, document_id),
        media_type=source.media_type,
        content_hash=content_hash,
        text=extracted.text,
        pages=extracted.pages,
        headings=extracted.headings,
        authors=extracted.authors,
        date=extracted.date,
        tables=extracted.tables,
        imprint=imprint_of(extracted.text),
    )


def _title(extracted: Extracted, document_id: str) -> str:
    stem = PurePath(document_id).stem
    own = extracted.title.strip()
    if own and own != stem:
        return own
    return extracted.headings[0].text if extracted.headings else stem


def _nothing(unreadable: list[Unreadable], document_id: str) -> ReadFailure:
    """Return the most specific reason why nothing in a file could be read, and the first member that it applies to."""
    worst = min((item.status for item in unreadable), key=_TELLING.index)
    first = next(item for item in unreadable if item.status is worst)
    others = len(unreadable) - 1
    more = f" (and {others:,} more could not be read)" if others else ""
    return ReadFailure(worst, f"{first.path.removeprefix(document_id + '/')}: {first.reason}{more}")
