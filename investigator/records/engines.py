"""Records of the engines that answer an investigation."""

from __future__ import annotations

from pydantic import Field

from investigator.records.base import Record


class Traits(Record):
    """Properties of an engine that the method must know, besides its replies."""

    threshold: int = Field(default=50, description="point from which a reply counts as an answer")
    goes_by_measures: bool = Field(default=False, description="replies depend on search scores")
    is_model: bool = Field(default=False, description="a language model: calls cost, and points may be wrong")
    is_small: bool = Field(default=False, description="too small to plan; it reads and writes, and search decides")
    context_tokens: int | None = Field(default=None, description="tokens of prompt that can be read; None: not known")
    concurrency: int = Field(default=4, ge=1, description="calls that are useful side by side")
    sampling: str = Field(default="", description="settings that shape the replies; a reply is kept under them, too")


class UsedEngine(Record):
    """The engine of one role: its name and traits."""

    role: str
    name: str
    traits: Traits = Traits()


class Writing(Record):
    """The progress of a local model with a reply: prompt tokens read, and tokens written.

    `most` is the limit of the reply in tokens, `seconds` the duration of the current phase, reading or writing.
    """

    engine: str
    read: int
    to_read: int
    written: int
    most: int
    seconds: float
