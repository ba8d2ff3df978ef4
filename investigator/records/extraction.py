"""The columns of a typed extraction, what an engine replies on them, and the values of each document."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, JsonValue

from investigator.records.answers import Usage
from investigator.records.base import Record
from investigator.records.exchanges import OfVerdict, ShownDocument, Text
from investigator.records.matrices import CellStatus, MatrixCell
from investigator.records.parts import Verdict


class ColumnKind(StrEnum):
    """The type of the values in a column."""

    TEXT = "text"
    NUMBER = "number"
    INTEGER = "whole number"
    DATE = "date"
    BOOLEAN = "true or false"
    CHOICE = "choice"


class Column(Record):
    """A property of a schema: its path (`address.city`), its type, and the question that its values answer.

    `unit` is the unit of its values, `units` are the others that can be converted to it. `of_records` is True if each
    record of a document has a value, False if the document has one.
    """

    name: str
    question: str
    kind: ColumnKind = ColumnKind.TEXT
    is_list: bool = False
    choices: tuple[str, ...] = ()
    unit: str = ""
    units: tuple[str, ...] = ()
    of_records: bool = False

    @property
    def label(self) -> str:
        """Return the column as a question of a matrix: its name, the question, and the type."""
        kind = f"list of {self.kind.value}" if self.is_list else self.kind.value
        return f"{self.name}: {self.question} ({', '.join(filter(None, (kind, self.unit)))})"


class ExtractVariables(Record):
    """Variables of `query/extract.j2`: one document, and the columns to fill in from it."""

    mission: str
    columns: tuple[Column, ...]
    document: ShownDocument
    most_quotes: int = 3

    @property
    def questions(self) -> tuple[str, ...]:
        """Return the questions of the columns."""
        return tuple(column.question for column in self.columns)


class ValueReply(Record):
    """A value that a document states for a column, by the number of the column, with its unit as stated.

    `record` counts the records of the document from 1; it is 0 for a value of the document itself.
    """

    column: int
    record: int = 0
    verdict: OfVerdict = Verdict.UNREAD
    values: tuple[str, ...] = ()
    unit: Text = ""
    quotes: tuple[str, ...] = ()
    reason: Text = ""


class ExtractReply(Record):
    """The values of one document for the columns of a schema."""

    cells: tuple[ValueReply, ...]


class ExtractedCell(MatrixCell):
    """A value of a column: `text` is the value as stated, `value` the typed one, in the unit of the column.

    `record` counts the records of the document from 1; it is 0 for the document itself. If a document gives different
    values, each has its own unclear cell.
    """

    record: int = 0
    value: JsonValue = None
    unit: str = ""

    @property
    def stated(self) -> JsonValue:
        """Return the value if the document states it, otherwise None."""
        return self.value if self.status is CellStatus.STATED else None


class ExtractedDocument(Record):
    """A document with its values in the form of the schema, and the cells that prove them.

    What is not stated is null in `values` if the schema allows null or requires the property, and otherwise missing.
    `values` is null if the document was not read. `problems` say where the values do not fit the schema.
    """

    document: str
    title: str = ""
    values: JsonValue = None
    problems: tuple[str, ...] = ()
    cells: tuple[ExtractedCell, ...] = ()


class Extraction(Record):
    """The typed values of each document; `failed` counts the documents whose reading failed."""

    id: str = ""
    columns: tuple[Column, ...]
    documents: tuple[ExtractedDocument, ...]
    engine: str
    checked_by: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    failed: int = Field(default=0, ge=0)

    def count(self, status: CellStatus) -> int:
        """Return the number of cells with the given status."""
        return sum(cell.status is status for document in self.documents for cell in document.cells)
