"""Reads JSON as one line for each value, preceded by its path. In JSON Lines, each record stays on its own line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from investigator.documents.readers.base import Extracted, ReaderSettings, SourceFile, cleaned
from investigator.documents.readers.plain.plain_text import text_of
from investigator.documents.readers.properties import iso_date
from investigator.language.normalise import one_line

JsonValue = None | bool | str | list["JsonValue"] | dict[str, "JsonValue"]
"""A decoded value; numbers are kept as strings, as written."""

_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_SPACE = re.compile(r"\s*")


def read_json(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads one or several consecutive JSON values as lines `path.to.key: value`. Broken JSON is kept as plain text."""
    text = text_of(source)
    try:
        values = _values(text)
    except (ValueError, RecursionError):
        return Extracted(text=text)
    records = ("\n".join(_leaves(value)) for value in values)
    first = values[0] if values and isinstance(values[0], dict) and len(values) == 1 else {}
    return Extracted(
        text=cleaned("\n\n".join(record for record in records if record)),
        title=_word(first, "title", "name", "headline"),
        date=iso_date(_word(first, "date", "published", "created", "created_at", "published_at")),
    )


def read_json_lines(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads lines of JSON records (objects, arrays), each as `path: value; path: value`. A line that is not a record is
    kept unchanged, so line N of the text is line N of the file.
    """
    return Extracted(text=cleaned("\n".join(map(_record_line, text_of(source).split("\n")))))


def _record_line(line: str) -> str:
    try:
        values = _values(line) if line.lstrip().startswith(("{", "[")) else []
    except (ValueError, RecursionError):
        return line
    return "; ".join(one_line(leaf) for value in values for leaf in _leaves(value)) if values else line


def _values(text: str) -> list[JsonValue]:
    values: list[JsonValue] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        start = _SPACE.match(text, position)
        value, position = _DECODER.raw_decode(text, start.end() if start else position)
        values.append(value)
    return values


def _leaves(root: JsonValue) -> Iterator[str]:
    """Yield the values inside a value, each as `path: value`, in order."""
    stack: list[tuple[str, JsonValue]] = [("", root)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            stack.extend((f"{path}.{key}" if path else key, item) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((f"{path}[{index}]", item) for index, item in reversed(list(enumerate(value))))
        else:
            word = value if isinstance(value, str) else json.dumps(value)
            yield f"{path}: {word}" if path else word


def _word(record: dict[str, JsonValue], *keys: str) -> str:
    values = (record.get(key) for key in keys)
    return next((one_line(cleaned(value)) for value in values if isinstance(value, str) and value.strip()), "")
