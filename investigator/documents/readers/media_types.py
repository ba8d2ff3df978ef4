"""What a file is: by its first bytes, by what stands inside a package, and only then by its name."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import PurePath

from investigator.documents.readers.base import ReadFailure
from investigator.documents.readers.decoding import is_binary
from investigator.records import FileStatus

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLSB = "application/vnd.ms-excel.sheet.binary.macroEnabled.12"
XLS = "application/vnd.ms-excel"
DOC = "application/msword"
PPT = "application/vnd.ms-powerpoint"
MSG = "application/vnd.ms-outlook"
EML = "message/rfc822"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
EPUB = "application/epub+zip"
RTF = "application/rtf"
HTML = "text/html"
XML = "application/xml"
JSON = "application/json"
CSV = "text/csv"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"
ZIP = "application/zip"

_BY_SUFFIX = {
    ".md": MARKDOWN, ".markdown": MARKDOWN, ".csv": CSV, ".tsv": CSV, ".tab": CSV, ".json": JSON, ".jsonl": JSON,
    ".ndjson": JSON, ".geojson": JSON, ".html": HTML, ".htm": HTML, ".xhtml": HTML, ".xml": XML, ".nxml": XML,
    ".eml": EML,
}  # fmt: skip
_PACKAGE_MAIN = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))
_OLE_STREAMS = (
    ("__properties_version1.0", MSG, ".msg"),
    ("PowerPoint Document", PPT, ".ppt"),
    ("WordDocument", DOC, ".doc"),
    ("Workbook", XLS, ".xls"),
    ("Book", XLS, ".xls"),
)
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*", b"GIF8", b"BM", b"\x00\x00\x00\x0cjP")
_HTML_START = re.compile(r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]", re.I | re.S)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEAD = 8192


def media_type(data: bytes, name: str) -> str:
    """The media type of a file.

    Raises ReadFailure where that settles it: archives and unknown binary files are unsupported, protected Office
    files encrypted, pictures in need of text recognition, cut-off packages failed.
    """
    head = data[:_HEAD]
    if b"%PDF-" in head[:1024]:
        return PDF
    if head.startswith(b"PK"):
        return _package_type(data)
    if head.startswith(_OLE):
        return _ole_type(data, PurePath(name).suffix.lower())
    if head.startswith(b"{\\rtf"):
        return RTF
    if head.startswith(_PICTURES) and is_binary(head):
        raise ReadFailure(FileStatus.NEEDS_OCR, "the file is a picture: it needs text recognition")
    return _text_type(head, name)


def _text_type(head: bytes, name: str) -> str:
    suffix = PurePath(name).suffix.lower()
    start = head.decode("utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin-1", errors="ignore")
    start = start.removeprefix("ï»¿").lstrip()
    if _HTML_START.match(start):
        return HTML
    if start.startswith("<?xml"):
        return XML
    if suffix == ".pdf":
        raise ReadFailure(FileStatus.FAILED, "the PDF is damaged: it does not begin as one")
    named = _BY_SUFFIX.get(suffix, PLAIN)
    if named is XML and not start.startswith("<"):
        return PLAIN
    if named is HTML and "<" not in start:
        return PLAIN
    return named


def _package_type(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = package.namelist()
            mimetype = package.read("mimetype").strip().decode("ascii", "ignore") if "mimetype" in names else ""
            manifest = package.read("META-INF/manifest.xml") if "META-INF/manifest.xml" in names else b""
    except RuntimeError as error:
        raise ReadFailure(FileStatus.ENCRYPTED, "the file is protected by a password") from error
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, KeyError) as error:
        raise ReadFailure(FileStatus.FAILED, "the file is cut off or damaged") from error
    if b"encryption-data" in manifest:
        raise ReadFailure(FileStatus.ENCRYPTED, "the file is protected by a password")
    if mimetype:
        return mimetype
    if "[Content_Types].xml" in names:
        for folder, kind in _PACKAGE_MAIN:
            if any(name.startswith(folder) for name in names):
                return XLSB if "xl/workbook.bin" in names else kind
    if "META-INF/container.xml" in names:
        return EPUB
    return ZIP


def _ole_type(data: bytes, suffix: str) -> str:
    """An old Office file by the names of its streams; the name decides where others are embedded in it."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise ReadFailure(FileStatus.ENCRYPTED, "the file is protected by a password")
    present = [(kind, own) for stream, kind, own in _OLE_STREAMS if stream.encode("utf-16-le") in data]
    for kind, own in present:
        if own == suffix:
            return kind
    if present:
        return present[0][0]
    raise ReadFailure(FileStatus.UNSUPPORTED, "the format of the file is not known")
