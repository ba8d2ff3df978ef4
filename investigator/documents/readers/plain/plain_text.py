"""Plain text: kept as in the file, so that line numbers are its own."""

from __future__ import annotations

from pathlib import PurePath

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, Source, cleaned
from investigator.documents.readers.decoding import decoded
from investigator.documents.readers.titles import first_title_line
from investigator.records import FileStatus

_PROSE_SUFFIXES = frozenset({"", ".txt", ".text"})


def text_of(source: Source) -> str:
    """The decoded bytes. Raises ReadFailure when they are no text."""
    text = decoded(source.data)
    if text is None:
        raise ReadFailure(FileStatus.UNSUPPORTED, "the file is neither text nor of a known format")
    return text


def read_plain(source: Source, settings: ReaderSettings) -> Extracted:
    """Reads text as it stands. Prose is called by its first line where that looks like a title."""
    text = cleaned(text_of(source))
    suffix = PurePath(source.name).suffix.lower()
    return Extracted(text=text, title=first_title_line(text) if suffix in _PROSE_SUFFIXES else "")
