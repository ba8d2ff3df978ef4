"""Plain text, Markdown, reStructuredText and source code: kept as in the file, so that line numbers are its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, Source, cleaned
from investigator.documents.readers.dates import iso_date
from investigator.documents.readers.decoding import decoded
from investigator.documents.readers.titles import first_title_line
from investigator.records import FileStatus, Heading

_PROSE_SUFFIXES = frozenset({"", ".txt", ".text", ".rst", ".md", ".markdown"})
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HASHES = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$")
_MARKDOWN_RULE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RST_RULE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_FRONT_MATTER = re.compile(r"---\n(.*?)\n(?:---|\.\.\.)[ \t]*\n", re.S)
_FIELD = re.compile(r"^(title|date)[ \t]*:[ \t]*(\S.*)$", re.M | re.I)
_AUTHORS = re.compile(r"^authors?[ \t]*:[ \t]*(\S.*)?((?:\n[ \t]*- .+)*)", re.M | re.I)


def text_of(source: Source) -> str:
    """The decoded bytes. Raises ReadFailure when they are no text."""
    text = decoded(source.data)
    if text is None:
        raise ReadFailure(FileStatus.UNSUPPORTED, "the file is neither text nor of a known format")
    return text


def read_plain(source: Source, settings: ReaderSettings) -> Extracted:
    """Reads text as it stands. Prose is called by its first line where that looks like a title."""
    text = cleaned(text_of(source))
    suffix = PurePath(source.name).suffix.lower()
    headings = tuple(_underlined(text, _RST_RULE, front=0)) if suffix == ".rst" else ()
    title = first_title_line(text) if suffix in _PROSE_SUFFIXES and not headings else ""
    return Extracted(text=text, title=title, headings=headings)


def read_markdown(source: Source, settings: ReaderSettings) -> Extracted:
    """Reads Markdown as it stands, with its headings; title, author and date come from its front matter."""
    text = cleaned(text_of(source))
    front = _FRONT_MATTER.match(text)
    head = front.group(1) if front else ""
    fields = {name.lower(): _unquoted(value) for name, value in _FIELD.findall(head)}
    start = front.end() if front else 0
    found = {h.start: h for h in (*_underlined(text, _MARKDOWN_RULE, front=start), *_hashed(text, start))}
    headings = tuple(found[at] for at in sorted(found))
    return Extracted(
        text=text,
        title=fields.get("title", "") or (headings[0].text if headings else first_title_line(text)),
        headings=headings,
        authors=_authors(head),
        date=iso_date(fields.get("date")),
    )


def _authors(front_matter: str) -> tuple[str, ...]:
    match = _AUTHORS.search(front_matter)
    if match is None:
        return ()
    listed = [match.group(1) or "", *(line.strip()[2:] for line in match.group(2).split("\n") if line.strip())]
    return tuple(_unquoted(name) for name in listed if name.strip())


def _unquoted(value: str) -> str:
    return value.strip().strip("\"'")


def _outside_code(text: str, front: int) -> Iterator[tuple[int, str]]:
    """The lines from offset `front` on, with their offsets; fenced code gives empty ones."""
    offset, fence = front, ""
    for line in text[front:].split("\n"):
        mark = _FENCE.match(line)
        if fence:
            yield offset, ""
            if mark and mark.group(1).startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif mark:
            fence = mark.group(1)
            yield offset, ""
        else:
            yield offset, line
        offset += len(line) + 1


def _hashed(text: str, front: int) -> Iterator[Heading]:
    for offset, line in _outside_code(text, front):
        if match := _HASHES.match(line):
            yield Heading(text=match.group(1), start=offset)


def _underlined(text: str, rule: re.Pattern[str], front: int) -> Iterator[Heading]:
    """One-line paragraphs with a rule below them."""
    before, offset_before, previous = "", 0, ""
    for offset, line in _outside_code(text, front):
        title = before.strip()
        is_title = bool(title) and not rule.match(before) and not title.startswith((">", "|", "- ", "* ", "#"))
        alone = not previous.strip() or bool(rule.match(previous))
        if is_title and alone and rule.match(line) and (len(line.strip()) >= 3 or line.strip() == "="):
            yield Heading(text=title, start=offset_before)
        previous, before, offset_before = before, line, offset
