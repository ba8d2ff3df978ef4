"""E-mail messages (.eml): headers and body as text, attachments as members; mailboxes (.mbox): messages as members.

What a message quotes of older ones is marked, by the structure of mail alone: ">" at the beginning of lines, the
headers that mail programs put above a forwarded or answered message, and block quotes of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from email.utils import parseaddr
from functools import partial
from itertools import accumulate, groupby
from typing import NamedTuple

from investigator.documents.readers.base import (
    Extracted,
    HiddenText,
    Member,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    cleaned,
)
from investigator.documents.readers.decoding import is_noise
from investigator.documents.readers.mail.character_sets import AS_WRITTEN, header_text, text_in
from investigator.documents.readers.markup.html import extracted_html
from investigator.documents.readers.properties import iso_date
from investigator.records import FileStatus, Heading

ELSEWHERE = "x-stored-elsewhere"
"""The content subtype of an attachment that has no bytes in the message."""

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_LEAST_SHARE = 0.3
"""A plain body with fewer letters than this fraction of the HTML body's only refers readers to the HTML version."""
_ENDINGS = {
    "application/pdf": ".pdf", "text/html": ".html", "text/csv": ".csv", "text/calendar": ".ics", "text/xml": ".xml",
    "text/markdown": ".md", "application/json": ".json", "application/xml": ".xml",
}  # fmt: skip
_SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
_ENCRYPTED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
_HEADERS = ("From", "To", "Subject", "Date", "Received", "Content-Type")  # every message has one of these headers
_START = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{1,200}\d\d:\d\d[^\r\n]{0,50}\d{4}[^\r\n]{0,50}\r?\n")
_QUOTED_START = re.compile(rb"^>(>*From )", re.M)
_LONGEST_HEAD = 100_000
_LONGEST_SUBJECT = 80
_ODD = re.compile(r"[/\\:*?\"<>|]+")
_PAGE_PARTS = re.compile(r"image/|font/|text/css$|text/javascript$|application/(?:x-)?javascript$")


