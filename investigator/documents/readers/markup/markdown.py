"""Reads Markdown: its lines without inline marks, its headings, its tables, and the fields of its front matter; and
reStructuredText: the text is unchanged, and its section titles are headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

from investigator.documents.chunks import FRONT_MATTER
from investigator.documents.readers.base import Extracted, ReaderSettings, SourceFile
from investigator.documents.readers.plain.plain_text import text_of
from investigator.documents.readers.properties import first_title_line, iso_date
from investigator.documents.readers.table_captions import caption_above
from investigator.documents.readers.table_recorder import MOST_CELLS, MOST_TABLES, recorded_table
from investigator.records import Heading, Table, TableCell

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARK = re.compile(r"\\[^\w\s]|[*`]|(?<!\w)_|_(?!\w)|<[a-zA-Z/!]|&#?\w+;|\]\(")
"""Matches possible marks; a paragraph without a match is left unchanged."""
_ADDRESS = re.compile(r"[a-zA-Z][\w+.-]*:")
_KEPT = "\ue000|"
"""Placeholder for an escaped bar in a table, which is not a cell border."""
_HASHES = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$")
_RULE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FIELD = re.compile(r"^(title|date)[ \t]*[:=][ \t]*(\S.*)$", re.M | re.I)
_AUTHORS = re.compile(r"^authors?[ \t]*[:=][ \t]*(\S.*)?((?:\n[ \t]*- .+)*)", re.M | re.I)
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_PIPE = re.compile(r"(?<!\\)\|")

_SECTION_RULE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_LONG_RULE = re.compile(r".*\n(.)\1{3}")  # below a title

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
        tables=_tables(text, front.end() if front else 0),
    )


def markdown_headings(text: str, front: int = 0) -> tuple[Heading, ...]:
    """Return the headings from offset `front` on, outside fenced code, in order."""
    headings = {heading.start: heading for heading in _underlined(text, _RULE, front)}
    for offset, line in outside_code(text, front):
        if match := _HASHES.match(line):
            headings[offset] = Heading(text=match.group(1), start=offset)
    return tuple(headings[at] for at in sorted(headings))


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


def _underlined(text: str, rule: re.Pattern[str], front: int) -> Iterator[Heading]:
    """Yield the one-line paragraphs after offset `front` that are followed by a line matching `rule`."""
    before, offset_before, previous = "", 0, ""
    for offset, line in outside_code(text, front):
        title = before.strip()
        is_title = bool(title) and not rule.match(before) and not title.startswith((">", "|", "- ", "* ", "#"))
        alone = not previous.strip() or bool(rule.match(previous))
        if is_title and alone and rule.match(line) and (len(line.strip()) >= 3 or line.strip() == "="):
            yield Heading(text=title, start=offset_before)
        previous, before, offset_before = before, line, offset


def _tables(text: str, front: int = 0) -> tuple[Table, ...]:
    """Return the tables from offset `front` on, outside fenced code, in order."""
    tables: list[Table] = []
    left = MOST_CELLS
    for lines in _pipe_tables(list(outside_code(text, front))):
        if len(tables) == MOST_TABLES or not left:
            break
        cells = [cell for row, line in enumerate(lines) for cell in _cells(row, *line)]
        caption = caption_above(text, lines[0][0], tables[-1].end if tables else 0)
        complete = len(cells) <= left
        table = recorded_table(cells[:left], text, caption=caption, marked=1, complete=complete)
        if table is not None:
            left -= len(table.cells)
            tables.append(table)
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


def read_restructured_text(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads raw reStructuredText; a rule is as long as the title, or four characters, and one of a title that is
    indented is also above it.
    """
    text = text_of(source)
    headings = tuple(
        heading
        for heading in _underlined(text, _SECTION_RULE, front=0)
        if (len(heading.text) < 4 or _LONG_RULE.match(text, heading.start))
        and (
            not text[heading.start].isspace()
            or _SECTION_RULE.match(text[: heading.start].removesuffix("\n").rpartition("\n")[2])
        )
    )
    return Extracted(text=text, title=headings[0].text if headings else first_title_line(text), headings=headings)


def without_marks(text: str) -> str:
    """Return the text without emphasis, escapes, tags, entities and code marks; a link becomes its words and its
    address. Headings, lists, quotes and tables keep their marks at the start of lines; fenced code keeps all marks. The
    number of lines is unchanged.
    """
    pairs = zip(text.split("\n"), outside_code(text), strict=True)
    lines: list[str] = []
    for is_prose, group in groupby(pairs, key=lambda pair: bool(pair[1][1].strip())):
        block = [line for line, _ in group]
        lines += _plain(block) if is_prose else block
    return "\n".join(lines)


def outside_code(text: str, front: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the lines from offset `front` on, with their offsets; fenced code becomes empty lines."""
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


def _plain(lines: list[str]) -> list[str]:
    together = "\n".join(lines)
    if not _MARK.search(together):
        return lines
    texts = _words(together)
    if len(texts) != len(lines):  # a pair of marks has swallowed a line break, so treat each line separately
        texts = [" ".join(_words(line)) for line in lines]
    return [line[: len(line) - len(line.lstrip())] + plain.strip() for line, plain in zip(lines, texts, strict=True)]


def _words(text: str) -> list[str]:
    """Return the text of a paragraph without its marks, line by line; an external link is followed by its address."""
    plain, address, words = "", "", ""
    for token in _parser().parseInline(text.replace("\\|", _KEPT))[0].children or []:
        if token.type == "link_open":
            address, words = str(token.attrs.get("href", "")), ""
        elif token.type == "link_close":
            if _ADDRESS.match(address) and words not in (address, address.removeprefix("mailto:")):
                plain += f" ({address})"
        else:
            words += token.content
            plain += _text_of(token)
    return plain.replace(_KEPT, "\\|").split("\n")


def _text_of(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    if token.type == "html_inline":
        return "\n" * token.content.count("\n") or (" " if token.content.lower().startswith("<br") else "")
    return token.content


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # imported when the first file needs it

    return MarkdownIt("commonmark")
