"""Compound files ([MS-CFB], the container of old Office files and Outlook messages), read by olefile.

The files are untrusted, so the sizes stored in them are capped at the size of the file, and looping chains are broken
off.
"""

from __future__ import annotations

import io
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import olefile

from investigator.documents.readers.base import ReadFailure
from investigator.records import FileStatus

SIGNATURE = bytes(olefile.MAGIC)
_HEADER = struct.Struct("<30xH12xI")  # the sector size as a power of two, and the number of sectors with tables
_SECTOR_SHIFTS = (9, 12)  # sectors of 512 or 4096 bytes
_TABLES_IN_HEADER = 109
_DEEPEST = 20_000  # limits olefile's recursion; some programs store siblings as one long chain


class Storage:
    """A folder in a compound file. Names are case-insensitive, as the format requires."""

    def __init__(self, file: olefile.OleFileIO, path: tuple[str, ...], entry: Any) -> None:
        self._file = file
        self._path = path
        self._entries = entry.kids_dict

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._entries

    @property
    def names(self) -> tuple[str, ...]:
        """Return the sorted names of the entries in this folder."""
        return tuple(sorted(entry.name for entry in self._entries.values()))

    def storage(self, name: str) -> Storage | None:
        """Return the subfolder with this name, or None."""
        entry = self._entries.get(name.lower())
        if entry is None or entry.entry_type != olefile.STGTY_STORAGE:
            return None
        return Storage(self._file, (*self._path, name), entry)

    def stream(self, name: str, most: int) -> bytes | None:
        """Return at most `most` bytes of the stream with this name, or None. Raises ReadFailure if the stream is
        damaged.
        """
        entry = self._entries.get(name.lower())
        if entry is None or entry.entry_type != olefile.STGTY_STREAM:
            return None
        with _damage_translated():
            return bytes(self._file.openstream([*self._path, name]).read(most))


def compound(data: bytes) -> Storage:
    """Return the root folder of a compound file. Raises ReadFailure if the data is not a compound file, or is
    truncated.
    """
    _check_header(data)
    with _damage_translated(), _deep_recursion():
        file = olefile.OleFileIO(io.BytesIO(data))
    file.num_mini_fat_sectors = min(file.num_mini_fat_sectors, len(file.fat))
    for entry in filter(None, file.direntries):
        entry.size = min(entry.size, len(file.fat) * file.sector_size)
    return Storage(file, (), file.root)


def _check_header(data: bytes) -> None:
    """Raise ReadFailure if the header claims more table sectors than the file has."""
    shift, tables = _HEADER.unpack_from(data.ljust(_HEADER.size))
    if shift not in _SECTOR_SHIFTS or tables > len(data) // ((1 << shift) ** 2 // 4) + _TABLES_IN_HEADER:
        raise _damaged()


def _damaged() -> ReadFailure:
    return ReadFailure(FileStatus.FAILED, "the file is truncated or damaged")


@contextmanager
def _damage_translated() -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, IndexError, OverflowError, RecursionError, struct.error) as error:
        raise _damaged() from error


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
