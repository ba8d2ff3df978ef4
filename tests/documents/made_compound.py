"""Compound files and Outlook messages for tests, written byte by byte as in [MS-CFB] and [MS-OXMSG]."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Union

Tree = Mapping[str, Union[bytes, "Tree"]]

_FREE, _END, _TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR, _MINI, _CUTOFF = 512, 64, 4096


def compound_file(tree: Tree) -> bytes:
    """Return a compound file (version 3) with storages (mappings) and streams (bytes)."""
    return _Writer(tree).data()


def outlook_message(
    texts: Mapping[int, str | bytes],
    *,
    recipients: Sequence[tuple[int, str, str]] = (),
    attachments: Sequence[Tree] = (),
    numbers: Mapping[int, int] | None = None,
    head: int = 32,
) -> dict[str, bytes | Tree]:
    """Return the storages of a message: texts by property (bytes become ANSI), people as (role, name, address)."""
    tree: dict[str, bytes | Tree] = {"__properties_version1.0": bytes(head) + _numbers(numbers or {})}
    tree |= {_name(key, value): _bytes(value) for key, value in texts.items()}
    for number, (role, name, address) in enumerate(recipients):
        tree[f"__recip_version1.0_#{number:08X}"] = {
            "__properties_version1.0": bytes(8) + _numbers({0x0C15: role}),
            _name(0x3001, name): _bytes(name),
            _name(0x39FE, address): _bytes(address),
        }
    for number, attachment in enumerate(attachments):
        tree[f"__attach_version1.0_#{number:08X}"] = attachment
    return tree


def attachment(name: str, content: bytes, content_id: str = "") -> Tree:
    """Return a file attached to an Outlook message."""
    tree: dict[str, bytes | Tree] = {
        "__properties_version1.0": bytes(8),
        _name(0x3707, name): _bytes(name),
        "__substg1.0_37010102": content,
    }
    return tree | ({_name(0x3712, content_id): _bytes(content_id)} if content_id else {})


def attached_message(message: Tree) -> Tree:
    """Return a message attached to an Outlook message."""
    return {"__properties_version1.0": bytes(8), "__substg1.0_3701000D": message}


def _name(key: int, value: str | bytes) -> str:
    return f"__substg1.0_{key:04X}{'001E' if isinstance(value, bytes) else '001F'}"


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-16-le")


def _numbers(values: Mapping[int, int]) -> bytes:
    return b"".join(struct.pack("<HHIQ", 0x0003, key, 6, value) for key, value in values.items())


class _Writer:
    def __init__(self, tree: Tree) -> None:
        self._sectors: list[bytes] = []
        self._next: list[int] = []
        self._mini = b""
        self._mini_next: list[int] = []
        self._entries: list[list[object]] = [["Root Entry", 5, _FREE, _FREE, _END, 0]]
        self._add_children(0, tree)

    def data(self) -> bytes:
        self._entries[0][4], self._entries[0][5] = self._chain(self._mini), len(self._mini)
        entries = b"".join(self._entry(*entry) for entry in self._entries)
        directory = self._chain(entries + self._entry("", 0, _FREE, _FREE, 0, 0) * (-len(self._entries) % 4))
        mini_table = self._chain(_packed(self._mini_next)) if self._mini_next else _END
        tables = 1
        while tables * _SECTOR // 4 < len(self._next) + tables:
            tables += 1
        first = len(self._next)
        self._next += [_TABLE] * tables
        table = _packed(self._next)
        head = struct.pack(
            "<8s16xHHHHH6xIIIIIIIII",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            *(0x3E, 3, 0xFFFE, 9, 6),
            *(0, tables, directory, 0, _CUTOFF, mini_table, bool(self._mini_next), _END, 0),
        )
        listed = [*range(first, first + tables)] + [_FREE] * (109 - tables)
        return head + struct.pack("<109I", *listed) + b"".join(self._sectors) + table

    def _add_children(self, parent: int, tree: Tree) -> None:
        before = None
        for name, content in tree.items():
            number = len(self._entries)
            self._entries.append([name, 2 if isinstance(content, bytes) else 1, _FREE, _FREE, 0, 0])
            if before is None:
                self._entries[parent][3] = number
            else:
                self._entries[before][2] = number
            before = number
            if isinstance(content, bytes):
                self._entries[number][4], self._entries[number][5] = self._stream(content), len(content)
            else:
                self._add_children(number, content)

    def _stream(self, content: bytes) -> int:
        if len(content) >= _CUTOFF:
            return self._chain(content)
        if not content:
            return _END
        first = len(self._mini_next)
        count = -(-len(content) // _MINI)
        self._mini += content.ljust(count * _MINI, b"\0")
        self._mini_next += [*range(first + 1, first + count), _END]
        return first

    def _chain(self, content: bytes) -> int:
        if not content:
            return _END
        first = len(self._next)
        count = -(-len(content) // _SECTOR)
        padded = content.ljust(count * _SECTOR, b"\0")
        self._sectors += [padded[i : i + _SECTOR] for i in range(0, len(padded), _SECTOR)]
        self._next += [*range(first + 1, first + count), _END]
        return first

    @staticmethod
    def _entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
        encoded = name.encode("utf-16-le")
        length = len(encoded) + 2 if name else 0
        return struct.pack("<64sHBBIII36xIQ", encoded, length, kind, 1, _FREE, right, child, start, size)


def _packed(numbers: list[int]) -> bytes:
    numbers = numbers + [_FREE] * (-len(numbers) % (_SECTOR // 4))
    return struct.pack(f"<{len(numbers)}I", *numbers)
