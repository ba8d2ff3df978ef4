"""Recognises the type of a file by its first bytes, by the contents of a package, and only then by its name."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import PurePath

from investigator.documents.readers.base import ReadFailure
from investigator.documents.readers.decoding import is_binary
from investigator.documents.readers.zip_files import unpacked
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
MBOX = "application/mbox"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
EPUB = "application/epub+zip"
RTF = "application/rtf"
HTML = "text/html"
XML = "application/xml"
JSON = "application/json"
JSON_LINES = "application/jsonl"
NOTEBOOK = "application/x-ipynb+json"
CSV = "text/csv"
MARKDOWN = "text/markdown"
SUBTITLES = "text/vtt"
RESTRUCTURED_TEXT = "text/x-rst"
SOURCE_CODE = "text/x-source"
PLAIN = "text/plain"
ZIP = "application/zip"

_SOURCE_SUFFIXES = (
    ".asm .bash .bat .c .cc .clj .cpp .cs .css .cxx .dart .el .erl .ex .exs .f .f90 .for .fs .go .gradle .graphql "
    ".groovy .h .hh .hpp .hs .java .jl .js .jsx .kt .kts .lisp .lua .m .mjs .ml .mm .pas .php .pl .pm .proto .ps1 "
    ".py .pyi .r .rb .rs .s .scala .scss .sh .sql .svelte .swift .tf .ts .tsx .vb .vue .zsh"
)
_BY_SUFFIX = {
    ".md": MARKDOWN, ".markdown": MARKDOWN, ".csv": CSV, ".tsv": CSV, ".tab": CSV, ".json": JSON, ".geojson": JSON,
    ".jsonl": JSON_LINES, ".ndjson": JSON_LINES, ".ipynb": NOTEBOOK, ".html": HTML, ".htm": HTML, ".xhtml": HTML,
    ".xml": XML, ".nxml": XML, ".eml": EML, ".rst": RESTRUCTURED_TEXT, ".vtt": SUBTITLES, ".srt": SUBTITLES,
    **dict.fromkeys(_SOURCE_SUFFIXES.split(), SOURCE_CODE),
}  # fmt: skip
_BY_CONTENT = (
    ".bmp .csv .doc .docm .docx .dotx .epub .gif .jp2 .jpeg .jpg .mbox .msg .odp .ods .odt .pdf .png .ppsx .ppt .pptm "
    ".pptx .rtf .text .tif .tiff .txt .webp .xls .xlsb .xlsm .xlsx .zip"
)
SUFFIXES = frozenset({*_BY_SUFFIX, *_BY_CONTENT.split()})
"""Suffixes of files that our own readers support."""
_PACKAGE_MAIN = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))
_OLE_STREAMS = (
    ("__properties_version1.0", MSG, ".msg"),
    ("PowerPoint Document", PPT, ".ppt"),
    ("WordDocument", DOC, ".doc"),
    ("Workbook", XLS, ".xls"),
    ("Book", XLS, ".xls"),
)
_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (rb"II\*\x00|MM\x00\*", "image/tiff"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"RIFF....WEBP", "image/webp"),
    (b"\x00\x00\x00\x0cjP", "image/jp2"),
)
PICTURES = tuple(dict.fromkeys(kind for _, kind in _PICTURES))
_HTML_START = re.compile(r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]", re.I | re.S)
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the beginning of a compound file (OLE)
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_OTHER_ARCHIVES = (
    b"\x1f\x8b\x08",  # gzip
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"\xfd7zXZ\x00",
    b"BZh",
    b"\x28\xb5\x2f\xfd",  # Zstandard
)
_MAILBOX_START = re.compile(r"From [^\r\n]{1,200}\d\d:\d\d[^\r\n]{0,50}\d{4}[^\r\n]{0,50}\r?\n>?[A-Za-z-]+[: ]")
_HEADERS = re.compile(r"(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
_HEADER_NAME = re.compile(r"^([!-9;-~]+):", re.M)
_ONLY_IN_MAIL = frozenset({"message-id", "mime-version", "received", "return-path"})
_HEAD = 8192
_LONGEST_TYPE = 200
_LONGEST_MANIFEST = 10_000_000


def media_type(data: bytes, name: str) -> str:
    """Return the media type of a file.

    Raises ReadFailure if no reader can read it: `unsupported` for archives other than ZIP and unknown binary files,
    `encrypted` for protected Office files, `failed` for truncated packages.
    """
    head = data[:_HEAD]
    if head.startswith(_ZIP_STARTS):
        return _package_type(data)
    if head.startswith(_COMPOUND):
        return _ole_type(data, PurePath(name).suffix.lower())
    if b"%PDF-" in head[:1024]:
        return PDF
    if (head.startswith(_OTHER_ARCHIVES) and is_binary(head)) or head[257:262] == b"ustar":
        raise ReadFailure(FileStatus.UNSUPPORTED, "only ZIP archives are opened: unpack it in the folder")
    if head.startswith(b"{\\rtf"):
        return RTF
    for magic, kind in _PICTURES:
        if re.match(magic, head, re.S) and is_binary(head):
            return kind
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
        raise ReadFailure(FileStatus.FAILED, "the PDF is damaged: it does not begin like a PDF")
    named = _BY_SUFFIX.get(suffix, PLAIN)
    if named is PLAIN and _MAILBOX_START.match(start):
        return MBOX
    if named is PLAIN and _is_message(start):
        return EML
    if named is XML and not start.startswith("<"):
        return PLAIN
    if named is HTML and "<" not in start:
        return PLAIN
    return named


def _package_type(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = package.namelist()
            mimetype = _part(package, "mimetype", _LONGEST_TYPE).strip().decode("ascii", "ignore")
            manifest = _part(package, "META-INF/manifest.xml", _LONGEST_MANIFEST)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise ReadFailure(FileStatus.FAILED, "the file is truncated or damaged") from error
    if b"encryption-data" in manifest:
        raise ReadFailure(FileStatus.ENCRYPTED, "the file is protected by a password")
    if "/" in mimetype:
        return mimetype
    if "[Content_Types].xml" in names:
        for folder, kind in _PACKAGE_MAIN:
            if any(name.startswith(folder) for name in names):
                return XLSB if "xl/workbook.bin" in names else kind
    if "META-INF/container.xml" in names:
        return EPUB
    return ZIP


def _part(package: zipfile.ZipFile, name: str, most: int) -> bytes:
    try:
        return unpacked(package, package.getinfo(name), most)
    except KeyError:
        return b""


def _is_message(start: str) -> bool:
    """Return True if the file begins like an e-mail: with a sender and headers that only mail programs write."""
    head = _HEADERS.match(start)
    names = {name.lower() for name in _HEADER_NAME.findall(head[0])} if head else set()
    return "from" in names and bool(names & _ONLY_IN_MAIL)


def _ole_type(data: bytes, suffix: str) -> str:
    """Return the type of a compound file, based on the names in its root; if two types fit, the file's name decides."""
    import olefile  # few files are compound files

    names = {path[0] for path in olefile.OleFileIO(io.BytesIO(data)).listdir()}
    if "EncryptedPackage" in names:
        raise ReadFailure(FileStatus.ENCRYPTED, "the file is protected by a password")
    present = {own: kind for stream, kind, own in reversed(_OLE_STREAMS) if stream in names}
    if present:
        return present.get(suffix, list(present.values())[-1])
    raise ReadFailure(FileStatus.UNSUPPORTED, "the format of the file is unknown")
