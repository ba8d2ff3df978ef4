"""The outline of a report, and the variables and replies of the templates that write it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from investigator.records.base import Record
from investigator.records.exchanges import EvidenceDocument, PlanDocument, ProposedStatement, Text


class OutlinePart(Record):
    """A part of an outline: its heading, and the questions that its section answers, if any are given."""

    heading: Annotated[Text, Field(min_length=1)]
    questions: tuple[str, ...] = ()


class OutlineVariables(Record):
    """Variables of `report/outline.j2`: the subject, and the documents that match it best."""

    subject: str
    mission: str
    documents: tuple[PlanDocument, ...]
    document_count: int
    most_parts: int


class OutlineReply(Record):
    """The parts of a report, in order; none if the documents do not deal with the subject."""

    parts: tuple[OutlinePart, ...] = ()


class CitableStatement(Record):
    """A checked statement: its text, and the ids of its evidence or, in a summary, an id of its own."""

    text: str
    evidence: tuple[str, ...] = ()


class ListedSection(Record):
    """A section of a report as the writer of another text sees it; of a later section, only the heading."""

    heading: str
    statements: tuple[CitableStatement, ...] = ()


class SectionVariables(Record):
    """Variables of `report/section.j2`.

    `statements` are those that answer the part, `documents` its evidence; `rows` are the labels of a table that is
    shown below the section anyway.
    """

    subject: str
    mission: str
    heading: str
    questions: tuple[str, ...] = ()
    statements: tuple[CitableStatement, ...]
    documents: tuple[EvidenceDocument, ...]
    rows: tuple[str, ...] = ()
    others: tuple[ListedSection, ...] = ()


class SummaryVariables(Record):
    """Variables of `report/summary.j2`: the statements of each section, and what the documents do not state, each with
    an id of its own (S1, G1).
    """

    subject: str
    mission: str
    sections: tuple[ListedSection, ...]
    gaps: tuple[CitableStatement, ...] = ()


class ProposedRow(Record):
    """A row of a table: the name of a side, period or item, a cell for each column, and the ids of its evidence."""

    head: Text = ""
    cells: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


class SectionReply(Record):
    """A section: paragraphs of cited sentences, and a table if it compares sides, periods or items."""

    paragraphs: tuple[tuple[ProposedStatement, ...], ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[ProposedRow, ...] = ()


class SummaryReply(Record):
    """A summary: paragraphs of cited sentences, and what the documents do not state, each thing once, with the ids of
    the gaps that it replaces.
    """

    paragraphs: tuple[tuple[ProposedStatement, ...], ...] = ()
    gaps: tuple[ProposedStatement, ...] = ()
