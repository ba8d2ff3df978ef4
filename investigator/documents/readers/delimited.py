"""CSV and TSV: one line of text for each record."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import islice

from investigator.documents.readers import rows
from investigator.documents.readers.base import Extracted, ReaderSettings, Source, cleaned
from investigator.documents.readers.plain import text_of

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLED = 100


def read_delimited(source: Source, settings: ReaderSettings) -> Extracted:
    """Reads CSV or TSV of any of the usual delimiters. What is no table is kept as plain text."""
    text = cleaned(text_of(source))
    csv.field_size_limit(settings.max_characters)  # the library's own limit is 131,072 characters a cell
    try:
        delimiter = delimiter_of(text)
        if delimiter is None:
            return Extracted(text=text)
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return Extracted(text=text)
    return Extracted(text="\n".join(rows.lines(records)))


def delimiter_of(text: str) -> str | None:
    """The delimiter that splits the most of the first records into the same number (two or more) of cells."""
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
