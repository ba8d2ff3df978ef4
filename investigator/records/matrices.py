"""The table of a matrix: each document's answer to each question."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import Quote
from investigator.records.parts import Support


class CellStatus(StrEnum):
    """How one document answers one question.

    stated: it answers; passages: it has passages that nobody has judged; not_stated: it does not answer; unclear: it
    may answer, answer in part, or its statement was not supported; not_read: it could not be read, or was not asked.
    """

    STATED = "stated"
    PASSAGES = "passages"
    NOT_STATED = "not_stated"
    UNCLEAR = "unclear"
    NOT_READ = "not_read"


class MatrixCell(Record):
    """One document's answer to one question: a short text, its quotes, and how it was checked."""

    document_id: str
    question: int = Field(ge=1, description="the number of the question in the matrix, from 1")
    status: CellStatus
    text: str = ""
    quotes: tuple[Quote, ...] = ()
    support: Support = Support.UNCHECKED
    reason: str = ""


class MatrixDocument(Record):
    """The document in a row of a matrix, with its title."""

    id: str
    title: str = ""


class MatrixTable(Record):
    """Each document's answer to each question; a document's cells are consecutive, in the order of the questions.

    `failed` counts the documents whose reading failed; asking again retries them.
    """

    questions: tuple[str, ...]
    documents: tuple[MatrixDocument, ...]
    cells: tuple[MatrixCell, ...]
    failed: int = 0

    def row(self, number: int) -> tuple[MatrixCell, ...]:
        """Return the cells of a document, given its index among the documents."""
        width = len(self.questions)
        return self.cells[number * width : (number + 1) * width]

    def count(self, status: CellStatus) -> int:
        """Return the number of cells with the given status."""
        return sum(cell.status is status for cell in self.cells)
