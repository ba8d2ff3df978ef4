"""Reads text with a few damaged bytes, and reports the damage."""

from __future__ import annotations

from dataclasses import replace

from investigator.documents.readers.base import Extracted, Reader, ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.decoding import damaged_utf8
from investigator.records import FileStatus


def telling_damage(reader: Reader) -> Reader:
    """Wrap a reader so that it also reports the number of lost characters if the file is slightly damaged UTF-8."""

    def read(source: SourceFile, settings: ReaderSettings) -> Extracted:
        found = reader(source, settings)
        lost = damaged_utf8(source.data)
        if not lost:
            return found
        characters = "1 damaged character appears" if lost == 1 else f"{lost:,} damaged characters appear"
        # no answer can be lost there, so "not in the documents" remains possible
        told = ReadFailure(FileStatus.EMPTY, f"{characters} as \ufffd in the text: the bytes are not UTF-8")
        return replace(found, left_out=(*found.left_out, told))

    return read
