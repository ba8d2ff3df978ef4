"""Outlook messages (.msg, [MS-OXMSG]), converted to the form in which mail is sent. olefile reads the container."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.encoders import encode_base64
from email.header import Header
from email.message import Message
from email.mime.base import MIMEBase
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime, formataddr
from typing import Any

import olefile
from compressed_rtf import decompress

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.mail.character_sets import AS_WRITTEN, text_in
from investigator.documents.readers.mail.message import ELSEWHERE, extracted_message
from investigator.documents.readers.markup.rtf import read_rtf
from investigator.records import FileStatus

_SUBJECT, _BODY, _HTML, _RTF = 0x0037, 0x1000, 0x1013, 0x1009
_SENDER, _SENT_FOR, _SENDER_SMTP, _SENDER_ADDRESS = 0x0C1A, 0x0042, 0x5D01, 0x0C1F
_SENT, _DELIVERED = 0x0039, 0x0E06
_SHOWN_TO, _SHOWN_CC, _ROLE = 0x0E04, 0x0E03, 0x0C15
_NAME, _ADDRESS, _SMTP = 0x3001, 0x3003, 0x39FE
_LONG_FILE_NAME, _FILE_NAME, _CONTENT, _CONTENT_ID = 0x3707, 0x3704, 0x3701, 0x3712
_CODE_PAGES = (0x3FFD, 0x3FDE)  # of the message, and of its body
_ANSI, _UNICODE, _BINARY, _STORAGE = 0x001E, 0x001F, 0x0102, 0x000D
_TO, _CC = 1, 2
_LONGEST_LINE = 1_000_000
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)


def read_outlook(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a message; its attachments, including attached messages, are members. Damaged attachments are left out."""
    damaged: list[ReadFailure] = []
    with olefile.OleFileIO(io.BytesIO(source.data)) as file:
        for entry in filter(None, file.direntries):  # a size beyond the file's would be read in a loop
            entry.size = min(entry.size, len(source.data))
        message = extracted_message(_message(_Storage(file), settings, damaged), settings.hidden)
    return replace(message, left_out=tuple(damaged))


@dataclass(frozen=True)
class _Storage:
    """A message, recipient or attachment: a folder in the file, with properties that are known by number."""

    file: Any
    path: tuple[str, ...] = ()
    charset: str = ""

    def data(self, number: int, kind: int = _BINARY) -> bytes | None:
        """Return the bytes of a property, or None if it is missing."""
        path = [*self.path, _stream(number, kind)]
        return bytes(self.file.openstream(path).read()) if self.file.exists(path) else None

    def text(self, number: int) -> str:
        """Return a text property; empty if it is missing."""
        data = self.data(number, _UNICODE)
        if data is not None:
            return data.decode("utf-16-le", "replace").rstrip("\0")
        data = self.data(number, _ANSI)
        return text_in(data, self.charset or self.code_page(*_CODE_PAGES)).rstrip("\0") if data else ""

    def line(self, *numbers: int) -> str:
        """Return the first of several text properties that is not empty, on one line."""
        return next((line for number in numbers if (line := " ".join(self.text(number).split()))), "")

    def number(self, number: int) -> int:
        """Return a property of fixed size; 0 if it is missing. The list of them begins with a header whose length
        varies.
        """
        listing = self.file.openstream([*self.path, "__properties_version1.0"]).read()
        for at in range(len(listing) % 16, len(listing) - 15, 16):
            if struct.unpack_from("<H", listing, at + 2)[0] == number:
                return int.from_bytes(listing[at + 8 : at + 16], "little")
        return 0

    def code_page(self, *numbers: int) -> str:
        """Return the character set that the first of several properties states; empty if none does."""
        page = next((page for number in numbers if (page := self.number(number) & 0xFFFFFFFF)), 0)
        return {0: "", 65001: "utf-8", 20127: ""}.get(page, f"cp{page}")

    def parts(self, beginning: str) -> Iterator[_Storage]:
        """Yield the recipients or attachments; `beginning` is the prefix of their names."""
        depth = len(self.path)
        for path in self.file.listdir(streams=False, storages=True):
            if len(path) == depth + 1 and tuple(path[:depth]) == self.path and path[depth].startswith(beginning):
                yield _Storage(self.file, tuple(path), self.charset or self.code_page(*_CODE_PAGES))


