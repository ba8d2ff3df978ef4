"""Reads the cells of Jupyter notebooks and their textual outputs, in order; pictures and styled duplicates are
skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.markup.markdown import markdown_headings, without_marks
from investigator.documents.readers.plain.json_lines import JsonValue
from investigator.documents.readers.plain.plain_text import text_of
from investigator.language.normalise import one_line
from investigator.records import FileStatus, Heading

_OUTPUT_LIMIT = 10_000  # maximum number of characters per output
_CUT = ReadFailure(FileStatus.TOO_LARGE, f"outputs of more than {_OUTPUT_LIMIT:,} characters are cut off")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TEXTUAL = ("text/markdown", "text/plain", "text/latex", "text")


def read_notebook(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads an .ipynb file of version 4. Anything else is kept as plain text."""
    text = text_of(source)
    try:
        root = _record(json.loads(text))
    except (ValueError, RecursionError):
        root = {}
    if not isinstance(cells := root.get("cells"), list):
        return Extracted(text=text)
    body, headings, is_cut = "", list[Heading](), False
    for words, is_markdown, is_whole in (part for cell in map(_record, cells) for part in _parts(cell)):
        if not words.strip():
            continue
        body += "\n\n" if body else ""
        if is_markdown:
            headings += [Heading(text=h.text, start=len(body) + h.start) for h in markdown_headings(words)]
        body += words
        is_cut = is_cut or not is_whole
    metadata = _record(root.get("metadata"))
    names = (_joined(_record(author).get("name")) for author in _list(metadata.get("authors")))
    return Extracted(
        text=body,
        title=one_line(cleaned(_joined(metadata.get("title")))),
        headings=tuple(headings),
        authors=tuple(one_line(cleaned(name)) for name in names if name.strip()),
        left_out=(_CUT,) if is_cut else (),
    )


def _parts(cell: dict[str, JsonValue]) -> Iterator[tuple[str, bool, bool]]:
    """Yield the text of a cell and of each output, whether it is Markdown, and whether it is whole."""
    text, is_markdown = cleaned(_joined(cell.get("source"))).strip("\n"), cell.get("cell_type") == "markdown"
    yield without_marks(text) if is_markdown else text, is_markdown, True
    for output in map(_record, _list(cell.get("outputs"))):
        words = _ESCAPES.sub("", _output(output))
        cut = words[: words.rfind("\n", 0, _OUTPUT_LIMIT) + 1 or _OUTPUT_LIMIT]
        is_whole = len(words) <= _OUTPUT_LIMIT
        yield cleaned(words if is_whole else cut).strip("\n"), False, is_whole


def _output(output: dict[str, JsonValue]) -> str:
    """Return the text of an output: a stream, a result in its plainest form, or an error without its traceback."""
    if output.get("output_type") == "error":
        return f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"
    forms = {**output, **_record(output.get("data"))}
    return next((text for form in _TEXTUAL if (text := _joined(forms.get(form)))), "")


def _record(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _joined(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return "".join(part for part in _list(value) if isinstance(part, str))
