"""Fixtures that read bytes as a file of a given name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from investigator.documents.readers.base import ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.registry import Unpacked
from investigator.documents.readers.registry import read as read_source
from investigator.records import Document, FileStatus

Read = Callable[..., Document]
ReadAll = Callable[..., Unpacked]
Refused = Callable[..., FileStatus]


@pytest.fixture
def read_all() -> ReadAll:
    """Return a function that reads bytes (or text, as UTF-8) as the named file, with the files inside it."""

    def read_bytes(name: str, data: bytes | str, **settings: object) -> Unpacked:
        source = SourceFile(data.encode() if isinstance(data, str) else data, name)
        return read_source(source, name, "hash", ReaderSettings.model_validate(settings))

    return read_bytes


@pytest.fixture
def read(read_all: ReadAll) -> Read:
    """Return a function that reads bytes as the named file, and returns its first document."""
    return lambda name, data, **settings: read_all(name, data, **settings).documents[0]


@pytest.fixture
def refused(read: Read) -> Refused:
    """Return a function that reads bytes that must give no text, and returns their status; the reason must be one plain
    line.
    """

    def refusal(name: str, data: bytes | str, **settings: int) -> FileStatus:
        with pytest.raises(ReadFailure) as caught:
            read(name, data, **settings)
        reason = caught.value.reason
        assert reason
        assert "\n" not in reason
        assert not any(noise in reason for noise in ("Error", "Exception", "Traceback", "::", "FPDF"))
        return caught.value.status

    return refusal
