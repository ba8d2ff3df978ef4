"""Reads the cells of Jupyter notebooks and their textual outputs, in order; pictures and styled duplicates are
skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.markup.inline_markdown import without_marks
from investigator.documents.readers.markup.markdown import markdown_headings
from investigator.documents.readers.plain.json_lines import JsonValue
from investigator.documents.readers.plain.plain_text import text_of
from investigator.language.normalise import one_line
from investigator.records import FileStatus, Heading

_OUTPUT_LIMIT = 10_000  # maximum number of characters per output
_CUT = f"outputs of more than {_OUTPUT_LIMIT:,} characters are cut off"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TEXTUAL = ("text/markdown", "text/plain", "text/latex", "text")
_BREAK = "\n\n"


class _Notebook:
    """The text so far; cells are separated by an empty line."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.headings: list[Heading] = []
        self.cut = False
        self._length = 0

    def add(self, text: str, *, markdown: bool = False) -> None:
        """Add a cell or an output."""
        text = cleaned(text).strip("\n")
        if markdown:
            text = without_marks(text)
        if not text.strip():
            return
        start = self._length + (len(_BREAK) if self.parts else 0)
        if markdown:
            self.headings += [Heading(text=h.text, start=start + h.start) for h in markdown_headings(text)]
        self.parts.append(text)
        self._length = start + len(text)

    def add_output(self, text: str) -> None:
        """Add an output; an output that exceeds the limit is truncated at a line break."""
        text = _ESCAPES.sub("", text)
        if len(text) > _OUTPUT_LIMIT:
            self.cut = True
            text = text[: text.rfind("\n", 0, _OUTPUT_LIMIT) + 1 or _OUTPUT_LIMIT]
        self.add(text)


def read_notebook(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads an .ipynb file of any version. Anything that is not a notebook is kept as plain text."""
    text = text_of(source)
    try:
        root: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return Extracted(text=text)
    notebook = _Notebook()
    for cell in _cells(root):
        _add_cell(notebook, cell)
    metadata = _record(_record(root).get("metadata"))
    names = (_joined(_record(author).get("name")) for author in _list(metadata.get("authors")))
    return Extracted(
        text=_BREAK.join(notebook.parts),
        title=one_line(cleaned(_joined(metadata.get("title")))),
        headings=tuple(notebook.headings),
        authors=tuple(one_line(cleaned(name)) for name in names if name.strip()),
        left_out=(ReadFailure(FileStatus.TOO_LARGE, _CUT),) if notebook.cut else (),
    )


def _cells(root: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Yield the cells; before version 4 they were in worksheets."""
    sheets = [_record(root), *(_record(sheet) for sheet in _list(_record(root).get("worksheets")))]
    for sheet in sheets:
        yield from (_record(cell) for cell in _list(sheet.get("cells")))


def _add_cell(notebook: _Notebook, cell: dict[str, JsonValue]) -> None:
    kind = cell.get("cell_type")
    text = _joined(cell.get("source", cell.get("input")))
    level = cell.get("level")
    if kind == "heading":
        text = f"{'#' * (level if isinstance(level, int) else 1)} {text}"
    notebook.add(text, markdown=kind in ("markdown", "heading"))
    for output in _list(cell.get("outputs")):
        notebook.add_output(_output(_record(output)))


def _output(output: dict[str, JsonValue]) -> str:
    """Return the text of an output: a stream, a result in its plainest form, or an error without its traceback."""
    if output.get("output_type") in ("error", "pyerr"):
        return f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"
    forms = {**output, **_record(output.get("data"))}
    return next((text for form in _TEXTUAL if (text := _joined(forms.get(form)))), "")


def _record(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _joined(value: JsonValue) -> str:
    """Return text that is stored as a string or as a list of lines."""
    if isinstance(value, str):
        return value
    return "".join(part for part in _list(value) if isinstance(part, str))
