"""Recognises the captions of tables that are pictures, to report that their cells are not in the text. Pure."""

from __future__ import annotations

import re

from investigator.documents.readers.base import ReadFailure
from investigator.records import FileStatus

_CAPTION = re.compile(
    r"\s*(table\s+(?:[A-Z]?\d{1,3}|[IVXL]{1,6})(?:\.\d{1,2})?)(?=[.:|\s]|$)(?!\s+(?:shows?|lists?|gives?|and)\b)",
    re.IGNORECASE,
)


def named_table(caption: str) -> str:
    """Return the name of the table in a caption, such as "Table 3"; "" if it contains none."""
    found = _CAPTION.match(caption)
    return " ".join(found[1].split()).capitalize() if found else ""


def pictured(name: str, page: int | None = None) -> ReadFailure:
    """Return the failure for a table whose cells cannot be read because it is a picture."""
    where = f" on page {page}" if page is not None else ""
    return ReadFailure(FileStatus.NEEDS_OCR, f"{name}{where} is a picture: its cells cannot be read")
