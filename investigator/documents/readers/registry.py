"""Which reader reads which media type. To add one: write its module, and add its line here."""

from __future__ import annotations

from pathlib import Path, PurePath

from investigator.documents.readers import media_types as kinds
from investigator.documents.readers.base import Extracted, Reader, ReaderSettings, ReadFailure, Source
from investigator.documents.readers.delimited import read_delimited
from investigator.documents.readers.epub import read_epub
from investigator.documents.readers.html import read_html
from investigator.documents.readers.json_lines import read_json
from investigator.documents.readers.office import read_office, read_sheets
from investigator.documents.readers.pdf import read_pdf
from investigator.documents.readers.plain import read_markdown, read_plain
from investigator.documents.readers.slides import read_slides
from investigator.documents.readers.word import read_word
from investigator.documents.readers.xml import read_xml
from investigator.records import Document, FileStatus

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
    kinds.RTF: read_office,
    kinds.EML: read_office,
    kinds.MSG: read_office,
    kinds.EPUB: read_epub,
    kinds.HTML: read_html,
    kinds.XML: read_xml,
    kinds.JSON: read_json,
    kinds.CSV: read_delimited,
    kinds.MARKDOWN: read_markdown,
    kinds.PLAIN: read_plain,
}


def read_file(path: Path, document_id: str, content_hash: str, settings: ReaderSettings) -> Document:
    """Reads one file into a document.

    Raises ReadFailure, and nothing else, when it gives no text: empty, encrypted, a scan, unsupported, too large,
    damaged, vanished or not permitted.
    """
    try:
        return _document(path, document_id, content_hash, settings)
    except ReadFailure:
        raise
    except PermissionError as error:
        raise ReadFailure(FileStatus.FAILED, "no permission to read the file") from error
    except FileNotFoundError as error:
        raise ReadFailure(FileStatus.FAILED, "the file vanished while it was being read") from error
    except OSError as error:
        raise ReadFailure(
            FileStatus.FAILED, f"the file cannot be read ({error.strerror or 'input/output error'})"
        ) from error
    except Exception as error:  # one damaged file must never stop the others
        raise ReadFailure(FileStatus.FAILED, "the file is damaged or not what its name says") from error


def _document(path: Path, document_id: str, content_hash: str, settings: ReaderSettings) -> Document:
    size = path.stat().st_size
    if size > settings.max_bytes:
        raise ReadFailure(FileStatus.TOO_LARGE, f"{size} bytes, more than the limit of {settings.max_bytes}")
    data = path.read_bytes()
    if not data.strip(b" \t\r\n\f\v\0"):
        raise ReadFailure(FileStatus.EMPTY, "the file is empty")
    kind = kinds.media_type(data, path.name)
    reader = READERS.get(kind)
    if reader is None:
        raise ReadFailure(FileStatus.UNSUPPORTED, _unsupported(kind))
    found = reader(Source(data, path.name, kind), settings)
    if not found.text.strip():
        raise ReadFailure(FileStatus.EMPTY, "the file holds no text")
    if len(found.text) > settings.max_characters:
        reason = f"{len(found.text)} characters of text, more than the limit of {settings.max_characters}"
        raise ReadFailure(FileStatus.TOO_LARGE, reason)
    return Document(
        id=document_id,
        title=_title(found, document_id),
        media_type=kind,
        content_hash=content_hash,
        text=found.text,
        pages=found.pages,
        headings=found.headings,
        authors=found.authors,
        date=found.date,
    )


def _title(found: Extracted, document_id: str) -> str:
    stem = PurePath(document_id).stem
    own = found.title.strip()
    if own and own != stem:
        return own
    return found.headings[0].text if found.headings else stem


def _unsupported(kind: str) -> str:
    if kind == kinds.ZIP:
        return "archives are not opened: unpack it in the folder"
    return f"files of the type {kind[:80]} are not supported"
