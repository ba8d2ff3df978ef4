"""Reads Markdown: its lines without inline marks, its headings, its tables, and the fields of its front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.documents.chunks import FRONT_MATTER
from investigator.documents.readers.base import Extracted, ReaderSettings, SourceFile
from investigator.documents.readers.markup.inline_markdown import outside_code, without_marks
from investigator.documents.readers.plain.plain_text import text_of
from investigator.documents.readers.properties import first_title_line, iso_date
from investigator.documents.readers.table_captions import caption_above
from investigator.documents.readers.table_recorder import MOST_CELLS, MOST_TABLES, recorded_table
from investigator.records import Heading, Table, TableCell

_HASHES = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$")
_RULE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FIELD = re.compile(r"^(title|date)[ \t]*[:=][ \t]*(\S.*)$", re.M | re.I)
_AUTHORS = re.compile(r"^authors?[ \t]*[:=][ \t]*(\S.*)?((?:\n[ \t]*- .+)*)", re.M | re.I)
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_PIPE = re.compile(r"(?<!\\)\|")

_Line = tuple[int, str]
"""The offset of a line, and its text."""


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
    headings = {h.start: h for h in (*underlined(text, _RULE, front), *_hashed(text, front))}
    return tuple(headings[at] for at in sorted(headings))


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


def markdown_tables(text: str, front: int = 0) -> tuple[Table, ...]:
    """Return the tables from offset `front` on, outside fenced code, in order."""
    tables: list[Table] = []
    left = MOST_CELLS
    for lines in _pipe_tables(list(outside_code(text, front))):
        cells = [cell for row, line in enumerate(lines) for cell in _cells(row, *line)]
        kept = cells[:left]
        rows, columns = {cell.row for cell in kept}, {cell.column for cell in kept}
        if min(len(rows), len(columns)) < 2 or len(tables) >= MOST_TABLES:
            continue
        left -= len(kept)
        caption = caption_above(text, lines[0][0], tables[-1].end if tables else 0)
        complete = len(kept) == len(cells)
        tables.append(recorded_table(kept, text, caption=caption, marked=1, complete=complete))
    return tuple(tables)


def _pipe_tables(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Yield the rows of each table, without the rule below the first row."""
    number = 1
    while number < len(lines):
        above, rule = lines[number - 1][1], lines[number][1]
        if "|" in rule and _TABLE_RULE.match(rule) and _PIPE.search(above):
            end = number + 1
            while end < len(lines) and _PIPE.search(lines[end][1]):
                end += 1
            yield [lines[number - 1], *lines[number + 1 : end]]
            number = end
        number += 1


def _cells(row: int, offset: int, line: str) -> Iterator[TableCell]:
    begin = len(line) - len(line.lstrip())
    begin += line[begin : begin + 1] == "|"
    ends = [match.start() for match in _PIPE.finditer(line, begin)]
    if not ends or line[ends[-1] + 1 :].strip():
        ends.append(len(line))
    for column, end in enumerate(ends):
        words = line[begin:end]
        start = offset + begin + len(words) - len(words.lstrip())
        if words.strip():
            yield TableCell(row=row, column=column, start=start, end=start + len(words.strip()))
        begin = end + 1
