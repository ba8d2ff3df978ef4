"""Records of a folder: documents, their pages and chunks, and the passages and quotes cut from them.

All offsets are counted in characters (Unicode code points) of the stored text of a document,
as half-open spans `[start, end)`. Pages and lines are counted from 1.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import ConfigDict, Field

from investigator.records.base import Record
from investigator.records.tables import Table

_OWN_LINES = frozenset({"text/plain", "text/markdown", "text/csv", "text/x-rst", "text/x-source", "application/jsonl"})
_SLIDES = frozenset({"pptx", "pptm", "ppsx", "potx"})
_SHOWN_NAMES = 3
_SHEETS = frozenset({"xlsx", "xlsm", "xlsb", "xls", "ods"})


class FileStatus(StrEnum):
    """The outcome of reading a file in the folder, or a part of it; hidden: a part that the file does not show."""

    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    EMPTY = "empty"
    HIDDEN = "hidden"
    NEEDS_OCR = "needs_ocr"
    ENCRYPTED = "encrypted"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too_large"
    FAILED = "failed"
    TIMED_OUT = "timed_out"


class IndexedFile(Record):
    """A file in the index, as `index --json` and `status --json` print it."""

    path: str = Field(description="path below the folder, with forward slashes; the document's id")
    status: FileStatus
    reason: str = ""
    pages: int | None = None
    characters: int = Field(default=0, description="length of the text that was read")
    chunks: int = 0
    seconds: float = Field(default=0.0, description="time that reading took")


class FileRecord(IndexedFile):
    """A file as last seen, with its size and times, and the sha256 of its bytes.

    Files inside another file (in an archive, attached to a message) have records too; `inside` is the path of that
    file. A file that was never opened has no hash.
    """

    size: int = Field(default=0, description="bytes")
    mtime_ns: int = Field(default=0, description="time of the last change, in nanoseconds")
    inode: int = Field(default=0, description="number of the file in its file system; 0 if unknown")
    content_hash: str = ""
    inside: str = ""


class FileState(Record):
    """A file as a report was written from it: its status and the beginning of its hash."""

    path: str
    state: str


class LeftOutReason(StrEnum):
    """The reason why a file in the folder is not a document.

    ignore_file: the folder's own `.investigatorignore` lists it; excluded, not_included: the settings exclude it;
    hidden: its name begins with a dot.
    """

    IGNORE_FILE = "ignore_file"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not_included"
    HIDDEN = "hidden"


class LeftOut(Record):
    """Files in the folder that are excluded for the same reason. A subfolder counts as one file; its contents are not
    examined.
    """

    reason: LeftOutReason
    files: int = Field(default=0, ge=0)
    folders: int = Field(default=0, ge=0)
    names: tuple[str, ...] = Field(default=(), description="the first few names; names of folders end in a slash")

    @property
    def count_line(self) -> str:
        """Return the number of excluded files and the reason: "3 left out by .investigatorignore"."""
        return f"{self.files + self.folders:,} {_LEFT_OUT[self.reason]}"

    @property
    def line(self) -> str:
        """Return the count and the first few names: "3 left out by .investigatorignore: a.pdf, b.pdf, x/"."""
        return f"{self.count_line}: {self.some_names(_SHOWN_NAMES)}"

    def some_names(self, most: int) -> str:
        """Return the first few names and the number of further names."""
        shown, more = self.names[:most], self.files + self.folders - len(self.names[:most])
        return ", ".join(shown) + (f" and {more:,} more" if more else "")


_LEFT_OUT = {
    LeftOutReason.IGNORE_FILE: "left out by .investigatorignore",
    LeftOutReason.EXCLUDED: "left out by folder.exclude",
    LeftOutReason.NOT_INCLUDED: "not in folder.include",
    LeftOutReason.HIDDEN: "hidden",
}


class NewFile(Record):
    """A file of a folder without an index, as `index --dry-run --json` prints it. It would be read, unless there is a
    problem.
    """

    path: str = Field(description="path below the folder, with forward slashes; the document's id")
    kind: str = Field(description="suffix of the name in lower case, which may be empty")
    size: int = Field(description="bytes")
    problem: str = Field(default="", description="why it would not be read")


class PageCheck(Record):
    """A page whose text differs from what it shows, as `index --check --json` prints it: the numbers of words read,
    recognised on the drawn page, and common to both, with examples.
    """

    document: str
    page: int
    read: int
    shown: int
    common: int
    only_shown: tuple[str, ...] = ()
    only_read: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """Return the difference in one line."""
        lost = f"; only on the page: {', '.join(self.only_shown)}" if self.only_shown else ""
        return f"{self.document} page {self.page}: {self.common} of {max(self.read, self.shown)} words agree{lost}"


class LeftOutFiles(Record):
    """Files excluded for the same reason, as `index --json` and `status --json` print them."""

    left_out: LeftOut


class FolderStatus(Record):
    """The contents of a folder's index, and the changes in the folder since the index was built."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    files: tuple[FileRecord, ...] = Field(description="every file, including files inside other files, by path")
    documents: int
    chunks: int
    without_vectors: int = Field(description="chunks without vectors")
    left_out: tuple[LeftOut, ...] = Field(default=(), description="excluded files, by reason")
    new: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = Field(default=(), alias="changed")
    gone: tuple[str, ...] = ()


class PageSpan(Record):
    """The span of one page, slide or sheet in the stored text."""

    page: int = Field(ge=1)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Heading(Record):
    """A heading and its offset."""

    text: str
    start: int = Field(ge=0)


