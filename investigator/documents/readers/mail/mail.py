"""A message from any kind of file, with its headers and body as text and its attachments as members."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parseaddr

from investigator.documents.readers.base import Extracted, Member, cleaned
from investigator.documents.readers.mail.character_sets import header_text
from investigator.documents.readers.mail.quoted import marked_html, marked_plain, without_last_mark
from investigator.documents.readers.markup.html import extracted_html
from investigator.documents.readers.properties import iso_date
from investigator.records import Heading

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_LEAST_SHARE = 0.3
"""A plain body with fewer letters than this fraction of the HTML body's only refers readers to the HTML version."""


@dataclass(frozen=True)
class Mail:
    """A message. `headers` are names and values as written; `plain` and `html` are the body in two forms.

    `sender` is the sender's name, if known independently of the headers.
    """

    headers: tuple[tuple[str, str], ...]
    sender: str = ""
    plain: str = ""
    html: str = ""
    attachments: tuple[Member, ...] = ()

    def header(self, name: str) -> str:
        """Return the decoded values of a header, one per line; empty if the header is missing."""
        found = (header_text(value) for key, value in self.headers if key.lower() == name.lower())
        return "\n".join(value for value in found if value)


def extracted_mail(mail: Mail) -> Extracted:
    """Return the text of a message: a line for each header that people ask about, an empty line, and the body. The
    plain body is used unless it is missing or a stub.
    """
    head = "\n".join(f"{name}: {line}" for name in _SHOWN for line in mail.header(name).split("\n") if line)
    if names := ", ".join(filter(None, (header_text(member.name) for member in mail.attachments))):
        head = f"{head}\nAttachments: {names}".strip()
    body, headings = _body(mail)
    text = "\n\n".join(filter(None, (head, body)))
    shift = len(text) - len(body)
    return Extracted(
        text=text,
        title=mail.header("Subject").partition("\n")[0],
        headings=tuple(Heading(text=heading.text, start=heading.start + shift) for heading in headings),
        authors=_authors(mail),
        date=_date(mail.header("Date")),
        members=mail.attachments,
    )


def _body(mail: Mail) -> tuple[str, tuple[Heading, ...]]:
    plain = cleaned(mail.plain).strip()
    if mail.html.strip():
        page = extracted_html(marked_html(mail.html))
        if _letters(plain) < _LEAST_SHARE * _letters(page.text):
            return without_last_mark(page.text, page.headings)
    return marked_plain(plain)


def _letters(text: str) -> int:
    return sum(1 for character in text if character.isalnum())


def _authors(mail: Mail) -> tuple[str, ...]:
    """Return the sender's name or, if no name is given, the sender's address."""
    if mail.sender:
        return (mail.sender,)
    for key, value in mail.headers:
        if key.lower() == "from":
            name, address = parseaddr(" ".join(value.split()))
            author = header_text(name) or header_text(address)  # either of them may decode to a name with an address
            author = author.partition("<")[0].strip() or author
            return (author,) if author else ()
    return ()


def _date(written: str) -> str | None:
    try:
        return iso_date(written.partition("\n")[0])
    except (ValueError, IndexError, TypeError):  # the standard date parser fails on some dates
        return None
