"""E-mail messages (.eml): headers, body, and attachments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.generator import BytesGenerator
from email.message import Message
from email.parser import BytesParser
from functools import partial
from io import BytesIO

from investigator.documents.readers.base import Extracted, Member, ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.decoding import is_noise
from investigator.documents.readers.mail.character_sets import AS_WRITTEN, header_text, text_in
from investigator.documents.readers.mail.mail import Mail, extracted_mail
from investigator.documents.readers.markup.html import extracted_html
from investigator.records import FileStatus

_ENDINGS = {
    "application/pdf": ".pdf", "text/html": ".html", "text/csv": ".csv", "text/calendar": ".ics", "text/xml": ".xml",
    "text/markdown": ".md", "application/json": ".json", "application/xml": ".xml",
}  # fmt: skip
_SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
_ENCRYPTED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
_HEADERS = ("From", "To", "Subject", "Date", "Received", "Content-Type")  # every message has one of these headers
_PAGE_PARTS = re.compile(r"image/|font/|text/css$|text/javascript$|application/(?:x-)?javascript$")


def read_message(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a message; its attachments, including attached messages, are members."""
    return extracted_mail(mail_of(source.data))


def mail_of(data: bytes) -> Mail:
    """Return the message in these bytes. Raises ReadFailure if the bytes are not text, or the message's parts are
    nested too deeply.
    """
    try:
        message = BytesParser(policy=AS_WRITTEN).parsebytes(data)
    except RecursionError as error:
        raise ReadFailure(FileStatus.FAILED, "the parts of the message are nested too deeply") from error
    if is_noise(data) and not any(name in message for name in _HEADERS):
        raise ReadFailure(FileStatus.FAILED, "its name says it is a message, but its bytes are not text")
    parts = _Parts(message)
    html = parts.html()
    return Mail(
        headers=tuple((name, str(value)) for name, value in message.items()),
        plain=parts.plain(),
        html=html,
        attachments=tuple(_attachments(parts.files, html)),
    )


@dataclass(frozen=True)
class _Leaf:
    """A text part; `choices` identifies the groups of alternatives that it belongs to."""

    part: Message
    text: str
    choices: frozenset[int]


@dataclass
class _Parts:
    """The parts of a message, sorted into texts and files, in order."""

    message: Message
    texts: list[_Leaf] = field(default_factory=list)
    files: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        waiting: list[tuple[Message, frozenset[int]]] = [(self.message, frozenset())]
        while waiting:
            part, choices = waiting.pop()
            kind = part.get_content_type()
            children = part.get_payload() if part.is_multipart() else None
            if kind == "message/delivery-status" and isinstance(children, list):
                self.texts.append(_Leaf(part, "\n\n".join(map(_fields, children)), frozenset()))
            elif isinstance(children, list) and not kind.startswith("message/") and kind not in _ENCRYPTED:
                inner = choices | {id(part)} if kind == "multipart/alternative" else choices
                waiting.extend((child, inner) for child in reversed(children) if isinstance(child, Message))
            elif children is None and self._is_text(part) and not is_noise(_payload(part)):
                self._add(part, kind, choices)
            else:
                self.files.append(part)

    def plain(self) -> str:
        """Return the plain texts in order, with the text of HTML parts that have no plain alternative."""
        worded = [leaf for leaf in self.texts if not _is_html(leaf) and leaf.text.strip()]
        choices = frozenset[int]().union(*(leaf.choices for leaf in worded))
        shown = [leaf for leaf in self.texts if leaf in worded or not leaf.choices & choices] if worded else []
        return "\n\n".join(_words(leaf).strip("\r\n") for leaf in shown)

    def html(self) -> str:
        """Return the HTML texts in order, with the plain texts that have no HTML alternative."""
        pages = [leaf for leaf in self.texts if _is_html(leaf)]
        if not pages:
            return ""
        choices = frozenset[int]().union(*(leaf.choices for leaf in pages))
        shown = [leaf for leaf in self.texts if _is_html(leaf) or not leaf.choices & choices]
        return "\n".join(leaf.text if _is_html(leaf) else _as_html(leaf.text) for leaf in shown)

    def _add(self, part: Message, kind: str, choices: frozenset[int]) -> None:
        if kind in ("text/plain", "text/html") or kind.startswith("multipart/") or part is self.message:
            self.texts.append(_Leaf(part, _text(part), choices))
        elif not choices:  # otherwise it is an alternative to a text that is already included, such as an invitation
            self.files.append(part)

    def _is_text(self, part: Message) -> bool:
        if part.get_content_maintype() not in ("text", "multipart"):
            return False
        return part is self.message or not (part.get_content_disposition() == "attachment" or _file_name(part))


def _is_html(leaf: _Leaf) -> bool:
    return leaf.part.get_content_type() == "text/html"


def _words(leaf: _Leaf) -> str:
    return extracted_html(leaf.text).text if _is_html(leaf) else leaf.text


def _as_html(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<pre>{escaped}</pre>"


def _fields(part: Message) -> str:
    return "\n".join(f"{name}: {header_text(str(value))}" for name, value in part.items())


def _text(part: Message) -> str:
    charset = part.get_param("charset", "")
    return text_in(_payload(part), charset if isinstance(charset, str) else str(charset[2]))


def _payload(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _attachments(files: list[Message], html: str) -> Iterator[Member]:
    """Yield the attachments, except signatures and the pictures and styles that the body uses."""
    for number, part in enumerate(files, start=1):
        kind = part.get_content_type()
        if kind in _SIGNATURES or _is_part_of_page(part, kind, html):
            continue
        yield Member(_member_name(part, kind, number), _reading(part, kind))


def _is_part_of_page(part: Message, kind: str, html: str) -> bool:
    if not _PAGE_PARTS.match(kind):
        return False
    identity = str(part.get("content-id", "")).strip().strip("<>")
    if identity and f"cid:{identity}" in html:
        return True
    return part.get_content_disposition() != "attachment" and bool(part.get("content-location"))


def _member_name(part: Message, kind: str, number: int) -> str:
    if kind == "message/rfc822":
        nested = part.get_payload()
        inner = nested[0] if isinstance(nested, list) and nested else None
        subject = header_text(str(inner.get("subject", ""))) if isinstance(inner, Message) else ""
        name = _file_name(part) or subject.replace("/", "-").replace("\\", "-") or f"message {number}"
        return name if name.lower().endswith(".eml") else f"{name}.eml"
    return _file_name(part) or f"attachment {number}{_ENDINGS.get(kind, '')}"


def _file_name(part: Message) -> str:
    try:
        return header_text(part.get_filename() or "")
    except (ValueError, LookupError, TypeError):  # the standard library fails on some broken parameters
        return ""


def _reading(part: Message, kind: str) -> Callable[[], bytes]:
    if kind in _ENCRYPTED and str(part.get_param("smime-type", "")).lower() != "signed-data":
        return _refuse_encrypted
    return partial(_payload, part) if not part.is_multipart() else partial(_written, part)


def _refuse_encrypted() -> bytes:
    raise ReadFailure(FileStatus.ENCRYPTED, "the message is encrypted")


def _written(part: Message) -> bytes:
    """Return the messages inside a part, serialised as for sending."""
    out = BytesIO()
    generator = BytesGenerator(out, mangle_from_=False, policy=AS_WRITTEN)
    children = part.get_payload()
    for child in children if isinstance(children, list) else ():
        if isinstance(child, Message):
            generator.flatten(child)
    return out.getvalue()
