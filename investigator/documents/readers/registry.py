"""Maps each media type to its reader.

To add one, write it in the folder of its family, add its line here, and add its media type to `media_types.py` with the
suffix or the first bytes by which it is known. Another package adds one with an entry point of the group
`investigator.readers`: its name is a suffix that is not known here (`.toy`) or, for ZIP packages that name one, a media
type; its value is the reader (`toys:read_toy`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import PurePath

from investigator.documents.own_results import is_own_result
from investigator.documents.readers import media_types as kinds
from investigator.documents.readers.archives.zip_archive import read_archive
from investigator.documents.readers.base import (
    OWN_RESULT,
    READERS,
    Extracted,
    Member,
    Reader,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    cleaned,
)
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
from investigator.documents.readers.versions import reader_version
from investigator.errors import SettingsError
from investigator.language.normalise import one_line
from investigator.plugins import EntryPoint, found, load
from investigator.records import FileStatus

__all__ = ["Unpacked", "read", "reader_of"]

_LONGEST_ERROR = 200

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

_READERS: dict[str, Reader] = {
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
    """Read a file and the files inside it; no inner file is started in the second half of the time limit.

    The id of a file inside is that of the file, a slash, and its path inside. Raises ReadFailure if nothing of it is
    text (empty, encrypted, a scan, unsupported, too large, damaged), and MemoryError.
    """
    unpacked = Unpacking(reader_of, settings, clock).read(source, document_id, content_hash)
    documents = tuple(one.changed(reader=reader_version(one.media_type)) for one in unpacked.documents)
    return replace(unpacked, documents=documents)


def reader_of(source: SourceFile) -> tuple[str, Reader]:
    """Return the media type and the reader of a file: by a suffix that only a plug-in knows, else by its bytes.

    Raises ReadFailure if there is no reader for it, or if it is a result of this program.
    """
    if is_own_result(source.data):  # an answer must never become evidence
        raise ReadFailure(FileStatus.EMPTY, OWN_RESULT)
    suffix = PurePath(source.name).suffix.lower()
    if suffix and suffix not in kinds.SUFFIXES and suffix in found(READERS):
        return f"application/x-{suffix[1:]}", _plug_in(suffix)
    kind = kinds.media_type(source.data, source.name)
    if kind in _READERS:
        return kind, _READERS[kind]
    if kind in found(READERS):
        return kind, _plug_in(kind)
    raise ReadFailure(FileStatus.UNSUPPORTED, f"files of the type {kind[:80]} are not supported")


def _plug_in(name: str) -> Reader:
    """Return the reader of another package. Raises ReadFailure if it cannot be loaded."""
    point = found(READERS)[name]
    try:
        reader = load(point)
    except SettingsError as error:
        raise ReadFailure(FileStatus.UNSUPPORTED, one_line(str(error))) from error

    def read_with_plug_in(source: SourceFile, settings: ReaderSettings) -> Extracted:
        with _blamed(point):
            extracted = reader(source, settings) if callable(reader) else None
        if not isinstance(extracted, Extracted):
            raise ReadFailure(FileStatus.FAILED, f"the plug-in {point.value} returned no Extracted")
        extracted = replace(extracted, members=_members(extracted.members, point) if extracted.members else ())
        text = cleaned(extracted.text)
        if text == extracted.text:
            return extracted
        return replace(extracted, text=text, pages=(), headings=(), tables=())  # with offsets of another text

    return read_with_plug_in


def _members(members: Iterable[Member], point: EntryPoint) -> Iterator[Member]:
    """Yield the files inside a file as a plug-in finds them."""
    with _blamed(point):
        for member in members:
            yield replace(member, read=partial(_member, member.read, point))


def _member(read: Callable[[], bytes], point: EntryPoint) -> bytes:
    with _blamed(point):
        return read()


@contextmanager
def _blamed(point: EntryPoint) -> Iterator[None]:
    """Blame the plug-in, so that nobody looks for damage in the file."""
    try:
        yield
    except (ReadFailure, MemoryError):
        raise
    except Exception as error:
        said = one_line(f"{type(error).__name__}: {error}")[:_LONGEST_ERROR]
        package = f" of the package {point.dist.name}" if point.dist else ""
        raise ReadFailure(FileStatus.FAILED, f"the plug-in {point.value}{package} failed ({said})") from error
