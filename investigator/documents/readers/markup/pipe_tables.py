"""Finds Markdown tables: rows of cells between pipes, with a rule below the first row."""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.documents.readers.markup.inline_markdown import outside_code
from investigator.documents.readers.table_captions import caption_above
from investigator.documents.readers.table_recorder import MOST_CELLS, MOST_TABLES, recorded_table
from investigator.records import Table, TableCell

_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_PIPE = re.compile(r"(?<!\\)\|")

_Line = tuple[int, str]
"""The offset of a line, and its text."""


def markdown_tables(text: str, front: int = 0) -> tuple[Table, ...]:
    """Return the tables from offset `front` on, outside fenced code, in order."""
    found: list[Table] = []
    left = MOST_CELLS
    for lines in _pipe_tables(list(outside_code(text, front))):
        cells = [cell for row, line in enumerate(lines) for cell in _cells(row, *line)]
        kept = cells[:left]
        if len({cell.row for cell in kept}) < 2 or len({cell.column for cell in kept}) < 2 or len(found) >= MOST_TABLES:
            continue
        left -= len(kept)
        caption = caption_above(text, lines[0][0], found[-1].end if found else 0)
        complete = len(kept) == len(cells)
        found.append(recorded_table(kept, text, caption=caption, marked=1, complete=complete))
    return tuple(found)


def _pipe_tables(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Yield the rows of each table, without the rule below the first row."""
    number = 1
    while number < len(lines):
        above, rule = lines[number - 1][1], lines[number][1]
        if "|" in rule and _RULE.match(rule) and _PIPE.search(above):
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
