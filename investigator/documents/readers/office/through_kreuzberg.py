"""Spreadsheets, OpenDocument, and old Office files, read with kreuzberg."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.builder import TextBuilder
from investigator.documents.readers.properties import iso_date
from investigator.documents.readers.sheets.workbook import Sheet, written
from investigator.documents.readers.zip_files import Properties
from investigator.language.normalise import one_line
from investigator.records import FileStatus

_PROTECTED = ("password", "encrypt", "decrypt", "protected")
_LEAST_SHARE = 0.9
_MIDNIGHT = re.compile(r"(?<=^\d{4}-\d\d-\d\d) 00:00:00$")  # suffix that the library adds to a date without a time


def read_office(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a text document, without page numbers."""
    result = _extracted(source, settings)
    builder = TextBuilder()
    for node in _nodes(result):
        _add(builder, node["content"])
    draft, whole = builder.extracted(*_properties(result, "title", "subject")), cleaned(result.content).strip()
    if _weight(draft.text) < _LEAST_SHARE * _weight(whole):  # the structured text lacks words, so use the plain text
        return replace(draft, text=whole, headings=(), tables=())
    return draft


def read_sheets(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a binary workbook (.xlsb): one page per sheet, with its name as heading, and a line for each row."""
    result = _extracted(source, settings)
    names = [_one_line(name) for name in result.metadata.get("sheet_names") or ()]
    sheets = {name: Sheet(name) for name in names}  # sheets without values produce no node
    sheet = Sheet("")
    for node in _nodes(result):
        content = node["content"]
        if content["node_type"] == "heading":
            name = _one_line(content["text"])
            sheet = sheets.setdefault(name, Sheet(name))
        elif content["node_type"] == "table":
            grid = _cells(content["grid"])
            sheet.cells = {(r, c): text for r, row in enumerate(grid) for c, text in enumerate(row) if text}
    return written(tuple(sheets.values()), settings, _properties(result, "title"))


def _extracted(source: SourceFile, settings: ReaderSettings) -> Any:
    """Return kreuzberg's result. kreuzberg's errors, including panics in its native code, become ReadFailure."""
    import kreuzberg

    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        enable_quality_processing=False,
        include_document_structure=True,
        output_format="plain",
        extraction_timeout_secs=math.ceil(settings.max_seconds),
        content_filter=kreuzberg.ContentFilterConfig(
            include_headers=True, include_footers=True, strip_repeating_text=False, include_watermarks=True
        ),
    )
    try:
        return kreuzberg.extract_bytes_sync(source.data, source.media_type, config=config)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic in the native code is not an Exception
        words = str(error).lower()
        if any(word in words for word in _PROTECTED):
            raise ReadFailure(FileStatus.ENCRYPTED, "the file is protected by a password") from error
        if "timeout" in words or "timed out" in words:
            reason = f"reading it took more than {settings.max_seconds:g} seconds (reader.max_seconds)"
            raise ReadFailure(FileStatus.TIMED_OUT, reason) from error
        raise ReadFailure(FileStatus.FAILED, "the file is truncated, damaged, or not what its name says") from error


def _properties(result: Any, *titles: str) -> Properties:
    """Return the properties of a file, with the first of several titles that is not empty."""
    metadata = result.metadata
    return Properties(
        _one_line(next(filter(None, map(metadata.get, titles)), "")),
        tuple(filter(None, map(_one_line, metadata.get("authors") or ()))),
        iso_date(metadata.get("modified_at")) or iso_date(metadata.get("created_at")),
    )


def _nodes(result: Any) -> list[dict[str, Any]]:
    return list((result.document or {}).get("nodes") or ())


def _add(builder: TextBuilder, content: dict[str, Any]) -> None:
    kind, text = content["node_type"], content.get("text") or ""
    if kind in ("heading", "title"):
        builder.heading(text)
    elif kind == "table":
        builder.block()
        for index, row in enumerate(_cells(content["grid"])):
            builder.begin_row(header=index == 0)
            for cell in row:
                builder.begin_cell()
                builder.verbatim(one_line(cell))
                builder.end_cell()
            builder.end_row()
        builder.block()
    elif text:
        builder.line() if kind == "list_item" else builder.block()
        builder.verbatim(text)
        builder.line() if kind == "list_item" else builder.block()


def _cells(grid: dict[str, Any]) -> list[list[str]]:
    table = [[""] * grid["cols"] for _ in range(grid["rows"])]
    for cell in grid["cells"]:
        table[cell["row"]][cell["col"]] = _MIDNIGHT.sub("", cleaned(cell["content"] or ""))
    return table


def _weight(text: str) -> int:
    return sum(1 for character in text if character.isalnum())


def _one_line(text: str | None) -> str:
    return one_line(cleaned(text or ""))
