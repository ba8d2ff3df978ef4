"""Reads plain text and source code, unchanged so that line numbers match, and subtitles (WebVTT, SubRip) as a line for
each caption, with its time and its speaker.

Columns aligned by spaces are tables: the text is treated as a page in a monospaced font.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import accumulate, islice
from pathlib import PurePath

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.decoding import decoded
from investigator.documents.readers.pdf.page_tables import recorded_tables, tables_of_page
from investigator.documents.readers.pdf.page_words import PageWord
from investigator.documents.readers.properties import first_title_line
from investigator.language.normalise import one_line
from investigator.records import FileStatus, Heading, PageSpan, Table

_DEFINITION = re.compile(
    r"^(?:(?:export|default|declare|pub(?:\([a-z]+\))?|public|private|protected|internal|static|abstract|final|async"
    r"|sealed|open|data|inline|unsafe|extern|const|partial|local|CREATE|OR|REPLACE|create|or|replace)[ \t]+)*"
    r"((?:def|class|function|func|fun|fn|struct|enum|interface|trait|impl|module|namespace|type|record|object|protocol"
    r"|package|procedure|sub|defmodule|TABLE|VIEW|FUNCTION|PROCEDURE|table|view)[ \t]+[^\W\d][\w.:$]*)",
    re.M,
)
_HEADINGS = 2_000
_CUE = re.compile(r"\s*(?:(\d+):)?(\d{1,2}):(\d\d)[.,]\d{1,3}\s*-->\s*(?:\d+:)?\d{1,2}:\d\d[.,]\d{1,3}.*")
_VOICE = re.compile(r"<v(?:\.[^ >]*)?\s+([^>]{1,80})>")
_TAG = re.compile(r"</?[^<>\n]{1,80}>|\{\\[^{}\n]{1,80}\}")
_PROSE_SUFFIXES = frozenset({"", ".txt", ".text"})


def text_of(source: SourceFile) -> str:
    """Return the decoded and cleaned bytes. Raises ReadFailure if the bytes are not text."""
    text = decoded(source.data)
    if text is None:
        raise ReadFailure(FileStatus.UNSUPPORTED, "the file is neither text nor in a known format")
    return cleaned(text)


def read_plain(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads text without converting it. The title of prose is its first line, if it looks like a title."""
    text = text_of(source)
    tables = aligned_tables(text)
    suffix = PurePath(source.name).suffix.lower()
    end = text.find("\n", len(text) - len(text.lstrip()))
    begins_with_row = sum(cell.start < end for table in tables for cell in table.cells) > 1
    title = first_title_line(text) if suffix in _PROSE_SUFFIXES and not begins_with_row else ""
    return Extracted(text=text, title=title, tables=tables)


def read_source_code(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads source code of any language without converting it; its title is the file name."""
    text = text_of(source)
    definitions = islice(_DEFINITION.finditer(text), _HEADINGS)
    headings = tuple(Heading(text=" ".join(match[1].split()), start=match.start()) for match in definitions)
    return Extracted(text=text, title=PurePath(source.name).name, headings=headings)


def read_subtitles(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads captions; numbers, styles, positions and notes of the file are no speech. Captions that only repeat the one
    before are left out. Raises ReadFailure.
    """
    lines, before = list[str](), ""
    for block in re.split(r"\n[ \t]*\n", text_of(source)):
        rows = block.split("\n")
        cues = ((number, cue) for number, row in enumerate(rows) if (cue := _CUE.fullmatch(row)))
        at, cue = next(cues, (0, None))
        if cue is None:  # a heading, a style or a note
            continue
        words = _speech("\n".join(rows[at + 1 :]))
        if words and words != before:
            hours, minutes, seconds = cue.groups()
            lines.append(f"[{int(hours or 0)}:{int(minutes):02}:{seconds}] {words}")
        before = words
    return Extracted(text="\n".join(lines))


def _speech(caption: str) -> str:
    """Return the speech of a caption on one line, each speaker's words behind the name."""
    spoken = _VOICE.sub(lambda match: f"\n{match[1].strip()}: ", caption)
    return one_line(unescape(_TAG.sub("", spoken)))


# letter and line sizes; one space separates words, and two spaces separate columns
_WIDTH, _HEIGHT, _LINE = 5.0, 9.0, 10.0
_ALIGNED = re.compile(r"\S(?: {2,}|\t+)\S")
_FIGURE = re.compile(r"\d")
_RULE = re.compile(r"[-=_+|.]{3,}")
_WORD = re.compile(r"\S+")
_LINES_BETWEEN = 5
_LINES_BEFORE = 6
_MOST_LINES = 1_500  # maximum number of rows in one table
_TAB = 8


def aligned_tables(text: str) -> tuple[Table, ...]:
    """Return the tables in a plain text, in order; they have no page numbers."""
    lines = text.split("\n")
    offsets = accumulate((len(line) + 1 for line in lines), initial=0)
    placed = list(zip(offsets, lines, strict=False))
    stretches = (tuple(_words(placed, first, last)) for first, last in _stretches(lines))
    laid_tables = [table for words in stretches for table in tables_of_page(words)]
    whole = PageSpan(page=1, start=0, end=len(text))
    return tuple(table.changed(page=None) for table in recorded_tables([laid_tables], [whole], text))


def _stretches(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each group of lines with gaps and figures, extended by a few lines above."""
    begun: int | None = None
    last = count = 0
    for number, line in enumerate(lines):
        if not (_ALIGNED.search(line) and _FIGURE.search(line)):
            continue
        if begun is not None and (number - last > _LINES_BETWEEN or number - begun > _MOST_LINES):
            if count > 1:
                yield begun, last
            begun = None
        if begun is None:
            begun, count = max(0, number - _LINES_BEFORE), 0
        last, count = number, count + 1
    if begun is not None and count > 1:
        yield begun, last


def _words(lines: list[tuple[int, str]], first: int, last: int) -> Iterator[PageWord]:
    for number in range(first, last + 1):
        offset, line = lines[number]
        top = -_LINE * number
        for match in _WORD.finditer(line):
            if _RULE.fullmatch(match.group()):
                continue
            left = _WIDTH * len(line[: match.start()].expandtabs(_TAB))
            right = left + _WIDTH * len(match.group())
            start, end = offset + match.start(), offset + match.end()
            yield PageWord(match.group(), start, end, number, left, right, top - _HEIGHT, top)
