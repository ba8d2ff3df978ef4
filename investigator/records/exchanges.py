"""The variables of each template of the method, and the reply that it asks for.

Each template has one record of variables (its contract: the template uses exactly these names) and, if an engine
replies to it, one record of the reply. In replies, verdicts and points come before the text that explains them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from investigator.records.base import Record
from investigator.records.documents import Imprint
from investigator.records.memories import Memory
from investigator.records.parts import Fit, PartStatus, Support, Verdict
from investigator.records.plans import EarlierQuestion, Scope


def _as_text(value: object) -> object:
    """Accept a list, which models often send in place of a string."""
    return "; ".join(str(part) for part in value) if isinstance(value, list | tuple) else value


Text = Annotated[str, BeforeValidator(_as_text)]


def _show_bounds(schema: dict[str, Any]) -> None:
    """Show the bounds to the model in the schema; the point parser parses the values."""
    schema["anyOf"][0].update(minimum=0, maximum=100)


Point = Annotated[int | None, Field(json_schema_extra=_show_bounds)]
"""The point of a reply, 0..100; None if it could not be read."""


def _word(value: object) -> object:
    """Return a judgement in the form of our enums: lower case, with underscores."""
    return (
        "_".join(value.replace("-", " ").replace("_", " ").lower().split()).strip(".")
        if isinstance(value, str)
        else value
    )


Judgement = BeforeValidator(_word)


def _choice(kind: type[StrEnum], *hidden: StrEnum) -> WithJsonSchema:
    """Return the schema that offers a model the values of an enum, without those that only the program uses."""
    return WithJsonSchema({"type": "string", "enum": [value.value for value in kind if value not in hidden]})


OfVerdict = Annotated[Verdict, Judgement, _choice(Verdict, Verdict.UNREAD)]
OfSupport = Annotated[Support, Judgement, _choice(Support, Support.VERBATIM, Support.UNCHECKED)]
OfFit = Annotated[Fit, Judgement, _choice(Fit, Fit.UNCHECKED)]


class DocumentCard(Record):
    """A description of a document that is sufficient to decide whether to ask it.

    `match` (0..1) is the probability, according to the search, that it contains the answer. `snippet` is the beginning
    of the best passage; `times_read` counts how often the document has been read.
    """

    document_id: str
    title: str
    authors: tuple[str, ...] = ()
    pages: int | None = None
    date: str | None = None
    headings: tuple[str, ...] = ()
    imprint: Imprint = Imprint()
    match: float = 0.0
    snippet: str = ""
    times_read: int = 0


class PlanDocument(Record):
    """A document as the planner sees it: what it is, and the passages that match best, cut around the match.

    `opening` is its first text; `match` (0..1) is the probability, according to the search, that it contains the
    answer; `times_read` counts how often it has been read, and `verdict` is what that reading said.
    """

    document_id: str
    title: str = ""
    pages: int | None = None
    about: str = Field(default="", description="issuer, kind and period, if the document states them")
    opening: str = ""
    passages: tuple[str, ...] = ()
    match: float = 0.0
    times_read: int = 0
    verdict: str = ""


class PlanVariables(Record):
    """Variables of `planner/plan.j2`.

    `fits` is True if all documents are read whole anyway, so that no steps are needed. `open_parts`, `unknown` and
    `searched` are empty in the first round.
    """

    question: str
    earlier: tuple[EarlierQuestion, ...] = ()
    mission: str
    strategy: str
    documents: tuple[PlanDocument, ...]
    document_count: int
    fits: bool = False
    history: tuple[Memory, ...] = ()
    open_parts: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    step_limit: int


class ProposedStep(Record):
    """A document that the planner wants to examine."""

    document_id: str
    purpose: Text
    perspectives: Text = ""


class PlanReply(Record):
    """The parts of the question, its scope, other wordings to search for, and the documents to read."""

    question: Text = Field(default="", description="a follow-up question, rewritten to stand alone; else empty")
    parts: tuple[str, ...] = ()
    scope: Annotated[Scope, Judgement] = Scope.SOME
    wordings: tuple[str, ...] = ()
    strategy: Text = ""
    steps: tuple[ProposedStep, ...] = ()


class QuestionVariables(Record):
    """Variables of `tactical_planning/question.j2` and `tactical_planning/summary.j2`, to which no engine replies."""

    document_id: str
    purpose: str
    perspectives: str


class ShownPassage(Record):
    """A stretch of a document's text, with the heading above it and its page."""

    text: str
    start: int
    heading: str = ""
    page: int | None = None
    match: float | None = Field(default=None, description="probability that its document answers, by the search")
    rank: int = Field(default=0, description="place among the document's passages, best first, by the search")


class ShownDocument(Record):
    """A document, or the passages of it that match, in the order of the text, with the question put to it.

    `whole` is True if nothing is left out.
    """

    document_id: str
    title: str = ""
    about: str = Field(default="", description="issuer, kind and period, if the document states them")
    question: str = ""
    whole: bool = False
    passages: tuple[ShownPassage, ...] = ()
    addresses_model: bool = Field(default=False, description="the text shown addresses a language model")


class AskVariables(Record):
    """Variables of `query/ask.j2`, which one or several documents answer in one call.

    `scope` is every if each document must be decided.
    """

    main_question: str
    mission: str
    scope: Scope = Scope.SOME
    documents: tuple[ShownDocument, ...]
    most_quotes: int = 8


