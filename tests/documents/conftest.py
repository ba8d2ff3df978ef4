"""Reading bytes as a file of a given name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.readers.registry import read_file
from investigator.records import Document, FileStatus

Read = Callable[..., Document]
Refused = Callable[..., FileStatus]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads bytes (or text, as UTF-8) as the file of that name."""

    def read_bytes(name: str, data: bytes | str, **settings: int) -> Document:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read_file(path, name, "hash", ReaderSettings(**settings))

    return read_bytes


@pytest.fixture
def refused(read: Read) -> Refused:
    """Reads bytes that must give no text; the status they are refused with. The reason must be one plain line."""

    def refusal(name: str, data: bytes | str, **settings: int) -> FileStatus:
        with pytest.raises(ReadFailure) as caught:
            read(name, data, **settings)
        reason = caught.value.reason
        assert reason
        assert "\n" not in reason
        assert not any(noise in reason for noise in ("Error", "Exception", "Traceback", "::", "FPDF"))
        return caught.value.status

    return refusal
