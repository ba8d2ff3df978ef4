"""Our readers and their versions; a file read by an older version is read again.

To add a reader, write it in the folder of its family, add its line here, and add its media type to `media_types.py`
with the suffix or the first bytes that identify it. Increase a reader's version with every change that may alter the
text, pages or headings of any file, and `_ALL` if the change affects every reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from investigator.documents.readers import media_types as kinds
from investigator.documents.readers.base import READERS
from investigator.plugins import plug_ins

_ALL = 4


class OwnReader(NamedTuple):
    """One of our readers: its module and function in this folder, its version, and the package that it uses, if any."""

    function: str
    version: int
    package: str = ""


TEXTS: Mapping[str, OwnReader] = {
    kinds.HTML: OwnReader("markup.html:read_html", 7),
    kinds.XML: OwnReader("markup.xml:read_xml", 5),
    kinds.JSON: OwnReader("plain.json_lines:read_json", 2),
    kinds.JSON_LINES: OwnReader("plain.json_lines:read_json_lines", 1),
    kinds.NOTEBOOK: OwnReader("markup.notebook:read_notebook", 3),
    kinds.CSV: OwnReader("plain.delimited:read_delimited", 3),
    kinds.MARKDOWN: OwnReader("markup.markdown:read_markdown", 5),
    kinds.RESTRUCTURED_TEXT: OwnReader("markup.markdown:read_restructured_text", 2),
    kinds.SUBTITLES: OwnReader("plain.plain_text:read_subtitles", 1),
    kinds.SOURCE_CODE: OwnReader("plain.plain_text:read_source_code", 1),
    kinds.PLAIN: OwnReader("plain.plain_text:read_plain", 4),
}
"""The readers for text formats, whose encoding has to be detected."""

OWN: dict[str, OwnReader] = {
    kinds.PDF: OwnReader("pdf.reader:read_pdf", 12, "pypdfium2"),
    kinds.DOCX: OwnReader("office.word:read_word", 8),
    kinds.PPTX: OwnReader("office.slides:read_slides", 4),
    kinds.XLSX: OwnReader("sheets.office_open_xml:read_workbook", 6),
    kinds.XLSB: OwnReader("office.through_kreuzberg:read_sheets", 3, "kreuzberg"),
    kinds.XLS: OwnReader("sheets.binary:read_binary", 4, "xlrd"),
    kinds.ODS: OwnReader("sheets.open_document:read_open_document", 3),
    kinds.ODP: OwnReader("office.slides:read_open_presentation", 1),
    kinds.ODT: OwnReader("office.through_kreuzberg:read_office", 2, "kreuzberg"),
    kinds.DOC: OwnReader("office.through_kreuzberg:read_office", 2, "kreuzberg"),
    kinds.PPT: OwnReader("office.through_kreuzberg:read_office", 2, "kreuzberg"),
    kinds.RTF: OwnReader("markup.rtf:read_rtf", 3),
    kinds.EML: OwnReader("mail.message:read_message", 4),
    kinds.MSG: OwnReader("mail.outlook:read_outlook", 4),
    kinds.MBOX: OwnReader("mail.message:read_mailbox", 4),
    kinds.ZIP: OwnReader("zip_files:read_archive", 1),
    kinds.EPUB: OwnReader("markup.epub:read_epub", 5),
    **TEXTS,
    **dict.fromkeys(kinds.PICTURES, OwnReader("pictures.picture:read_picture", 1)),
}
"""Our readers, keyed by media type. Another version of a package may produce a different text, so a reader's version
includes the version of its package.
"""


@cache
def reader_version(kind: str) -> str:
    """Return the media type with the versions of its readers: `application/pdf 1.1 pypdfium2 5.0.0`."""
    if own := OWN.get(kind):
        return " ".join(filter(None, (kind, f"{_ALL}.{own.version}", _library(own.package))))
    point = plug_ins(READERS).get(kind) or plug_ins(READERS).get(f".{kind.removeprefix('application/x-')}")
    package = point.dist if point is not None else None
    return f"{kind} {_ALL} {package.name} {package.version}" if package is not None else f"{kind} {_ALL}"


def is_current(reader: str) -> bool:
    """Return True if `reader`, the version that read a document, is the current version for the document's type."""
    return reader == reader_version(reader.partition(" ")[0])


def _library(package: str) -> str:
    try:
        return f"{package} {version(package)}" if package else ""
    except PackageNotFoundError:  # the program is bundled without metadata
        return package
