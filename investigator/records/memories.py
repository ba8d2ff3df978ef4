"""Records of questions, replies and knowledge (seed: generative_agents, "MemoryStream", "Reflection")."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import Quote
from investigator.records.parts import Verdict


class PointStatus(StrEnum):
    """The status of a reply's point, which may be unreadable."""

    SCORED = "scored"
    UNPARSED = "unparsed"


class Reading(Record):
    """The reading of one document for a question: verdict, point (relevance, 0..100; None if unreadable), and reply.

    `quotes` stand in the document; `failed_quotes` were given by the engine but do not. `addressed` is True if the
    text that was read, or the reply, addresses a language model. `whole` is True if the document was read from
    beginning to end.
    """

    reply: str
    point: int | None = Field(default=None, ge=0, le=100)
    verdict: Verdict = Verdict.UNREAD
    head: str = Field(default="", description="the reader's label for the document, in a survey")
    quotes: tuple[Quote, ...] = ()
    failed_quotes: tuple[str, ...] = ()
    addressed: bool = False
    whole: bool = False


class Memory(Reading):
    """A question to a document, and its reading; the reply of an unparsed one is the raw text."""

    id: int = Field(ge=1)
    target_document_id: str
    question: str
    status: PointStatus = PointStatus.SCORED


class Reflection(Record):
    """The review of a round: what is known, what is unknown, and where to look next."""

    round: int = Field(ge=1)
    known: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    wordings: tuple[str, ...] = Field(default=(), description="wordings to search for next")
