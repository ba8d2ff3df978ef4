"""Standing questions: what an update of the folder changed about their answers."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.answers import Answer, Usage
from investigator.records.base import Record


class Change(StrEnum):
    """The change of a document since the last update."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


class DocumentChange(Record):
    """A document that is new, changed or gone. A renamed one is gone under its old name, and new."""

    document_id: str
    change: Change


class AskedAnew(Record):
    """A standing question that was asked in an update.

    `because` are the changed documents that the earlier answer cites, and the new and changed ones that may answer; it
    is empty if there is no earlier answer. `failure` is the reason why there is no new one; it is asked again.
    """

    question: str
    because: tuple[DocumentChange, ...] = ()
    differs: bool = Field(description="the answer has another status or other quotes than the earlier one")
    earlier: Answer | None = None
    answer: Answer | None = None
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
