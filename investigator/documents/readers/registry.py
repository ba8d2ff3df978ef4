"""Which reader reads which media type. To add one: write its module, and add its line here."""

from __future__ import annotations

import time
from collections.abc import Callable

from investigator.documents.readers import media_types as kinds
from investigator.documents.readers.archives.zip_archive import read_archive
from investigator.documents.readers.base import Reader, ReaderSettings, SourceFile
from investigator.documents.readers.mail.mailbox import read_mailbox
from investigator.documents.readers.mail.message import read_message
from investigator.documents.readers.mail.outlook import read_outlook
from investigator.documents.readers.markup.epub import read_epub
from investigator.documents.readers.markup.html import read_html
from investigator.documents.readers.markup.markdown import read_markdown
from investigator.documents.readers.markup.notebook import read_notebook
from investigator.documents.readers.markup.restructured_text import read_restructured_text
from investigator.documents.readers.markup.rtf import read_rtf
from investigator.documents.readers.markup.xml import read_xml
from investigator.documents.readers.office.slides import read_slides
from investigator.documents.readers.office.through_kreuzberg import read_office, read_sheets
from investigator.documents.readers.office.word import read_word
from investigator.documents.readers.pdf.reader import read_pdf
from investigator.documents.readers.pictures.picture import read_picture
from investigator.documents.readers.plain.delimited import read_delimited
from investigator.documents.readers.plain.json_lines import read_json, read_json_lines
from investigator.documents.readers.plain.plain_text import read_plain, read_source_code, telling_damage
from investigator.documents.readers.unpacking import Unpacked, Unpacking

__all__ = ["READERS", "Unpacked", "read"]

_TEXT_READERS: dict[str, Reader] = {
    kinds.HTML: read_html,
    kinds.XML: read_xml,
    kinds.JSON: read_json,
    kinds.JSON_LINES: read_json_lines,
    kinds.NOTEBOOK: read_notebook,
    kinds.CSV: read_delimited,
    kinds.MARKDOWN: read_markdown,
    kinds.RESTRUCTURED_TEXT: read_restructured_text,
    kinds.SOURCE_CODE: read_source_code,
    kinds.PLAIN: read_plain,
}

READERS: dict[str, Reader] = {
    kinds.PDF: read_pdf,
    kinds.DOCX: read_word,
    kinds.PPTX: read_slides,
    kinds.XLSX: read_sheets,
    kinds.XLSB: read_sheets,
    kinds.XLS: read_sheets,
    kinds.ODS: read_sheets,
    kinds.ODT: read_office,
    kinds.DOC: read_office,
    kinds.PPT: read_office,
    kinds.RTF: read_rtf,
    kinds.EML: read_message,
    kinds.MSG: read_outlook,
    kinds.MBOX: read_mailbox,
    kinds.ZIP: read_archive,
    kinds.EPUB: read_epub,
    **{kind: telling_damage(reader) for kind, reader in _TEXT_READERS.items()},
    **dict.fromkeys(kinds.PICTURES, read_picture),
}


def read(
    source: SourceFile,
    document_id: str,
    content_hash: str,
    settings: ReaderSettings,
    clock: Callable[[], float] = time.monotonic,
) -> Unpacked:
    """Reads a file and the files inside it; of these, none is begun in the second half of the time for one file.

    Ids of files inside are that of the file, a slash, and their path inside. Raises ReadFailure when nothing of it is
    text: empty, encrypted, a scan, unsupported, too large, damaged; and MemoryError.
    """
    return Unpacking(READERS, settings, clock).read(source, document_id, content_hash)
