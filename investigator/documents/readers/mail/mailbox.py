"""Reads mailboxes (.mbox); each message is a member."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.parser import BytesHeaderParser

from investigator.documents.readers.base import Extracted, Member, ReaderSettings, SourceFile
from investigator.documents.readers.mail.character_sets import AS_WRITTEN, header_text

_START = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{1,200}\d\d:\d\d[^\r\n]{0,50}\d{4}[^\r\n]{0,50}\r?\n")
_QUOTED_START = re.compile(rb"^>(>*From )", re.M)
_LONGEST_HEAD = 100_000
_LONGEST_SUBJECT = 80
_ODD = re.compile(r"[/\\:*?\"<>|]+")


def read_mailbox(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Opens a mailbox, which has no text of its own."""
    return Extracted(text="", members=_messages(source.data))


def _messages(data: bytes) -> Iterator[Member]:
    """Yield the messages in order; each begins after a line with `From `, the sender and the time."""
    number, begin = 0, None
    for start in _START.finditer(data):
        if begin is not None:
            number += 1
            yield _member(data, begin, start.start(), number)
        begin = start.end()
    if begin is not None:
        yield _member(data, begin, len(data), number + 1)


def _member(data: bytes, begin: int, end: int, number: int) -> Member:
    head = data[begin : min(end, begin + _LONGEST_HEAD)]
    subject = header_text(str(BytesHeaderParser(policy=AS_WRITTEN).parsebytes(head).get("subject", "")))
    words = _ODD.sub("-", subject)[:_LONGEST_SUBJECT].strip(" .-")
    return Member(f"{number:04} {words}".strip() + ".eml", lambda: _QUOTED_START.sub(rb"\1", data[begin:end]))
