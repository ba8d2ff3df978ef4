"""The outcome of asking many questions, about the whole folder or about each document."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.answers import Investigation, Usage
from investigator.records.base import Record
from investigator.records.documents import Quote


class CellStatus(StrEnum):
    """How one document answers one question. stated: proven quotes answer the question; not_stated: the document was
    searched and does not answer it; unclear: quotes may answer it, answer it in part, or disagree; not_read: the
    document could not be read, or was not asked.
    """

    STATED = "stated"
    NOT_STATED = "not_stated"
    UNCLEAR = "unclear"
    NOT_READ = "not_read"


class MatrixCell(Record):
    """One document's answer to one question.

    `value` is the requested number, date, name or place if the answer contains exactly one, and the first quote
    contains it. `run_id` identifies the investigation behind the cell; it is empty if no investigation ran.
    """

    document_id: str
    question: int = Field(ge=1, description="the number of the question in the matrix, from 1")
    status: CellStatus
    value: str = ""
    answer: str = ""
    quotes: tuple[Quote, ...] = ()
    reason: str = ""
    run_id: str = ""


class MatrixDocument(Record):
    """The document in a row of a matrix, with its title."""

    id: str
    title: str = ""


class Matrix(Record):
    """Each document's answer to each question; a document's cells are consecutive, in the order of the questions.

    `failed` counts the cells whose investigation failed; running the command again retries these cells.
    """

    questions: tuple[str, ...]
    documents: tuple[MatrixDocument, ...]
    cells: tuple[MatrixCell, ...]
    engine: str
    usage: Usage = Usage()
    seconds: float = 0.0
    failed: int = 0

    def row(self, number: int) -> tuple[MatrixCell, ...]:
        """Return the cells of a document, given its index among the documents."""
        width = len(self.questions)
        return self.cells[number * width : (number + 1) * width]

    def count(self, status: CellStatus) -> int:
        """Return the number of cells with the given status."""
        return sum(cell.status is status for cell in self.cells)


class QuestionOutcome(Record):
    """The outcome of one of many questions: its investigation, or the reason why there is none."""

    question: str
    investigation: Investigation | None = None
    failure: str = ""


class AskedQuestions(Record):
    """The outcomes of many questions about the whole folder, in order."""

    outcomes: tuple[QuestionOutcome, ...]
    usage: Usage = Usage()
    seconds: float = 0.0
