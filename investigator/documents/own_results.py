"""Recognises files that this program has written, so that they are not read as evidence or overwritten by mistake."""

from __future__ import annotations

import csv
import io
import re
from zipfile import BadZipFile, ZipFile

CREATOR = "investigator matrix"
"""The creator named in our XLSX files."""

ANSWER_CREATOR = "investigator answer"
"""The creator named in our DOCX files."""

MATRIX_HEADING = (
    *("document", "title", "question_number", "question", "status", "text", "support", "reason", "quotes", "places"),
)
"""The columns of a matrix as CSV, one cell per line."""

EVIDENCE_HEADING = (
    *("source", "statement", "support", "reason", "document", "page", "line", "start", "end", "quote", "sha256"),
)
"""The columns of exported evidence: one row for each quote of each statement."""

EXTRACTION_HEADING = ("document", "title", "record", "notes")
"""The first columns of typed values; those of the schema follow."""

_HEAD, _HEADER, _TAIL, _PROPERTIES = 16_384, 100_000, 16_384, 32_000  # maximum number of bytes to search
_PAGE = '<meta name="generator" content="investigator report">'
_RECORD = re.compile(r'\s*\{\s*"schema":\s*"investigator/[a-z_]+/\d+"')
_HEADINGS = tuple(",".join(heading) for heading in (MATRIX_HEADING, EVIDENCE_HEADING))
_COVERED = re.compile(r"(?:^|; |\bCoverage: )(?:read|searched) \d+ of \d+ documents?\b", re.MULTILINE)
_RUN = r"(?:report-)?\d{8}-\d{6}-[0-9a-f]{6}"
_MATRIX = re.compile(r"^Cells: .*\d.*\n(?:.*\n){1,3}The quotes behind each cell: --report .*\s*\Z", re.MULTILINE)
_DAY = r"(?:, as of \d{4}-\d{2}-\d{2})?"
_LAST_LINE = re.compile(rf"^Run: {_RUN}{_DAY}\s*\Z", re.MULTILINE)
_MARKDOWN_LINE = re.compile(rf"^Used: .+\. Run {_RUN}{_DAY}\.\s*\Z", re.MULTILINE)
_TOKENS = r"Used: [\d,]+ calls?\b.{0,100}, [\d,]+ tokens \([\d,]+ in, [\d,]+ out\), .*"
_USAGE = re.compile(rf"^{_TOKENS}(?:\nRun: .*)?\s*\Z", re.MULTILINE)
_RULE = re.compile("^---$", re.MULTILINE)
_NAMED = re.compile(rf"^Run: {_RUN}\b", re.MULTILINE)


def is_own_result(data: bytes) -> bool:
    """Return True if the bytes of a file are a result that this program wrote. HTML, JSON, CSV, XLSX and DOCX files are
    marked at their beginning or in their properties; text ends with the coverage and the id of the run, with the cells
    of a matrix, or with the calls, the tokens and the id; Markdown, with a rule, the cost and the id in one line. A
    note that only names a run is no result.
    """
    if data.startswith(b"PK"):
        return _is_own_package(data)
    if data.startswith(b"PAR1"):
        return CREATOR.encode() in data
    head = data[:_HEAD].decode("utf-8-sig", "replace")
    if _PAGE in head or _RECORD.match(head) or head.startswith(_HEADINGS) or _has_typed_values(head, data):
        return True
    tail = data[-_TAIL:].decode("utf-8", "replace").replace("\r\n", "\n")
    marks = ((_LAST_LINE, _COVERED), (_MARKDOWN_LINE, _RULE), (_USAGE, _NAMED), (_MATRIX,))
    return any(all(mark.search(tail) for mark in together) for together in marks)


def _has_typed_values(head: str, data: bytes) -> bool:
    """Return True for the CSV of typed values: after the first columns, one for each property, and one for the quotes
    of each.
    """
    if not head.startswith(",".join(EXTRACTION_HEADING)):
        return False
    line = data[:_HEADER].partition(b"\n")[0].decode("utf-8-sig", "replace")
    own = next(csv.reader([line]))[len(EXTRACTION_HEADING) :]
    return bool(own) and all(name.endswith(" quotes") for name in own[len(own) // 2 :])


def _is_own_package(data: bytes) -> bool:
    try:
        with ZipFile(io.BytesIO(data)) as package, package.open("docProps/core.xml") as properties:
            creator = properties.read(_PROPERTIES)
            return any(f">{own}</".encode() in creator for own in (CREATOR, ANSWER_CREATOR))
    except (BadZipFile, KeyError, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return False
