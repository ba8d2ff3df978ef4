"""Records of the engines that an investigation calls."""

from __future__ import annotations

from pydantic import Field

from investigator.records.base import Record


class Traits(Record):
    """Properties of an engine that the method needs to know."""

    threshold: int = Field(default=50, description="lowest point at which a reply counts as an answer")
    goes_by_measures: bool = Field(default=False, description="replies depend on search scores")
    is_model: bool = Field(
        default=False, description="the engine is a language model: calls have a cost, and points may be wrong"
    )
    is_small: bool = Field(
        default=False, description="the model is too small to decide: it only quotes and writes, and the rules decide"
    )
    context_tokens: int | None = Field(default=None, description="maximum tokens in a prompt; None if unknown")
    concurrency: int = Field(default=4, ge=1, description="useful number of concurrent calls")
    sampling: str = Field(default="", description="settings that affect the replies; part of the key of a stored reply")

    @property
    def decides(self) -> bool:
        """Return True if the engine's judgement counts; otherwise, the rules of the built-in engine decide."""
        return not (self.goes_by_measures or self.is_small)


class UsedEngine(Record):
    """The engine for one role: its name and traits."""

    role: str
    name: str
    traits: Traits = Traits()


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
