"""Defines the input and output of all readers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from investigator.errors import ReaderError
from investigator.records import FileStatus, Heading, PageSpan, Record, Table

MOST_CHARACTERS = 20_000_000
"""Documents with more characters than this are rejected."""
MOST_MEMBERS = 2_000
"""Maximum number of files read from one archive; the rest are left out."""
READERS = "investigator.readers"
"""The entry point group through which other packages add readers."""

_REMOVED = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_MOST_BYTES = 1 << 44  # 16 TiB: the maximum that the system accepts, and more than any machine has


class HiddenText(StrEnum):
    """Treatment of text that a file does not show: left out and counted, or read and marked."""

    OMIT = "omit"
    MARK = "mark"


class ReaderSettings(Record):
    """Limits of the readers."""

    max_bytes: int = Field(
        default=200_000_000, gt=0, le=_MOST_BYTES, description="files with more bytes than this are not opened"
    )
    max_pages: int = Field(
        default=20_000, gt=0, le=10_000_000, description="PDF files with more pages than this are rejected"
    )
    max_seconds: float = Field(default=60, gt=0, le=86_400, description="time limit for one file, in seconds")
    max_memory: int = Field(
        default=3_000_000_000, gt=0, le=_MOST_BYTES, description="memory limit for one file, in bytes (Linux only)"
    )
    workers: int = Field(
        default=0, ge=0, le=256, description="number of processes that read files; 0 means one for each CPU"
    )
    ocr: bool = Field(default=True, description="read pictures and scans with Tesseract, if it is installed")
    ocr_languages: str = Field(
        default="eng", pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$", description="Tesseract's languages: eng+deu"
    )
    hidden: HiddenText = Field(
        default=HiddenText.OMIT,
        description="text that a file does not show: omit leaves it out and counts it, mark reads it with a mark",
    )


class ReadFailure(ReaderError):
    """Raised if no text can be read from a file; contains the file's status, and the reason in one plain line."""

    default_hint = "Convert the file to a supported format, or remove it from the folder."

    def __init__(self, status: FileStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


def hidden_parts(hidden: HiddenText, counts: Mapping[str, int], where: str = "") -> list[ReadFailure]:
    """Return the report of what a file does not show and was therefore not read, given the number of each kind ("row");
    none if there is nothing, or it was read with a mark.
    """
    named = ", ".join(f"{count} hidden {kind}{'' if count == 1 else 's'}" for kind, count in counts.items() if count)
    if not named or hidden is HiddenText.MARK:
        return []
    return [ReadFailure(FileStatus.HIDDEN, f"{named}{where} not read (reader.hidden=mark reads them)")]


def marked_hidden(text: str) -> str:
    """Return text that the file does not show, marked so that every quote of it shows the mark."""
    return f"[hidden: {text}]"


def comment_line(words: str, author: str, on: str = "") -> str:
    """Return a comment as it stands in the text; `on` names what it is on. Words may begin with their author's name."""
    by = f"{author}: " if author and not words.startswith(f"{author}:") else ""
    return f"comment{f' on {on}' if on else ''}: {by}{words}"


@dataclass(frozen=True)
class SourceFile:
    """The bytes of one file, its name (for the title, and as a fallback for its type), and its media type."""

    data: bytes
    name: str
    media_type: str = ""


@dataclass(frozen=True)
class Member:
    """A file in an archive or attached to a message: its name there, and a function that reads its bytes.

    `name` is unchecked: it may contain folders, or be hostile. `read` returns at most `max_bytes` + 1 bytes, and raises
    the same errors as a Reader.
    """

    name: str
    read: Callable[[], bytes]


@dataclass(frozen=True)
class Extracted:
    """The text and structure that a reader found. Offsets are characters of `text`, which is already `cleaned`.
    `left_out` lists the omitted parts of the file, such as unrecognised pages and truncated outputs, with the reasons.
    `members` yields the files inside the file one at a time; the caller limits their number and size.
    """

    text: str
    title: str = ""
    pages: tuple[PageSpan, ...] = ()
    headings: tuple[Heading, ...] = ()
    authors: tuple[str, ...] = ()
    date: str | None = None
    tables: tuple[Table, ...] = ()
    left_out: tuple[ReadFailure, ...] = ()
    members: Iterable[Member] = ()


Reader = Callable[[SourceFile, ReaderSettings], Extracted]
"""Reads the bytes of one file. Raises ReadFailure; any other exception means that the file is damaged or, if the reader
is a plug-in, that the plug-in failed.
"""


def cleaned(text: str) -> str:
    """Return the text with \\n as its only line ending, and without characters that the store or wire format cannot
    represent.

    The removed characters are lone surrogates, non-characters, and control characters other than tab, line feed and
    form feed.
    """
    return _REMOVED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
