"""The versions of the readers: a text from an older version is read again from its file.

Increase the number of a reader with every change that may alter the text, pages or headings of some file, and `_ALL` if
the change affects every reader.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from investigator.documents.readers import media_types as kinds
from investigator.documents.readers.base import READERS
from investigator.plugins import found

_ALL = 3
VERSIONS: dict[str, int] = {
    kinds.PDF: 7,
    kinds.DOCX: 5,
    kinds.PPTX: 2,
    kinds.XLSX: 3,
    kinds.XLSB: 2,
    kinds.XLS: 2,
    kinds.ODS: 2,
    kinds.ODT: 2,
    kinds.DOC: 2,
    kinds.PPT: 2,
    kinds.RTF: 2,
    kinds.EML: 2,
    kinds.MSG: 2,
    kinds.MBOX: 2,
    kinds.ZIP: 1,
    kinds.EPUB: 3,
    kinds.HTML: 4,
    kinds.XML: 3,
    kinds.JSON: 2,
    kinds.JSON_LINES: 1,
    kinds.NOTEBOOK: 2,
    kinds.CSV: 2,
    kinds.MARKDOWN: 3,
    kinds.RESTRUCTURED_TEXT: 1,
    kinds.SOURCE_CODE: 1,
    kinds.PLAIN: 3,
    **dict.fromkeys(kinds.PICTURES, 1),
}
_LIBRARIES = {
    kinds.PDF: "pypdfium2",
    **dict.fromkeys((kinds.XLSX, kinds.XLSB, kinds.XLS, kinds.ODS, kinds.ODT, kinds.DOC, kinds.PPT), "kreuzberg"),
}
"""The packages that extract the text of some types; another version may give a different text."""


@cache
def reader_version(kind: str) -> str:
    """Return the media type with the versions of its readers: `application/pdf 1.1 pypdfium2 5.0.0`."""
    if kind in VERSIONS:
        return " ".join(filter(None, (kind, f"{_ALL}.{VERSIONS[kind]}", _library(_LIBRARIES.get(kind, "")))))
    point = found(READERS).get(kind) or found(READERS).get(f".{kind.removeprefix('application/x-')}")
    package = point.dist if point is not None else None
    return f"{kind} {_ALL} {package.name} {package.version}" if package is not None else f"{kind} {_ALL}"


def is_current(reader: str) -> bool:
    """Return True if `reader`, the version that read a text, is the current version for its type."""
    return reader == reader_version(reader.partition(" ")[0])


def _library(package: str) -> str:
    try:
        return f"{package} {version(package)}" if package else ""
    except PackageNotFoundError:  # in a bundle without metadata
        return package
