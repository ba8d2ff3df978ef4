"""Compound files ([MS-CFB], the container of old Office files and Outlook messages): the storages and streams inside.

Nothing in them is believed: chains that loop or lead out of the file end there, and cost no more than the file's size.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER = struct.Struct("<8s16xHHHHH6x4xIIxxxxIIIII")
_LISTED_IN_HEADER = struct.Struct("<109I")
_ENTRY = struct.Struct("<64sHBxIII36xIQ")
_VERSION_3 = 3
_SHIFTS = (9, 12)  # sectors of 512 or 4096 bytes
_MINI_SECTOR = 64
_NO_ENTRY = 0xFFFFFFFF
_STORAGE, _STREAM, _ROOT = 1, 2, 5


class CompoundError(Exception):
    """The bytes are no compound file, or its tables are cut off."""


@dataclass(frozen=True)
class _Entry:
    name: str
    kind: int
    left: int
    right: int
    child: int
    start: int
    size: int


class _File:
    """The sectors of a compound file, and the tables that say which one follows which."""

    def __init__(self, data: bytes) -> None:
        if len(data) < _HEADER.size + _LISTED_IN_HEADER.size or not data.startswith(SIGNATURE):
            raise CompoundError("it does not begin as a compound file")
        header = _HEADER.unpack_from(data)
        _, _, version, _, shift, _, _, directory, self._cutoff, mini_table, _, more_tables, _ = header
        if shift not in _SHIFTS:
            raise CompoundError("its sectors have no known size")
        self._data = data
        self._sector = 1 << shift
        self._next = _numbers(b"".join(map(self._at, self._tables(data, more_tables))))
        self._mini_next = _numbers(self._chain(mini_table, len(data)))
        sizes = 0xFFFFFFFF if version == _VERSION_3 else 0xFFFFFFFFFFFFFFFF
        listing = self._chain(directory, len(data))
        self.entries = [_entry(listing, at, sizes) for at in range(0, len(listing) - _ENTRY.size + 1, _ENTRY.size)]
        if not self.entries or self.entries[0].kind != _ROOT:
            raise CompoundError("it has no directory")
        self._mini = self._chain(self.entries[0].start, self.entries[0].size)

    def content(self, entry: _Entry, most: int) -> bytes:
        """The bytes of a stream: `most` of them, or fewer where it ends before."""
        size = min(entry.size, most)
        if entry.size >= self._cutoff:
            return self._chain(entry.start, size)
        starts = (at * _MINI_SECTOR for at in _followed(self._mini_next, entry.start, size // _MINI_SECTOR + 1))
        return b"".join(self._mini[start : start + _MINI_SECTOR] for start in starts)[:size]

    def _chain(self, first: int, size: int) -> bytes:
        return b"".join(map(self._at, _followed(self._next, first, size // self._sector + 1)))[:size]

    def _at(self, number: int) -> bytes:
        start = (number + 1) * self._sector
        return self._data[start : start + self._sector]

    def _tables(self, data: bytes, more: int) -> Iterator[int]:
        """The sectors that hold the table of sectors: the first are listed in the header, the others in a chain."""
        sectors = len(data) // self._sector
        yield from (number for number in _LISTED_IN_HEADER.unpack_from(data, _HEADER.size) if number < sectors)
        seen: set[int] = set()
        while more < sectors and more not in seen:
            seen.add(more)
            listed = _numbers(self._at(more))
            yield from (number for number in listed[:-1] if number < sectors)
            more = listed[-1] if listed else _NO_ENTRY


class Storage:
    """A folder of a compound file. Names are compared as the format does: without regard to case."""

    def __init__(self, file: _File, entry: _Entry) -> None:
        self._file = file
        self._entries = {child.name.upper(): child for child in _children(file.entries, entry)}

    def __contains__(self, name: str) -> bool:
        return name.upper() in self._entries

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what is in it, sorted."""
        return tuple(sorted(entry.name for entry in self._entries.values()))

    def storage(self, name: str) -> Storage | None:
        """The folder of that name in this one."""
        entry = self._entries.get(name.upper())
        return Storage(self._file, entry) if entry is not None and entry.kind == _STORAGE else None

    def stream(self, name: str, most: int) -> bytes | None:
        """At most that many bytes of the stream of that name; None where there is none."""
        entry = self._entries.get(name.upper())
        return self._file.content(entry, most) if entry is not None and entry.kind == _STREAM else None


def compound(data: bytes) -> Storage:
    """The root of a compound file. Raises CompoundError where it is none, or is cut off."""
    file = _File(data)
    return Storage(file, file.entries[0])


def _followed(following: array[int], first: int, most: int) -> Iterator[int]:
    """The numbers of a chain, which ends where it leads out of its table, and at the latest after `most`."""
    number = first
    for _ in range(min(most, len(following))):
        if number >= len(following):
            return
        yield number
        number = following[number]


def _children(entries: list[_Entry], parent: _Entry) -> Iterator[_Entry]:
    """The entries of a folder, which form a tree of neighbours."""
    waiting, seen = [parent.child], {_NO_ENTRY}
    while waiting:
        number = waiting.pop()
        if number in seen or number >= len(entries):
            continue
        seen.add(number)
        entry = entries[number]
        yield entry
        waiting += (entry.left, entry.right)


def _entry(listing: bytes, at: int, sizes: int) -> _Entry:
    name, length, kind, left, right, child, start, size = _ENTRY.unpack_from(listing, at)
    text = name[: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
    return _Entry(text, kind, left, right, child, start, size & sizes)


def _numbers(data: bytes) -> array[int]:
    numbers = array("I", data[: len(data) // 4 * 4])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
