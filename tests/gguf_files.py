"""Headers of GGUF files, for tests."""

from __future__ import annotations

import struct
from typing import TypeAlias

Entry: TypeAlias = tuple[str, int, bytes]
"""A key, the number of its value's kind, and the bytes of the value."""


def header(*entries: Entry) -> bytes:
    """Return the beginning of a GGUF file, version 3, with these entries and no tensors."""
    body = b"".join(_string(key) + struct.pack("<I", kind) + value for key, kind, value in entries)
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + body


def text(key: str, value: str) -> Entry:
    """Return an entry with a text."""
    return key, 8, _string(value)


def number(key: str, value: int) -> Entry:
    """Return an entry with a whole number."""
    return key, 4, struct.pack("<I", value)


def array(key: str, *values: str) -> Entry:
    """Return an entry with a list of texts."""
    return key, 9, struct.pack("<IQ", 8, len(values)) + b"".join(_string(value) for value in values)


def model(context: int = 4096) -> bytes:
    """Create a file with the header of a language model, but without a model."""
    return header(text("general.architecture", "llama"), number("llama.context_length", context))


def _string(value: str) -> bytes:
    written = value.encode()
    return struct.pack("<Q", len(written)) + written
