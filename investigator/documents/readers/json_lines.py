"""JSON and JSON lines: each value on its own line, after the path that leads to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from investigator.documents.readers.base import Extracted, ReaderSettings, Source, cleaned
from investigator.documents.readers.dates import iso_date
from investigator.documents.readers.plain import text_of

Json = None | bool | str | list["Json"] | dict[str, "Json"]
"""A decoded value; numbers stay the strings they are written as."""

_SPACE = re.compile(r"\s*")
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)


def read_json(source: Source, settings: ReaderSettings) -> Extracted:
    """Reads one JSON value or several after another, as `path.to.key: value`. Broken JSON is kept as plain text."""
    text = cleaned(text_of(source))
    try:
        values = list(_values(text))
    except (ValueError, RecursionError):
        return Extracted(text=text)
    records = ("\n".join(_lines(value)) for value in values)
    first = values[0] if values and isinstance(values[0], dict) and len(values) == 1 else {}
    return Extracted(
        text=cleaned("\n\n".join(record for record in records if record)),
        title=_word(first, "title", "name", "headline"),
        date=iso_date(_word(first, "date", "published", "created", "created_at", "published_at")),
    )


def _values(text: str) -> Iterator[Json]:
    position = _end_of_space(text, 0)
    while position < len(text):
        value, end = _DECODER.raw_decode(text, position)
        yield value
        position = _end_of_space(text, end)


def _end_of_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _lines(root: Json) -> Iterator[str]:
    stack: list[tuple[str, Json]] = [("", root)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            stack.extend((f"{path}.{key}" if path else key, item) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((f"{path}[{index}]", item) for index, item in reversed(list(enumerate(value))))
        else:
            word = value if isinstance(value, str) else json.dumps(value)
            yield f"{path}: {word}" if path else word


def _word(record: dict[str, Json], *keys: str) -> str:
    values = (record.get(key) for key in keys)
    return next((" ".join(cleaned(value).split()) for value in values if isinstance(value, str) and value.strip()), "")