class DocumentReply(Record):
    """The reading of one document: verdict, point (relevance, 0..100), quotes, and the reply in words."""

    document: Text = ""
    verdict: OfVerdict = Verdict.UNREAD
    point: Point = None
    head: Text = Field(default="", description="a label for the document, if every document must be decided")
    quotes: tuple[str, ...] = ()
    reply: Text = ""


class AskReply(Record):
    """The replies of the documents; a document that was read whole and is left out says nothing on the question."""

    readings: tuple[DocumentReply, ...]


class CellReply(Record):
    """The reading of a document for one of several questions."""

    question: int
    verdict: OfVerdict = Verdict.UNREAD
    quotes: tuple[str, ...] = ()
    answer: Text = ""
    reason: Text = ""


class RowVariables(Record):
    """Variables of `query/row.j2`: one document and all questions of a matrix."""

    mission: str
    questions: tuple[str, ...]
    document: ShownDocument
    most_quotes: int = 3


class RowReply(Record):
    """The answers of one document to the questions of a matrix."""

    answers: tuple[CellReply, ...]


class ReflectVariables(Record):
    """Variables of `reflection/reflect.j2`: what each reading said, what is open, and which documents are left."""

    question: str
    mission: str
    parts: tuple[str, ...]
    memories: tuple[Memory, ...]
    searched: tuple[str, ...] = ()
    proposed: tuple[str, ...] = Field(default=(), description="wordings that the answer proposed to search for")
    unread: int = 0


class ReflectReply(Record):
    """The known and the unknown, and wordings that may find it."""

    known: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()


class EvidenceSpan(Record):
    """A piece of a document's text: plain text around the quotes, or a quote with its id (E1, N1)."""

    text: str
    id: str = ""


class EvidencePassage(Record):
    """A stretch of text that holds quotes, each marked once, with the heading above it and its page."""

    spans: tuple[EvidenceSpan, ...]
    heading: str = ""
    page: int | None = None


class EvidenceDocument(Record):
    """A document's quotes in their surroundings, in the order of the text."""

    document_id: str
    title: str = ""
    about: str = ""
    point: int | None = Field(default=None, description="the relevance (0..100) that its reader gave it")
    whole: bool = False
    passages: tuple[EvidencePassage, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the quotes, in the order of the text."""
        return tuple(span.id for passage in self.passages for span in passage.spans if span.id)


class DocumentNote(Record):
    """The reading of a document in a line."""

    document_id: str
    verdict: str
    reply: str


class AnswerVariables(Record):
    """Variables of `answer/answer.j2`.

    `refused` holds the reasons for which a check refused the last answer; `decided` is the number of documents that
    were decided, if every one had to be, and `undecided` how many were not.
    """

    question: str
    mission: str
    parts: tuple[str, ...]
    documents: tuple[EvidenceDocument, ...]
    notes: tuple[DocumentNote, ...] = ()
    read: int = 0
    total: int = 0
    decided: int | None = None
    undecided: int = 0
    refused: tuple[str, ...] = ()


class ProposedStatement(Record):
    """A statement, and the ids of its evidence; `head` is a short label."""

    head: Text = ""
    text: Text
    evidence: tuple[str, ...] = ()


class PartReply(Record):
    """The status of a part of the question, by its number from 1."""

    part: int
    status: Annotated[PartStatus, Judgement] = PartStatus.NOT_STATED


class ProposedDisagreement(Record):
    """Different values for the same thing, each with its evidence, and an explanation."""

    about: Text = ""
    sides: tuple[ProposedStatement, ...] = ()
    explanation: Text = ""


class AnswerReply(Record):
    """The answer: a lead, the details that it does not say, the status of each part, and what is not stated."""

    lead: ProposedStatement | None = None
    details: tuple[ProposedStatement, ...] = ()
    parts: tuple[PartReply, ...] = ()
    not_stated: tuple[ProposedStatement, ...] = ()
    disagreements: tuple[ProposedDisagreement, ...] = ()
    search: tuple[str, ...] = ()


class CheckedStatement(Record):
    """A statement to check, with the ids of its evidence and what the program noticed.

    `verbatim` is True if it is the text of its quotes. `question` is set if it answers a question of its own.
    """

    number: int
    text: str
    evidence: tuple[str, ...] = ()
    verbatim: bool = False
    notes: tuple[str, ...] = ()
    question: str = ""


class CheckVariables(Record):
    """Variables of `answer/check.j2`: nothing but the question, the statements and the quotes in their surroundings."""

    question: str
    parts: tuple[str, ...] = ()
    statements: tuple[CheckedStatement, ...]
    not_stated: tuple[str, ...] = ()
    documents: tuple[EvidenceDocument, ...]
    read: int = 0
    total: int = 0


class StatementCheck(Record):
    """The judgement on one statement; `corrected` is what the quotes support of a statement supported in part."""

    number: int
    support: OfSupport = Support.UNCHECKED
    reason: Text = ""
    corrected: Text = ""


class CheckReply(Record):
    """The judgement on each statement, and whether the supported ones answer exactly what was asked."""

    statements: tuple[StatementCheck, ...]
    answers: OfFit = Fit.UNCHECKED
    open_parts: tuple[int, ...] = ()
    reason: Text = ""
