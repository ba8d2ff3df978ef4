"""Messages between a reading process and the process that started it: records, sent as lines of JSON."""

from __future__ import annotations

from typing import BinaryIO

from pydantic import ConfigDict

from investigator.documents.chunks import ChunkSettings
from investigator.documents.readers.base import ReaderSettings
from investigator.records import FileStatus, Record, SplitDocument, Unreadable
from investigator.records.pages import DrawnPage, PageOrder

_LONGEST = 1 << 32  # maximum number of bytes per record


class DrawingOrder(Record):
    """The pages to render, and the sha256 of the PDF that contains them: the requested file, or a file inside it."""

    content_hash: str
    pages: tuple[PageOrder, ...]


class ReadRequest(Record):
    """A file to read: `path` below the folder `root`, without links; both are spelled as in the file system.
    `known_hash` is the sha256 of contents that need not be read again. With `drawing`, pages are rendered and no
    text is read.
    """

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    id: str
    root: bytes
    path: bytes
    known_hash: str = ""
    reader: ReaderSettings
    chunks: ChunkSettings
    drawing: DrawingOrder | None = None


class Opened(Record):
    """An opened file: its stamp at the time of reading, and the sha256 of its bytes."""

    content_hash: str
    size: int
    mtime_ns: int
    inode: int


class Contents(Record):
    """The outcome of reading a file: its documents and the parts without text, or the reason for failure. `known` is
    True if the file was not read because its hash was known. `drawn` contains the requested pages that exist.
    """

    status: FileStatus
    reason: str = ""
    known: bool = False
    documents: tuple[SplitDocument, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    drawn: tuple[DrawnPage, ...] = ()
    peak_memory: int = 0  # peak memory of the process, in bytes


class ReadAnswer(Record):
    """A message from a reader process. The first message is empty and signals that the process is ready; later ones
    contain the opened file and its contents.
    """

    opened: Opened | None = None
    contents: Contents | None = None


def send(stream: BinaryIO, record: Record) -> None:
    """Write one record. Raises OSError if the other side has closed the pipe."""
    stream.write(record.model_dump_json().encode("utf-8") + b"\n")
    stream.flush()


def receive(stream: BinaryIO) -> bytes | None:
    """Read the next record from its wire format; None if the other process has ended, even in the middle of a
    record.
    """
    line = stream.readline(_LONGEST)
    return line if line.endswith(b"\n") else None
