"""Finds a file inside another file by its sha256, without extracting text from any of the files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath

from investigator.documents.readers import media_types as kinds
from investigator.documents.readers.base import MOST_MEMBERS, Member, ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.pdf.pdfium import attachments
from investigator.documents.readers.registry import reader_of
from investigator.documents.readers.unpacking import DEEPEST, MOST_UNPACKED, damage_as_failure, inner_path
from investigator.records import FileStatus

SOURCE_CHANGED = "the file has changed since it was read"
"""The reason given if no file has the requested contents."""

_HOLDERS = frozenset({kinds.ZIP, kinds.EML, kinds.MSG, kinds.MBOX, kinds.PDF})


def file_of(source: SourceFile, own_hash: str, content_hash: str, settings: ReaderSettings) -> bytes:
    """Return the bytes with the sha256 `content_hash`: those of the file itself, whose sha256 is `own_hash`, or those
    of a file inside it.

    Raises ReadFailure if no file has this sha256.
    """
    if own_hash == content_hash:
        return source.data
    unpacked = 0
    for number, data in enumerate(_inside(source, settings, depth=1)):
        unpacked += len(data)
        if number >= MOST_MEMBERS or unpacked > MOST_UNPACKED:
            break
        if hashlib.sha256(data).hexdigest() == content_hash:
            return data
    raise ReadFailure(FileStatus.FAILED, SOURCE_CHANGED)


def _inside(source: SourceFile, settings: ReaderSettings, depth: int) -> Iterator[bytes]:
    """Yield the bytes of each file inside a file; unreadable files are skipped."""
    for member in _members(source, settings):
        with suppress(ReadFailure):
            with damage_as_failure():
                data = member.read()
            yield data
            if depth < DEEPEST:
                yield from _inside(SourceFile(data, PurePosixPath(inner_path(member.name)).name), settings, depth + 1)


def _members(source: SourceFile, settings: ReaderSettings) -> Iterable[Member]:
    with damage_as_failure():
        kind, reader = reader_of(source)
        if kind not in _HOLDERS:
            return ()
        if kind == kinds.PDF:
            return attachments(source.data)
        return reader(replace(source, media_type=kind), settings).members
