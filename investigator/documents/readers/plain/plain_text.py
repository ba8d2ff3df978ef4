"""Reads plain text and source code, unchanged so that line numbers match."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.decoding import decoded
from investigator.documents.readers.plain.aligned_tables import aligned_tables
from investigator.documents.readers.properties import first_title_line
from investigator.records import FileStatus, Heading, Table

_DEFINITION = re.compile(
    r"^(?:(?:export|default|declare|pub(?:\([a-z]+\))?|public|private|protected|internal|static|abstract|final|async"
    r"|sealed|open|data|inline|unsafe|extern|const|partial|local|CREATE|OR|REPLACE|create|or|replace)[ \t]+)*"
    r"((?:def|class|function|func|fun|fn|struct|enum|interface|trait|impl|module|namespace|type|record|object|protocol"
    r"|package|procedure|sub|defmodule|TABLE|VIEW|FUNCTION|PROCEDURE|table|view)[ \t]+[^\W\d][\w.:$]*)",
    re.M,
)
_HEADINGS = 2_000
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
    title = first_title_line(text) if suffix in _PROSE_SUFFIXES and not _begins_with_row(text, tables) else ""
    return Extracted(text=text, title=title, tables=tables)


def _begins_with_row(text: str, tables: Sequence[Table]) -> bool:
    begin = len(text) - len(text.lstrip())
    end = text.find("\n", begin)
    return sum(cell.start < end for table in tables for cell in table.cells) > 1


def read_source_code(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads source code of any language without converting it; its title is the file name."""
    text = text_of(source)
    headings = []
    for match in _DEFINITION.finditer(text):
        headings.append(Heading(text=" ".join(match.group(1).split()), start=match.start()))
        if len(headings) == _HEADINGS:
            break
    return Extracted(text=text, title=PurePath(source.name).name, headings=tuple(headings))
