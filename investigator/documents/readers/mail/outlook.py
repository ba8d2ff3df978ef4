"""Outlook messages (.msg, [MS-OXMSG]): headers, body and attachments, which may themselves be messages."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.header import Header
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime
from functools import partial

from investigator.documents.readers.archives.compound import Storage, compound
from investigator.documents.readers.base import Extracted, Member, ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.mail.character_sets import text_in
from investigator.documents.readers.mail.compressed_rtf import decompressed_rtf
from investigator.documents.readers.mail.mail import Mail, extracted_mail
from investigator.documents.readers.markup.rtf import read_rtf
from investigator.records import FileStatus

_PROPERTIES = "__properties_version1.0"
_SUBJECT, _BODY, _HTML, _RTF, _KIND = 0x0037, 0x1000, 0x1013, 0x1009, 0x001A
_SENDER, _SENT_FOR, _SENDER_SMTP, _SENDER_ADDRESS = 0x0C1A, 0x0042, 0x5D01, 0x0C1F
_SENT, _DELIVERED = 0x0039, 0x0E06
_SHOWN_TO, _SHOWN_CC, _ROLE = 0x0E04, 0x0E03, 0x0C15
_NAME, _ADDRESS, _SMTP = 0x3001, 0x3003, 0x39FE
_LONG_FILE_NAME, _FILE_NAME, _CONTENT, _CONTENT_ID, _CONTENT_TYPE = 0x3707, 0x3704, 0x3701, 0x3712, 0x370E
_MESSAGE_CODE_PAGE, _BODY_CODE_PAGE = 0x3FFD, 0x3FDE
_ANSI, _UNICODE, _BINARY, _STORAGE = 0x001E, 0x001F, 0x0102, 0x000D
_TO, _CC = 1, 2
_LONGEST_LINE = 1_000_000
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)


def read_outlook(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a message; its attachments, including attached messages, are members."""
    return extracted_mail(_mail(_Properties(compound(source.data)), settings))


