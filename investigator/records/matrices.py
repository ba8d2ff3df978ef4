"""The table of a matrix: each document's answer to each question, or its values for the columns of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from pydantic import Field, JsonValue

from investigator.records.base import Record
from investigator.records.documents import Quote
from investigator.records.extraction import Column
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
    """One document's answer to one question: a short text, its quotes, and how it was checked.

    If the question is a column of a schema, `value` is the typed value, in the unit of the column, and `record` counts
    the records of the document from 1; it is 0 for the document itself.
    """

    document_id: str
    question: int = Field(ge=1, description="the number of the question in the matrix, from 1")
    status: CellStatus
    text: str = ""
    quotes: tuple[Quote, ...] = ()
    support: Support = Support.UNCHECKED
    reason: str = ""
    record: int = 0
    value: JsonValue = None
    unit: str = ""

    @property
    def stated(self) -> JsonValue:
        """Return the value, or the text if there is no type, if the document states it; otherwise None."""
        own = self.text if self.value is None else self.value
        return own if self.status is CellStatus.STATED else None


class MatrixDocument(Record):
    """A document of a matrix, with its title, and with its values in the form of the schema if there is one.

    What is not stated is null in `values` if the schema allows null or requires the property, and otherwise missing.
    `values` is null if the document was not read, or has changed since and lost quotes. `problems` say so, and where
    the values do not fit the schema, or are incomplete.
    """

    id: str
    title: str = ""
    values: JsonValue = None
    problems: tuple[str, ...] = ()


class MatrixRow(NamedTuple):
    """The cells of a document in the order of the questions; of a document with records, those of one record."""

    document: MatrixDocument
    record: int
    cells: tuple[MatrixCell, ...]

    @property
    def name(self) -> str:
        """Return the name of the document, with the number of its record."""
        return f"{self.document.id} #{self.record}" if self.record else self.document.id


class MatrixTable(Record):
    """Each document's answer to each question; a document's cells are consecutive, in the order of the questions, and
    those of a record after those of the records before it. `columns` are those of the schema, if there is one.

    `failed` counts the documents whose reading failed; asking again retries them.
    """

    questions: tuple[str, ...]
    documents: tuple[MatrixDocument, ...]
    cells: tuple[MatrixCell, ...]
    columns: tuple[Column, ...] = ()
    failed: int = 0

    def rows(self) -> Iterator[MatrixRow]:
        """Yield a row for each record of a document, with the values of its document repeated, or one for the document
        if it has no records.
        """
        cells = {(cell.document_id, cell.record, cell.question): cell for cell in self.cells}
        records: dict[str, set[int]] = {}
        for cell in self.cells:
            records.setdefault(cell.document_id, set()).add(cell.record)
        numbers = range(1, len(self.questions) + 1)
        for document in self.documents:
            for record in sorted(records[document.id] - {0}) or [0]:
                places = [(document.id, record, number) for number in numbers]
                own = (cells.get(place) or cells[document.id, 0, place[2]] for place in places)
                yield MatrixRow(document, record, tuple(own))

    def count(self, status: CellStatus) -> int:
        """Return the number of cells with the given status."""
        return sum(cell.status is status for cell in self.cells)