class Imprint(Record):
    """The issuer of a document, the kind of document, and the period that it covers, if its first pages state them.

    `period_end` and `dated` are ISO dates; the day may be missing. A fiscal year is named as in the document, otherwise
    by the year in which it ends; without a quarter, the document covers the whole year.
    """

    issuer: str = ""
    symbols: tuple[str, ...] = Field(default=(), description="stock symbols of the issuer")
    kind: str = Field(
        default="", description="kind of document as written, in lower case: form 10-q, annual report, minutes"
    )
    dated: str | None = Field(default=None, description="date on a line that gives the date of the document")
    period_end: str | None = None
    fiscal_year: int | None = None
    fiscal_quarter: int | None = Field(default=None, ge=1, le=4)


class Document(Record):
    """A document that was read, with its metadata and its text."""

    id: str = Field(description="path below the folder, with forward slashes")
    title: str
    media_type: str
    content_hash: str = Field(description="sha256 of the file's bytes, in hexadecimal")
    text: str = Field(repr=False)
    pages: tuple[PageSpan, ...] = Field(default=(), repr=False)
    headings: tuple[Heading, ...] = Field(default=(), repr=False)
    authors: tuple[str, ...] = ()
    date: str | None = None
    tables: tuple[Table, ...] = Field(default=(), repr=False, description="tables, in order of appearance")
    imprint: Imprint = Imprint()
    reader: str = Field(default="", description="version of the reader that produced the text")

    def __hash__(self) -> int:
        """Return a hash without reading the text and tables, which may be large; caches use documents as keys."""
        return hash((self.id, self.content_hash))

    @property
    def own_lines(self) -> bool:
        """Return True if the lines of the text are the lines of the file; text extracted from markup or tables has its
        own lines.
        """
        return self.media_type in _OWN_LINES

    @property
    def names(self) -> str:
        """Return the names of the document: its title, its path and its issuer."""
        return f"{self.title} {self.id} {self.imprint.issuer}"


class Chunk(Record):
    """A span of a document that is indexed and retrieved as a unit."""

    document_id: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = None
    heading: str = ""


class SplitDocument(Record):
    """A document with its chunks, in text order."""

    document: Document
    chunks: tuple[Chunk, ...]


class Passage(Record):
    """A span of a document that was found for a query, with its text and its place.

    `heading` is the heading above the best-matching part; `score` (0..1) can be compared among passages found for the
    same query. The search also provides `similarity`, the cosine similarity between the query and the nearest chunk in
    it (-1..1); `overlap`, the share of the query's words, weighted by rarity, that a single chunk in it contains;
    `document_match`, the probability that its document contains the answer. All three are None if no search found the
    passage.
    """

    computed = ("place",)

    document_id: str
    start: int
    end: int
    text: str
    page: int | None = None
    line: int | None = None
    own_lines: bool = True
    heading: str = ""
    score: float = 0.0
    similarity: float | None = None
    overlap: float | None = None
    document_match: float | None = None

    @property
    def place(self) -> str:
        """Return the place in the same format as `Quote.place`, or only the file if neither page nor line is known."""
        return _place(self.document_id, self.page, self.line, self.own_lines)


class Quote(Record):
    """Words that occur, character for character, in a stored text; they prove a claim.

    `text` equals the document's text at `[start, end)`; `source_hash` is the sha256 of the source file.
    """

    computed = ("place",)

    document_id: str
    page: int | None
    line: int
    start: int
    end: int
    text: str
    source_hash: str
    own_lines: bool = True

    @property
    def inline(self) -> str:
        """Return the text of the quote on one line."""
        return " ".join(self.text.split())

    @property
    def place(self) -> str:
        """Return `file:page N` if the format has pages (or `slide`, `sheet`), otherwise `file:line N`.

        The place is `file:text line N` if N counts the lines of the extracted text instead of the file.
        """
        return _place(self.document_id, self.page, self.line, self.own_lines)


def _place(document_id: str, page: int | None, line: int | None, own_lines: bool) -> str:
    if page is not None:
        return f"{document_id}:{page_word(document_id)} {page}"
    return document_id if line is None else f"{document_id}:{'' if own_lines else 'text '}line {line}"


def page_word(document_id: str) -> str:
    """Return "page", "slide" or "sheet", depending on the file extension of a document."""
    ending = document_id.rpartition(".")[2].lower()
    if ending in _SLIDES:
        return "slide"
    return "sheet" if ending in _SHEETS else "page"


class Standing(Record):
    """The features of a document that predict whether it contains the answer.

    `gap` is the score of the document's best chunk minus the folder's best score (0 or less), `similarity` is the
    cosine similarity between the question and the document's nearest chunk, and `overlap` is the best chunk's BM25
    score as a share of the maximum. `named` is the weight of the question's words in the document's name (title,
    authors, path), relative to the best-matching name. `names` is the share of the question's capitalised names that
    the document's name contains, or the share of all its words if the question has no names. `period` and `age` are 1
    if the document has the requested period or age, -1 if it has another, and 0 if unknown. `naming` is 0 for a
    question without names, otherwise 1; without names, `stands_out` is how far the document leads all others. `few` is
    log(usual size / size of this folder); the usual size is the size of the folders used for fitting.
    """

    gap: float = 0.0
    similarity: float = 0.0
    overlap: float = 0.0
    named: float = 0.0
    names: float = 0.0
    period: float = 0.0
    age: float = 0.0
    naming: float = 1.0
    stands_out: float = 0.0
    few: float = 0.0

    @property
    def near_and_overlapping(self) -> float:
        """Return a score for matching in both meaning and words; it is low if only one of them matches."""
        return max(0.0, self.similarity) * self.overlap


class Unreadable(Record):
    """A file that could not be read, and the reason."""

    path: str
    status: FileStatus
    reason: str = ""

    @property
    def counts(self) -> bool:
        """Return False for empty files and hidden parts, which no search needs."""
        return self.status not in (FileStatus.EMPTY, FileStatus.HIDDEN)
