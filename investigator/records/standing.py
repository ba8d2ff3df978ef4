"""Standing questions: what an update of the folder changed about their answers."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field

from investigator.records.answers import Answer, AnswerStatus, Usage
from investigator.records.base import Record
from investigator.records.documents import Quote


class Change(StrEnum):
    """The change of a document since the last update."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


class DocumentChange(Record):
    """A document that is new, changed or gone. A renamed one is gone under its old name, and new."""

    document_id: str
    change: Change


class StandingAnswer(Record):
    """The contents of an answer: its status, its text with citation numbers, and its quotes in their order."""

    run_id: str
    day: str = Field(description="the day as of which the answer was given, ISO 8601")
    status: AnswerStatus
    lead: str = Field(default="", description="the statement that answers, or else the first one")
    text: str = ""
    quotes: tuple[Quote, ...] = ()

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return what an answer says."""
        lead = next((statement.text for statement in answer.statements), "")
        facts = {"run_id": answer.run.id, "day": answer.run.day, "status": answer.status}
        return cls(**facts, lead=lead, text=answer.text, quotes=answer.citations)

    def differs_from(self, other: Self | None) -> bool:
        """Return True if the status or a quote is another one; other words for the same quotes are no difference."""
        if other is None or self.status is not other.status:
            return True
        return {quote.text for quote in self.quotes} != {quote.text for quote in other.quotes}


class AskedAnew(Record):
    """A standing question that was asked in an update.

    `because` are the changed documents that the earlier answer cites, and the new and changed ones that may answer; it
    is empty if there is no earlier answer. `failure` is the reason why there is no new one; it is asked again.
    """

    question: str
    because: tuple[DocumentChange, ...] = ()
    differs: bool = Field(description="the answer has another status or other quotes than the earlier one")
    earlier: StandingAnswer | None = None
    answer: StandingAnswer | None = None
    failure: str = ""


class StandingUpdate(Record):
    """An update of standing questions: what changed in the folder, which questions were asked, and which answers
    stand.
    """

    at: str = Field(description="when it ended, ISO 8601 in UTC")
    documents: tuple[DocumentChange, ...] = Field(default=(), description="what changed since the last update")
    asked: tuple[AskedAnew, ...] = ()
    kept: tuple[str, ...] = Field(default=(), description="the questions whose earlier answers stand")
    usage: Usage = Usage()
    seconds: float = 0.0

    @property
    def is_news(self) -> bool:
        """Return True if an answer is new or differs from the earlier one."""
        return any(asked.differs for asked in self.asked)

    @property
    def is_empty(self) -> bool:
        """Return True if nothing changed in the folder, and nothing was asked."""
        return not self.documents and not self.asked
