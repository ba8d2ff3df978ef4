"""The judgements on readings, parts of a question, statements and documents of a survey."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import Quote


class Verdict(StrEnum):
    """The judgement of an engine on a document that it read for a question.

    answers: it answers the question; in_part: it answers some of it; not_stated: it says nothing, or only something
    similar; premise_wrong: it says otherwise than the question assumes; unread: the reply could not be used.
    """

    ANSWERS = "answers"
    IN_PART = "in_part"
    NOT_STATED = "not_stated"
    PREMISE_WRONG = "premise_wrong"
    UNREAD = "unread"

    @property
    def is_evidence(self) -> bool:
        """Return True if quotes of such a reading may support an answer."""
        return self in (Verdict.ANSWERS, Verdict.IN_PART, Verdict.PREMISE_WRONG)


class PartStatus(StrEnum):
    """How far the documents answer one part of the question."""

    ANSWERED = "answered"
    IN_PART = "in_part"
    PREMISE_WRONG = "premise_wrong"
    NOT_STATED = "not_stated"


class Part(Record):
    """One of the questions that a question contains, and how far it is answered."""

    question: str = Field(min_length=1)
    status: PartStatus = PartStatus.NOT_STATED


class Support(StrEnum):
    """How a statement was checked against its quotes.

    verbatim: it is the text of its quotes; supported, in_part, unsupported: the judgement of a separate reading;
    unchecked: nobody has checked it.
    """

    VERBATIM = "verbatim"
    SUPPORTED = "supported"
    IN_PART = "in_part"
    UNSUPPORTED = "unsupported"
    UNCHECKED = "unchecked"


class Fit(StrEnum):
    """The judgement of a check on whether the supported statements answer exactly what was asked."""

    YES = "yes"
    IN_PART = "in_part"
    CORRECTS = "corrects_the_question"
    RIGHTLY_NOT_STATED = "rightly_not_stated"
    NO = "no"
    UNCHECKED = "unchecked"


class Statement(Record):
    """A statement of the answer and its quotes.

    `head` is a short label (a side, a period, an item); the lead has none. `reason` says why a check did not support
    all of it. `notes` are observations of the program, such as a figure that no quote contains; they withhold nothing.
    `cells` is the text of a row in the columns of its table.
    """

    text: str
    head: str = ""
    quotes: tuple[Quote, ...] = ()
    support: Support = Support.UNCHECKED
    reason: str = ""
    notes: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()

    @property
    def is_shown(self) -> bool:
        """Return True unless a check found that the quotes do not support the statement."""
        return self.support is not Support.UNSUPPORTED


class NotStated(Record):
    """Something that was asked for but that the documents do not state, with the nearest quotes."""

    text: str
    quotes: tuple[Quote, ...] = ()


class Side(Record):
    """One of several values that documents give for the same thing, with its quotes and the document's date; or, in a
    report, a statement that explains why they differ.
    """

    text: str
    quotes: tuple[Quote, ...] = ()
    date: str | None = None
    explains: bool = False


class Disagreement(Record):
    """Different values that documents give for the same thing, and the reader's explanation of the difference."""

    about: str
    sides: tuple[Side, ...] = Field(min_length=2)
    explanation: str = ""


class Decision(StrEnum):
    """The decision on whether a document of a survey belongs to the answer. undecided: it was not read."""

    YES = "yes"
    UNCLEAR = "unclear"
    NO = "no"
    UNDECIDED = "undecided"


class SurveyRow(Record):
    """The decision on one document, and the statement that shows it; a document that does not belong has none."""

    document_id: str
    title: str = ""
    decision: Decision
    statement: Statement | None = None
