"""Reads CSV and TSV files: each record becomes one line, at the line number where the record begins in the file."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from investigator.documents.readers import rows
from investigator.documents.readers.base import MOST_CHARACTERS, Extracted, ReaderSettings, SourceFile
from investigator.documents.readers.plain.plain_text import text_of

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLED = 100
_NAMED = re.compile(r"(sep=([,;\t|]))\r?\n", re.IGNORECASE)

CsvRecord = tuple[list[str], int]
"""The cells of a record, and the number of lines that it takes up in the file."""


def read_delimited(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads CSV or TSV with any common delimiter. Anything that is not a table is kept as plain text.

    Line N of the text is line N of the file: a record that spans several lines becomes one line followed by empty
    lines.
    """
    text = text_of(source)
    named = _NAMED.match(text)  # the line is for programs; its place stays empty, so that lines keep their numbers
    text = text[named.end(1) :] if named is not None else text
    csv.field_size_limit(MOST_CHARACTERS)  # the library's own limit is 131,072 characters per cell
    try:
        delimiter = named[2] if named is not None else delimiter_of(text)
        if delimiter is None:
            return Extracted(text=text)
        records = list(_records(text, delimiter, csv.QUOTE_MINIMAL))
        if text.count('"') % 2 and records[-1][1] > 1:  # an unclosed quotation mark swallows the rest
            records = list(_records(text, delimiter, csv.QUOTE_NONE))
    except csv.Error:
        return Extracted(text=text)
    lines = list(rows.each_line([cells for cells, _ in records]))
    heights = (height for _, height in records)
    text = "\n".join(line.text + "\n" * (height - 1) for line, height in zip(lines, heights, strict=True))
    table = rows.table_of(lines, text)
    return Extracted(text=text, tables=(table,) if table is not None else ())


def delimiter_of(text: str) -> str | None:
    """Return the delimiter that splits most of the first records into the same number (two or more) of cells."""
    best: tuple[float, int, str] | None = None
    for delimiter in _DELIMITERS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        widths = Counter(len(record) for record in islice(reader, _SAMPLED) if record)
        if not widths:
            continue
        width, count = max(widths.items(), key=lambda item: (item[1] * (item[0] > 1), item[0]))
        if width > 1 and (best is None or (count / widths.total(), width) > best[:2]):
            best = (count / widths.total(), width, delimiter)
    return best[2] if best else None


def _records(text: str, delimiter: str, quoting: Literal[0, 3]) -> Iterator[CsvRecord]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting)
    before = 0
    for cells in reader:
        yield cells, reader.line_num - before
        before = reader.line_num
