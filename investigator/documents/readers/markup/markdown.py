"""Reads Markdown: its lines without inline marks, its headings, and the fields of its front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.documents.chunks import FRONT_MATTER
from investigator.documents.readers.base import Extracted, ReaderSettings, SourceFile
from investigator.documents.readers.markup.inline_markdown import outside_code, without_marks
from investigator.documents.readers.markup.pipe_tables import markdown_tables
from investigator.documents.readers.plain.plain_text import text_of
from investigator.documents.readers.properties import first_title_line, iso_date
from investigator.records import Heading

_HASHES = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$")
_RULE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FIELD = re.compile(r"^(title|date)[ \t]*[:=][ \t]*(\S.*)$", re.M | re.I)
_AUTHORS = re.compile(r"^authors?[ \t]*[:=][ \t]*(\S.*)?((?:\n[ \t]*- .+)*)", re.M | re.I)


def read_markdown(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads Markdown line by line, without inline marks.

    Title, authors and date come from the file's front matter (YAML, TOML) if it has one.
    """
    text = without_marks(text_of(source))
    front = FRONT_MATTER.match(text)
    head = front.group(2) if front else ""
    fields = {name.lower(): _unquoted(value) for name, value in _FIELD.findall(head)}
    headings = markdown_headings(text, front.end() if front else 0)
    return Extracted(
        text=text,
        title=fields.get("title", "") or (headings[0].text if headings else first_title_line(text)),
        headings=headings,
        authors=_authors(head),
        date=iso_date(fields.get("date")),
        tables=markdown_tables(text, front.end() if front else 0),
    )


def markdown_headings(text: str, front: int = 0) -> tuple[Heading, ...]:
    """Return the headings from offset `front` on, outside fenced code, in order."""
    found = {h.start: h for h in (*underlined(text, _RULE, front), *_hashed(text, front))}
    return tuple(found[at] for at in sorted(found))


def _hashed(text: str, front: int) -> Iterator[Heading]:
    for offset, line in outside_code(text, front):
        if match := _HASHES.match(line):
            yield Heading(text=match.group(1), start=offset)


def _authors(front_matter: str) -> tuple[str, ...]:
    match = _AUTHORS.search(front_matter)
    if match is None:
        return ()
    value = match.group(1) or ""
    inline = value[1:-1].split(",") if value.startswith("[") and value.endswith("]") else [value]
    listed = [*inline, *(line.strip()[2:] for line in match.group(2).split("\n"))]
    return tuple(name for item in listed if (name := _unquoted(item)))


def _unquoted(value: str) -> str:
    return value.strip().strip("\"'")


def underlined(text: str, rule: re.Pattern[str], front: int) -> Iterator[Heading]:
    """Yield the one-line paragraphs after offset `front` that are followed by a line matching `rule`."""
    before, offset_before, previous = "", 0, ""
    for offset, line in outside_code(text, front):
        title = before.strip()
        is_title = bool(title) and not rule.match(before) and not title.startswith((">", "|", "- ", "* ", "#"))
        alone = not previous.strip() or bool(rule.match(previous))
        if is_title and alone and rule.match(line) and (len(line.strip()) >= 3 or line.strip() == "="):
            yield Heading(text=title, start=offset_before)
        previous, before, offset_before = before, line, offset
