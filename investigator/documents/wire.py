"""How a reading process and its owner talk: records in their wire form, each after its length."""

from __future__ import annotations

import struct
from typing import BinaryIO

from investigator.records import Record

_LENGTH = struct.Struct(">Q")
_LONGEST = 1 << 32


def send(stream: BinaryIO, record: Record) -> None:
    """Write one record. Raises OSError where nobody reads any more."""
    data = record.model_dump_json().encode("utf-8")
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: BinaryIO) -> bytes | None:
    """The wire form of the next record; None where the other side has ended, also in the middle of one."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > _LONGEST:
        return None
    data = stream.read(length)
    return data if len(data) == length else None
