"""The outline of a report, and the variables and replies of the templates that write it."""

from __future__ import annotations

from pydantic import Field

from investigator.records.base import Record
from investigator.records.exchanges import EvidenceDocument, PlanDocument, Text


class OutlinePart(Record):
    """A part of an outline: its heading, and the questions that its section answers, if any are given."""

    heading: str = Field(min_length=1)
    questions: tuple[str, ...] = ()


class OutlineVariables(Record):
    """Variables of `report/outline.j2`: the subject, and the documents that match it best."""

    subject: str
    mission: str
    documents: tuple[PlanDocument, ...]
    document_count: int
    most_parts: int


class ProposedPart(Record):
    """A proposed part of an outline."""

    heading: Text = ""
    questions: tuple[str, ...] = ()


class OutlineReply(Record):
    """The parts of a report, in order; none if the documents do not deal with the subject."""

    parts: tuple[ProposedPart, ...] = ()


class CitableStatement(Record):
    """A checked statement: its text, and the ids of its evidence or, in a summary, an id of its own."""

    text: str
    evidence: tuple[str, ...] = ()


class OtherSection(Record):
    """Another section of the same report: its heading, and the statements of its part if it comes earlier."""

    heading: str
    statements: tuple[str, ...] = ()


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
    others: tuple[OtherSection, ...] = ()


class ProposedSentence(Record):
    """A sentence and the ids of its evidence."""

    text: Text = ""
    evidence: tuple[str, ...] = ()


class ProposedRow(ProposedSentence):
    """A row of a table: its label, its text and the ids of its evidence."""

    head: Text = ""


class ProposedParagraph(Record):
    """A paragraph of a section."""

    sentences: tuple[ProposedSentence, ...] = ()


class SectionReply(Record):
    """A section: paragraphs of cited sentences, and the rows of a table if it compares sides, periods or items."""

    paragraphs: tuple[ProposedParagraph, ...] = ()
    rows: tuple[ProposedRow, ...] = ()


class SummarySection(Record):
    """A section as the writer of the summary sees it."""

    heading: str
    statements: tuple[CitableStatement, ...] = ()


class SummaryVariables(Record):
    """Variables of `report/summary.j2`: the statements of each section, each with an id of its own (S1)."""

    subject: str
    mission: str
    sections: tuple[SummarySection, ...]


class SummaryReply(Record):
    """The summary: sentences that cite statements."""

    sentences: tuple[ProposedSentence, ...] = ()