def read_message(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a message; its attachments, including attached messages, are members. Raises ReadFailure if the bytes are
    not text.
    """
    message = BytesParser(policy=AS_WRITTEN).parsebytes(source.data)
    if is_noise(source.data) and not any(name in message for name in _HEADERS):
        raise ReadFailure(FileStatus.FAILED, "its name says it is a message, but its bytes are not text")
    return extracted_message(message, settings.hidden)


def extracted_message(message: Message, hidden: HiddenText) -> Extracted:
    """Return the text of a message: a line for each header that people ask about, an empty line, and the body, in which
    hidden words are left out or marked.
    """
    parts = _Parts()
    body, headings = _body(parts.texts(message), hidden)
    shown = [part for part in parts.files if not _is_part_of_page(part, part.get_content_type(), parts.pages)]
    attachments = tuple(
        Member(_member_name(part, part.get_content_type(), number), _reading(part, part.get_content_type()))
        for number, part in enumerate(shown, start=1)
    )
    head = "\n".join(f"{name}: {line}" for name in _SHOWN for line in _values(message, name))
    if names := ", ".join(filter(None, (header_text(member.name) for member in attachments))):
        head = f"{head}\nAttachments: {names}".strip()
    text = "\n\n".join(filter(None, (head, body)))
    return Extracted(
        text=text,
        title=next(iter(_values(message, "Subject")), ""),
        headings=_moved(headings, len(text) - len(body)),
        authors=_authors(message),
        date=_date(next(iter(_values(message, "Date")), "")),
        members=attachments,
    )


class _Text(NamedTuple):
    is_page: bool
    text: str


class _Parts:
    """Sorts the parts of a message into texts and files; `pages` is the markup of all its HTML parts."""

    def __init__(self) -> None:
        self.files: list[Message] = []
        self.pages = ""

    def texts(self, part: Message, *, is_choice: bool = False, is_inner: bool = False) -> list[_Text]:
        """Return the texts of a part in order, of alternatives the best one. `is_choice` means that the part is one of
        several alternatives.
        """
        kind = part.get_content_type()
        children = [child for child in part.get_payload() if isinstance(child, Message)] if part.is_multipart() else []
        if kind == "message/delivery-status":
            fields = ([f"{name}: {header_text(str(value))}" for name, value in child.items()] for child in children)
            return [_Text(False, "\n\n".join(map("\n".join, fields)))]
        if children and not kind.startswith("message/") and kind not in _ENCRYPTED:
            chooses = kind == "multipart/alternative"
            texts = [self.texts(child, is_choice=is_choice or chooses, is_inner=True) for child in children]
            return _best(texts) if chooses else [text for branch in texts for text in branch]
        if part.is_multipart() or not _is_text(part, is_inner) or is_noise(_payload(part)):
            self.files.append(part)
        elif kind in ("text/plain", "text/html") or not is_inner or kind.startswith("multipart/"):
            charset = part.get_param("charset", "")
            words = text_in(_payload(part), charset if isinstance(charset, str) else str(charset[2]))
            text = _Text(kind == "text/html", words)
            self.pages += text.text if text.is_page else ""
            return [text]
        elif not is_choice:  # otherwise it is an alternative to a text that is already included, such as an invitation
            self.files.append(part)
        return []


def _best(branches: Sequence[list[_Text]]) -> list[_Text]:
    """Return the plain alternative or, if it is missing or a stub, the longest one."""
    letters = [sum(character.isalnum() for character in _body(branch)[0]) for branch in branches]
    longest = max(letters, default=0)
    sizes = list(zip(branches, letters, strict=True))
    plain = (
        branch
        for branch, size in sizes
        if size and size >= _LEAST_SHARE * longest and not any(text.is_page for text in branch)
    )
    return next(plain, next((branch for branch, size in sizes if size == longest), []))


def _body(texts: Sequence[_Text], hidden: HiddenText = HiddenText.OMIT) -> tuple[str, tuple[Heading, ...]]:
    """Return texts as one, with headings; neighbours of one kind are marked together."""
    body, headings = "", list[Heading]()
    for is_page, group in groupby(texts, key=lambda text: text.is_page):
        if is_page:
            text, group_headings = _marked_page("\n".join(text.text for text in group), hidden)
        else:
            text, group_headings = _marked_plain(
                cleaned("\n\n".join(text.text.strip("\r\n") for text in group)).strip()
            )
        if not text:
            continue
        body += "\n\n" if body else ""
        if headings and headings[-1].text.startswith(QUOTED):
            headings.append(Heading(text=OWN, start=len(body)))
            body += f"{OWN}\n"
        headings += _moved(group_headings, len(body))
        body += text
    return body, tuple(headings)


def _moved(headings: Sequence[Heading], shift: int) -> tuple[Heading, ...]:
    return tuple(Heading(text=heading.text, start=heading.start + shift) for heading in headings)


def _values(message: Message, name: str) -> list[str]:
    return [value for written in message.get_all(name, []) if (value := header_text(str(written)))]


def _authors(message: Message) -> tuple[str, ...]:
    """Return the sender's name or, if no name is given, the sender's address."""
    name, address = parseaddr(" ".join(str(message.get("From", "")).split()))
    author = header_text(name) or header_text(address)  # either of them may decode to a name with an address
    author = (author.partition("<")[0].strip() or author).strip('" ')
    return (author,) if author else ()


def _date(written: str) -> str | None:
    try:
        return iso_date(written)
    except (ValueError, IndexError, TypeError):  # the standard date parser fails on some dates
        return None


def _is_text(part: Message, is_inner: bool) -> bool:
    if part.get_content_maintype() not in ("text", "multipart"):
        return False
    return not is_inner or not (part.get_content_disposition() == "attachment" or _file_name(part))


def _payload(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _is_part_of_page(part: Message, kind: str, html: str) -> bool:
    """Return True for signatures, and for the pictures and styles that the body uses."""
    if kind in _SIGNATURES or not _PAGE_PARTS.match(kind):
        return kind in _SIGNATURES
    identity = str(part.get("content-id", "")).strip().strip("<>")
    if identity and f"cid:{identity}" in html:
        return True
    return part.get_content_disposition() != "attachment" and bool(part.get("content-location"))


def _member_name(part: Message, kind: str, number: int) -> str:
    if kind == "message/rfc822":
        inner = part.get_payload(0) if part.is_multipart() else None
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
        return partial(_refuse, FileStatus.ENCRYPTED, "the message is encrypted")
    if kind == f"application/{ELSEWHERE}":
        return partial(_refuse, FileStatus.UNSUPPORTED, "it is an embedded object, or a link to a file elsewhere")
    return partial(_written if part.is_multipart() else _payload, part)


def _refuse(status: FileStatus, reason: str) -> bytes:
    raise ReadFailure(status, reason)


def _written(part: Message) -> bytes:
    inner = part.get_payload(0)
    return inner.as_bytes(policy=AS_WRITTEN) if isinstance(inner, Message) else b""


QUOTED, OWN = "[quoted message]", "[message]"
_DEPTH = re.compile(r"(?:>[ \t]?)+")
_HEADER = re.compile(r"\s?\*?[^\s:>][^:>\n]{0,24}:\*?[ \t]+\S")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w")
_FEWEST_HEADERS = 3
_LONGEST_INTRODUCTION = 200
_BEGINS, _ENDS = re.compile(r"<blockquote\b[^>]{0,500}>", re.IGNORECASE), re.compile(r"</blockquote\s*>", re.IGNORECASE)


def _marked_plain(text: str) -> tuple[str, tuple[Heading, ...]]:
    """Return a plain body in which each quoted message begins with a mark and the line that introduces it, as a
    heading; text of the message itself behind a quotation has a heading too.
    """
    lines = text.split("\n")
    result: list[str] = []
    headings: list[int] = []
    depth = 0
    for index, line in enumerate(lines):
        quoted = _DEPTH.match(line)
        now = quoted.group().count(">") if quoted is not None else 0
        if now > depth:
            _begin(result, headings)
        elif now < depth and now == 0 and line.strip():
            headings.append(len(result))
            result.append(OWN)
        depth = now if line.strip() else depth
        if not now and _begins_headers(lines, index):
            headings.append(len(result))
            result.append(QUOTED)
            result += lines[index:]
            break
        result.append(line)
    starts = list(accumulate((len(line) + 1 for line in result), initial=0))
    marked = (Heading(text=result[number].strip(), start=starts[number]) for number in sorted(set(headings)))
    return "\n".join(result), tuple(marked)


def _marked_page(markup: str, hidden: HiddenText) -> tuple[str, tuple[Heading, ...]]:
    """Return an HTML body in which block quotes begin and end with a mark, as headings, without marks of the message
    itself behind which nothing stands.
    """
    begun = _BEGINS.sub(lambda match: f"{match[0]}<h6>{QUOTED}</h6>", markup)
    page = extracted_html(_ENDS.sub(lambda match: f"{match[0]}<h6>{OWN}</h6>", begun), hidden)
    text, headings = page.text, page.headings
    while headings and headings[-1].text == OWN and text.rstrip().endswith(OWN):
        text, headings = text.rstrip().removesuffix(OWN).rstrip(), headings[:-1]
    return text, headings


def _begin(result: list[str], headings: list[int]) -> None:
    """Mark the beginning of a quotation, before the line that introduces it: one that ends with a colon."""
    at = len(result)
    while at and not result[at - 1].strip("> \t"):
        at -= 1
    introduces = at and result[at - 1].rstrip().endswith(":") and len(result[at - 1]) <= _LONGEST_INTRODUCTION
    if introduces:
        result[at - 1] = f"{QUOTED} {result[at - 1].lstrip('> ')}"
        headings.append(at - 1)
    else:
        headings.append(len(result))
        result.append(QUOTED)


def _begins_headers(lines: Sequence[str], index: int) -> bool:
    """Return True if the headers of another message begin at a line: three or more, one of them with an address."""
    if index and lines[index - 1].strip(" -_=*"):
        return False
    block = []
    for line in lines[index : index + 8]:
        if not _HEADER.match(line):
            break
        block.append(line)
    return len(block) >= _FEWEST_HEADERS and index > 0 and any(_ADDRESS.search(line) for line in block)


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