def _message(storage: _Storage, settings: ReaderSettings, damaged: list[ReadFailure]) -> Message:
    """Return a message with its headers, its body in one or two forms, and its attachments; note the damaged ones."""
    message = MIMEMultipart(policy=AS_WRITTEN)
    for name, value in _headers(storage):
        if value:
            message[name] = value if value.isascii() else Header(value, "utf-8", maxlinelen=_LONGEST_LINE).encode()
    body = MIMEMultipart("alternative")
    page = storage.data(_HTML)
    html = text_in(page, storage.code_page(_CODE_PAGES[1])) if page else storage.text(_HTML)
    plain = storage.text(_BODY)
    if not (plain.strip() or html.strip()):
        plain = _rich_text(storage, settings)
    for text, form in ((plain, "plain"), (html, "html")):
        if text.strip():
            body.attach(MIMEText(cleaned(text), form, "utf-8"))
    message.attach(body)
    for number, attachment in enumerate(storage.parts("__attach_version1.0_"), start=1):
        try:
            identity = attachment.line(_CONTENT_ID).strip("<>")
            if not identity or f"cid:{identity}" not in html:  # otherwise it is a picture in the page
                message.attach(_attached(attachment, settings, damaged))
        except (OSError, ValueError, LookupError, struct.error):
            damaged.append(ReadFailure(FileStatus.FAILED, f"attachment {number} is damaged"))
    return message


def _headers(message: _Storage) -> Iterator[tuple[str, str]]:
    yield "From", _person(message.line(_SENDER, _SENT_FOR), message.line(_SENDER_SMTP, _SENDER_ADDRESS))
    recipients = [*message.parts("__recip_version1.0_")]
    for header, role, shown in (("To", _TO, _SHOWN_TO), ("Cc", _CC, _SHOWN_CC)):
        people = [
            _person(person.line(_NAME), person.line(_SMTP, _ADDRESS))
            for person in recipients
            if person.number(_ROLE) == role
        ]
        yield header, ", ".join(filter(None, people)) or message.line(shown)
    ticks = message.number(_SENT) or message.number(_DELIVERED)
    with suppress(OverflowError):
        yield "Date", format_datetime(_EPOCH + timedelta(microseconds=ticks // 10)) if ticks else ""
    yield "Subject", cleaned(message.line(_SUBJECT))


def _person(name: str, address: str) -> str:
    """Return the name and address of a person; addresses inside an organisation's own directory are omitted."""
    name = cleaned(name)
    if "@" in address and address != name and address.isascii():
        return formataddr((name, address))
    return f'"{name}"' if "," in name else name


def _rich_text(message: _Storage, settings: ReaderSettings) -> str:
    packed = message.data(_RTF)
    rtf = bytes(decompress(packed)) if packed else b""
    return read_rtf(SourceFile(rtf, ""), settings).text if rtf.startswith(b"{\\rtf") else ""


def _attached(attachment: _Storage, settings: ReaderSettings, damaged: list[ReadFailure]) -> Message:
    inner = (*attachment.path, _stream(_CONTENT, _STORAGE))
    if attachment.file.exists([*inner, "__properties_version1.0"]):
        return MIMEMessage(_message(_Storage(attachment.file, inner), settings, damaged))
    name = attachment.line(_LONG_FILE_NAME, _FILE_NAME, _NAME)
    content = attachment.data(_CONTENT)
    part = MIMEBase("application", ELSEWHERE if content is None else "octet-stream")
    part.set_payload(content or b"")
    encode_base64(part)
    part.add_header("Content-Disposition", "attachment", **({"filename": ("utf-8", "", name)} if name else {}))
    return part


def _stream(number: int, kind: int) -> str:
    return f"__substg1.0_{number:04X}{kind:04X}"
