"""The typed columns of a schema, and what an engine replies on them."""

from __future__ import annotations

from enum import StrEnum

from investigator.records.base import Record
from investigator.records.exchanges import OfVerdict, ShownDocument, Text
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
