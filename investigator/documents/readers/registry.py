"""Finds the reader for a file: one of our own (see `versions.OWN`), imported when first needed, or a plug-in.

Another package adds a reader with an entry point in the group `investigator.readers`. The entry point's name is a
suffix that none of our readers supports (`.toy`) or, for ZIP packages that declare their media type, that media type;
its value is the reader (`toys:read_toy`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import PurePath

from investigator.documents.own_results import is_own_result
from investigator.documents.readers import media_types as kinds
from investigator.documents.readers.base import (
    READERS,
    Extracted,
    Member,
    Reader,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    cleaned,
)
from investigator.documents.readers.decoding import damaged_utf8
from investigator.documents.readers.unpacking import Unpacked, Unpacking
from investigator.documents.readers.versions import OWN, TEXTS, reader_version
from investigator.errors import SettingsError
from investigator.language.normalise import one_line
from investigator.plugins import load, plug_ins
from investigator.records import FileStatus

__all__ = ["Unpacked", "read", "reader_of"]

_LONGEST_ERROR = 200


def read(source: SourceFile, document_id: str, content_hash: str, settings: ReaderSettings) -> Unpacked:
    """Read a file and the files inside it; no further inner file is opened once half of the time limit has passed.

    The id of an inner file consists of the outer file's id, a slash, and its path inside. Raises ReadFailure if the
    file yields no text (because it is empty, encrypted, a scan, unsupported, too large or damaged), and MemoryError.
    """
    unpacked = Unpacking(reader_of, settings).read(source, document_id, content_hash)
    documents = tuple(document.changed(reader=reader_version(document.media_type)) for document in unpacked.documents)
    return replace(unpacked, documents=documents)


def reader_of(source: SourceFile) -> tuple[str, Reader]:
    """Return the media type and reader of a file, determined by its suffix if only a plug-in supports that suffix,
    otherwise by its bytes.

    Raises ReadFailure if no reader supports the file, or if it is a result of this program.
    """
    if is_own_result(source.data):  # an answer must never become evidence
        raise ReadFailure(FileStatus.EMPTY, "a result of this program is not evidence")
    suffix = PurePath(source.name).suffix.lower()
    if suffix and suffix not in kinds.SUFFIXES and suffix in plug_ins(READERS):
        return f"application/x-{suffix[1:]}", _plug_in(suffix)
    kind = kinds.media_type(source.data, source.name)
    if kind in OWN:
        return kind, own_reader(kind)
    if kind in plug_ins(READERS):
        return kind, _plug_in(kind)
    raise ReadFailure(FileStatus.UNSUPPORTED, f"files of the type {kind[:80]} are not supported")


@cache
def own_reader(kind: str) -> Reader:
    """Return our own reader for a media type, imported on demand, because most folders contain few kinds of files."""
    module, _, function = OWN[kind].function.partition(":")
    reader: Reader = getattr(import_module(f"{__package__}.{module}"), function)
    return _reporting_damage(reader) if kind in TEXTS else reader


def _reporting_damage(reader: Reader) -> Reader:
    """Wrap a reader so that it also reports the number of lost characters if the file is slightly damaged UTF-8."""

    def read(source: SourceFile, settings: ReaderSettings) -> Extracted:
        extracted = reader(source, settings)
        lost = damaged_utf8(source.data)
        if not lost:
            return extracted
        characters = "1 damaged character appears" if lost == 1 else f"{lost:,} damaged characters appear"
        # such characters cannot hide an answer, so "not in the documents" remains possible
        damage = ReadFailure(FileStatus.EMPTY, f"{characters} as \ufffd in the text: the bytes are not UTF-8")
        return replace(extracted, left_out=(*extracted.left_out, damage))

    return read


def _plug_in(name: str) -> Reader:
    """Return a reader from another package. Raises ReadFailure if the reader cannot be loaded."""
    point = plug_ins(READERS)[name]
    try:
        reader = load(point)
    except SettingsError as error:
        raise ReadFailure(FileStatus.UNSUPPORTED, one_line(str(error))) from error

    @contextmanager
    def blamed() -> Iterator[None]:
        try:
            yield
        except (ReadFailure, MemoryError):
            raise
        except Exception as error:  # blame the plug-in, so that nobody looks for the cause in the file
            message = one_line(f"{type(error).__name__}: {error}")[:_LONGEST_ERROR]
            package = f" of the package {point.dist.name}" if point.dist else ""
            raise ReadFailure(FileStatus.FAILED, f"the plug-in {point.value}{package} failed ({message})") from error

    def members_of(extracted: Extracted) -> Iterator[Member]:
        with blamed():
            for member in extracted.members:
                yield replace(member, read=blamed()(member.read))

    def read_with_plug_in(source: SourceFile, settings: ReaderSettings) -> Extracted:
        with blamed():
            extracted = reader(source, settings) if callable(reader) else None
        if not isinstance(extracted, Extracted):
            raise ReadFailure(FileStatus.FAILED, f"the plug-in {point.value} did not return an Extracted")
        extracted = replace(extracted, members=members_of(extracted) if extracted.members else ())
        text = cleaned(extracted.text)
        if text == extracted.text:
            return extracted
        return replace(extracted, text=text, pages=(), headings=(), tables=())  # offsets refer to the original text

    return read_with_plug_in
