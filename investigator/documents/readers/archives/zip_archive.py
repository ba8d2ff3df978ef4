"""Reads ZIP archives by yielding the files inside, one at a time. Nothing is written to disk."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from functools import partial

from investigator.documents.readers.archives.package import unpacked
from investigator.documents.readers.base import Extracted, Member, ReaderSettings, ReadFailure, SourceFile
from investigator.records import FileStatus

_UTF8_NAME = 0x800
_HIDDEN = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
_GUESSED = ["cp932", "gb18030", "big5", "cp949", "cp866", "cp1251", "cp1252", "cp437"]
_SINGLE_BYTE_LATIN = frozenset({"cp1251", "cp1252", "cp437"})
_DOS_LETTERS = frozenset({*range(0x80, 0x9B), *range(0xA0, 0xA6), 0xE1})  # code page 437's accented letters


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
    encoding = _encoding(b"\n".join(name for name in raw if not name.isascii()))
    return [
        bytes_.decode(encoding, errors="replace") if not bytes_.isascii() else info.filename
        for info, bytes_ in zip(infos, raw, strict=True)
    ]


def _encoding(names: bytes) -> str:
    """Return the encoding for names that do not declare one: UTF-8, or another encoding that ZIP programs have used."""
    try:
        names.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    from charset_normalizer import from_bytes

    best = from_bytes(names[:20_000], cp_isolation=_GUESSED).best()
    if best is None or best.encoding in _SINGLE_BYTE_LATIN:
        if all(byte in _DOS_LETTERS for byte in names if byte > 127):
            return "cp437"
        return best.encoding if best else "cp437"
    return best.encoding
