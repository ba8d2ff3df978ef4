"""Reads ZIP archives by yielding the files inside, one at a time. Nothing is written to disk."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from functools import partial

from investigator.documents.readers.archives.package import unpacked
from investigator.documents.readers.base import Extracted, Member, ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.decoding import likely_encoding
from investigator.records import FileStatus

_UTF8_NAME = 0x800
_HIDDEN = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
_OF_ZIP_PROGRAMS = ("cp437", "cp932", "gb18030", "big5", "cp949", "cp866", "cp1251", "cp1252")


def read_archive(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Opens an archive. The archive has no text of its own; folders and hidden files in it are skipped."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(source.data))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise ReadFailure(FileStatus.FAILED, "the archive is truncated or damaged") from error
    return Extracted(text="", members=_members(archive, settings.max_bytes))


def _members(archive: zipfile.ZipFile, most: int) -> Iterator[Member]:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    for info, name in zip(infos, _names(infos), strict=True):
        if not _is_hidden(name):
            yield Member(name, partial(unpacked, archive, info, most))


def _is_hidden(name: str) -> bool:
    parts = [part for part in name.replace("\\", "/").split("/") if part not in (".", "..")]
    return any(part.startswith((".", "~$")) or part in _HIDDEN for part in parts)


def _names(infos: list[zipfile.ZipInfo]) -> list[str]:
    """Return the members' names; a single name is too short to identify its encoding, so all are examined together."""
    raw = [b"" if info.flag_bits & _UTF8_NAME else info.orig_filename.encode("cp437", "replace") for info in infos]
    together = b"\n".join(name for name in raw if not name.isascii())
    try:
        together.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = likely_encoding(together, _OF_ZIP_PROGRAMS)
    return [
        name.decode(encoding, errors="replace") if not name.isascii() else info.filename
        for info, name in zip(infos, raw, strict=True)
    ]