class _Properties:
    """The properties of a message, recipient or attachment, keyed by number."""

    def __init__(self, storage: Storage, code_page: str = "") -> None:
        self.storage = storage
        self._fixed = dict(_fixed(storage.stream(_PROPERTIES, _LONGEST_LINE) or b""))
        self._code_page = code_page or self._charset(_MESSAGE_CODE_PAGE) or self._charset(_BODY_CODE_PAGE)

    def text(self, number: int, most: int = _LONGEST_LINE) -> str:
        """Return a text property; empty if it is missing."""
        data = self.storage.stream(_stream(number, _UNICODE), most)
        if data is not None:
            return data.decode("utf-16-le", "replace").rstrip("\0")
        data = self.storage.stream(_stream(number, _ANSI), most)
        return text_in(data, self._code_page).rstrip("\0") if data else ""

    def line(self, number: int) -> str:
        """Return a text property on one line."""
        return " ".join(self.text(number).split())

    def page(self, number: int, most: int) -> str:
        """Return a text property that may also be stored as bytes, in the code page of the body."""
        data = self.storage.stream(_stream(number, _BINARY), most)
        return text_in(data, self._charset(_BODY_CODE_PAGE)) if data else self.text(number, most)

    def number(self, number: int) -> int:
        """Return a numeric property; 0 if it is missing."""
        return int.from_bytes(self._fixed.get(number, b"")[:4], "little")

    def time(self, number: int) -> str:
        """Return a time property in the format of mail headers; empty if it is missing."""
        ticks = int.from_bytes(self._fixed.get(number, b""), "little")
        try:
            return format_datetime(_EPOCH + timedelta(microseconds=ticks // 10)) if ticks else ""
        except OverflowError:
            return ""

    def parts(self, beginning: str) -> Iterator[_Properties]:
        """Yield the properties of each recipient or attachment; `beginning` is the prefix of their storage names."""
        for name in self.storage.names:
            storage = self.storage.storage(name) if name.lower().startswith(beginning) else None
            if storage is not None:
                yield _Properties(storage, self._code_page)

    def _charset(self, number: int) -> str:
        page = self.number(number)
        return {0: "", 65001: "utf-8", 20127: ""}.get(page, f"cp{page}")


def _mail(message: _Properties, settings: ReaderSettings) -> Mail:
    attachments = [*message.parts("__attach_version1.0_")]
    html = message.page(_HTML, settings.max_bytes)
    plain = message.text(_BODY, settings.max_bytes)
    if not (plain.strip() or html.strip()):
        plain = _rich_text(message, settings)
    shown = [part for part in attachments if not _is_part_of_page(part, html)]
    return Mail(
        headers=tuple((name, value) for name, value in _headers(message) if value),
        sender=message.line(_SENDER) or message.line(_SENT_FOR),
        plain=plain,
        html=html,
        attachments=tuple(_member(part, number, settings) for number, part in enumerate(shown, start=1)),
    )


def _headers(message: _Properties) -> Iterator[tuple[str, str]]:
    name = message.line(_SENDER) or message.line(_SENT_FOR)
    yield "From", _person(name, message.line(_SENDER_SMTP) or message.line(_SENDER_ADDRESS))
    recipients = [*message.parts("__recip_version1.0_")]
    for header, role, shown in (("To", _TO, _SHOWN_TO), ("Cc", _CC, _SHOWN_CC)):
        people = (
            _person(person.line(_NAME), person.line(_SMTP) or person.line(_ADDRESS))
            for person in recipients
            if person.number(_ROLE) == role
        )
        yield header, ", ".join(filter(None, people)) or message.line(shown)
    yield "Date", message.time(_SENT) or message.time(_DELIVERED)
    yield "Subject", message.line(_SUBJECT)


def _person(name: str, address: str) -> str:
    """Return the name and address of a person; addresses inside an organisation's own directory are omitted."""
    if "@" not in address or address == name:
        return name
    return f"{name} <{address}>" if name else address


def _rich_text(message: _Properties, settings: ReaderSettings) -> str:
    packed = message.storage.stream(_stream(_RTF, _BINARY), settings.max_bytes)
    rtf = decompressed_rtf(packed, settings.max_bytes) if packed else b""
    return read_rtf(SourceFile(rtf, ""), settings).text if rtf.startswith(b"{\\rtf") else ""


def _is_part_of_page(attachment: _Properties, html: str) -> bool:
    identity = attachment.line(_CONTENT_ID).strip("<>")
    return bool(identity) and f"cid:{identity}" in html


def _member(attachment: _Properties, number: int, settings: ReaderSettings) -> Member:
    inner = attachment.storage.storage(_stream(_CONTENT, _STORAGE))
    name = attachment.line(_LONG_FILE_NAME) or attachment.line(_FILE_NAME) or attachment.line(_NAME)
    if inner is not None and _PROPERTIES in inner:
        message = _Properties(inner)
        subject = message.line(_SUBJECT) or name or f"message {number}"
        return Member(subject.replace("/", "-").replace("\\", "-") + ".eml", partial(_as_eml, message, settings))
    return Member(name or f"attachment {number}", _reading(attachment, settings.max_bytes))


def _reading(attachment: _Properties, most: int) -> Callable[[], bytes]:
    def content() -> bytes:
        data = attachment.storage.stream(_stream(_CONTENT, _BINARY), most + 1)
        if data is None:
            raise ReadFailure(FileStatus.UNSUPPORTED, "it is an embedded object, or a link to a file stored elsewhere")
        return data

    return content


def _as_eml(message: _Properties, settings: ReaderSettings) -> bytes:
    """Return an embedded message, serialised in the format used for sending. Raises ReadFailure if the message is too
    large.
    """
    mail = _mail(message, settings)
    sent = MIMEMultipart()
    for name, value in mail.headers:
        sent[name] = value if value.isascii() else Header(cleaned(value), "utf-8", maxlinelen=_LONGEST_LINE).encode()
    body = MIMEMultipart("alternative")
    for text, form in ((mail.plain, "plain"), (mail.html, "html")):
        if text.strip():
            body.attach(MIMEText(cleaned(text), form, "utf-8"))
    sent.attach(body)
    total = 0
    for attachment in mail.attachments:
        data = attachment.read()
        total += len(data)
        if total > settings.max_bytes:
            reason = f"more than the limit of {settings.max_bytes:,} bytes (reader.max_bytes)"
            raise ReadFailure(FileStatus.TOO_LARGE, reason)
        part = MIMEApplication(data)
        part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", attachment.name))
        sent.attach(part)
    return sent.as_bytes()


def _stream(number: int, kind: int) -> str:
    return f"__substg1.0_{number:04X}{kind:04X}"


def _fixed(listing: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the numbers and values of fixed-size properties.

    The list begins with a header of varying length, which is read as properties with the number 0.
    """
    for at in range(len(listing) % 16, len(listing) - 15, 16):
        yield struct.unpack_from("<H", listing, at + 2)[0], listing[at + 8 : at + 16]
