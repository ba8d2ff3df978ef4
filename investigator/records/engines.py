"""Records of the engines that an investigation calls."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record


class Traits(Record):
    """Properties of an engine. The method uses only the size of the context and the number of concurrent calls."""

    goes_by_measures: bool = Field(default=False, description="replies depend on search scores")
    is_model: bool = Field(default=False, description="the engine is a language model, so calls have a cost")
    context_tokens: int | None = Field(default=None, description="maximum tokens in a prompt; None if unknown")
    concurrency: int = Field(default=4, ge=1, description="useful number of concurrent calls")
    sampling: str = Field(default="", description="settings that affect the replies; part of the key of a stored reply")


class Trust(StrEnum):
    """How far the judgement of an engine is trusted, the lowest first; see `investigator doctor`.

    unread: it does not read (the built-in finder); ungraded: nobody has graded it; failed, passed: its grade.
    """

    UNREAD = "unread"
    FAILED = "failed"
    UNGRADED = "ungraded"
    PASSED = "passed"

    @property
    def decides(self) -> bool:
        """Return True if what the engine judges may be called an answer."""
        return self in (Trust.UNGRADED, Trust.PASSED)


class UsedEngine(Record):
    """The engine for one role: its name and traits, and how far it was trusted when the run began."""

    role: str
    name: str
    traits: Traits = Traits()
    trust: Trust = Trust.UNGRADED


class Writing(Record):
    """A local model's progress with a reply: prompt tokens read, and tokens written.

    `most` is the token limit of the reply, and `seconds` is the duration of the current phase (reading or writing).
    """

    engine: str
    read: int
    to_read: int
    written: int
    most: int
    seconds: float
