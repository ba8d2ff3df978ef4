"""Reads JSON as one line for each value, preceded by its path. In JSON Lines, each record stays on its own line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from investigator.documents.readers.base import OWN_RESULT, Extracted, ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.plain.plain_text import text_of
from investigator.documents.readers.properties import iso_date
from investigator.language.normalise import one_line
from investigator.records import FileStatus

JsonValue = None | bool | str | list["JsonValue"] | dict[str, "JsonValue"]
"""A decoded value; numbers are kept as strings, as written."""

_OWN = (
    frozenset({"id", "question", "engine", "memories", "reflections"}),
    frozenset({"questions", "documents", "cells", "engine"}),
    frozenset({"outcomes", "usage"}),
)
"""The fields that identify an API record as an investigation, a matrix or a batch of answers."""

_BROKEN_LIMIT = 100  # maximum number of lines that are not records; each may require a scan of the rest
_SPACE = re.compile(r"\s*")
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)


def read_json(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads one or several consecutive JSON values as lines `path.to.key: value`. Broken JSON is kept as plain text.

    Raises ReadFailure if the file is a result of this program, because an answer must never become evidence.
    """
    text = text_of(source)
    try:
        values = [value for value, _, _ in _values(text)]
    except (ValueError, RecursionError):
        return Extracted(text=text)
    if any(isinstance(value, dict) and any(keys <= value.keys() for keys in _OWN) for value in values):
        raise ReadFailure(FileStatus.EMPTY, OWN_RESULT)
    records = ("\n".join(leaves(value)) for value in values)
    first = values[0] if values and isinstance(values[0], dict) and len(values) == 1 else {}
    return Extracted(
        text=cleaned("\n\n".join(record for record in records if record)),
        title=_word(first, "title", "name", "headline"),
        date=iso_date(_word(first, "date", "published", "created", "created_at", "published_at")),
    )


def read_json_lines(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads consecutive JSON records (objects, arrays), each as `path: value; path: value` on one line.

    Line N of the text is line N of the file: a record that spans several lines becomes one line followed by empty
    lines. A line that is not a record is kept unchanged; after the hundredth such line, so is the rest of the file.
    """
    text = text_of(source)
    parts: list[str] = []
    position = 0
    for _ in range(_BROKEN_LIMIT):
        position = _take_records(text, position, parts)
        end = text.find("\n", position) + 1 or len(text)
        parts.append(text[position:end])
        position = end
    return Extracted(text=cleaned("".join(parts) + text[position:]))


def leaves(root: JsonValue) -> Iterator[str]:
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


def _take_records(text: str, position: int, parts: list[str]) -> int:
    """Add the records from `position` up to the first invalid record, and return the offset of their end."""
    try:
        for value, start, end in _values(text, position):
            if text[start] not in "{[":
                break
            gap = text[position:start]
            begins_line = not position or text[position - 1] == "\n"
            parts.append(gap if "\n" in gap or begins_line else "; ")
            parts.append("; ".join(one_line(leaf) for leaf in leaves(value)))
            parts.append("\n" * text.count("\n", start, end))
            position = end
    except (ValueError, RecursionError):
        return position
    return position


def _values(text: str, position: int = 0) -> Iterator[tuple[JsonValue, int, int]]:
    """Yield consecutive values with their spans."""
    position = _end_of_space(text, position)
    while position < len(text):
        value, end = _DECODER.raw_decode(text, position)
        yield value, position, end
        position = _end_of_space(text, end)


def _end_of_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _word(record: dict[str, JsonValue], *keys: str) -> str:
    values = (record.get(key) for key in keys)
    return next((one_line(cleaned(value)) for value in values if isinstance(value, str) and value.strip()), "")
