"""The settings of the method."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records import Record

DEFAULT_MISSION = "Answer the question from the documents alone, and say so plainly when they do not hold the answer."
DEFAULT_STRATEGY = "Ask the likeliest documents first; prefer exact statements, figures and dates to general remarks."


class Effort(StrEnum):
    """How much is done for an answer. full: the whole method; quick: one reading of the best documents, and a check."""

    FULL = "full"
    QUICK = "quick"


class PlannerSettings(Record):
    """Settings for planning."""

    steps: int = Field(default=8, ge=1, le=100, description="maximum number of documents that a plan reads")
    documents: int = Field(
        default=7,
        ge=1,
        le=100,
        description="number of documents of which the planner sees passages; of as many others it sees the names",
    )


class ReadingLimits(Record):
    """How much of each document is read in a call, in characters, and how many quotes one reply may have."""

    characters: int = 6_000  # of the passages of a longer document
    whole_characters: int = 6_000  # a document up to this length is read whole
    most_quotes: int = 8


_MOST_CHARACTERS, _MOST_DOCUMENTS = 12_000, 8


class QuerySettings(Record):
    """Settings for reading a document."""

    characters: int = Field(
        default=ReadingLimits().characters,
        ge=500,
        le=1_000_000,
        description="length of the passages read from a longer document, for each part of the question",
    )

    def limits(self, parts: int = 1, documents: int = 1) -> ReadingLimits:
        """Return the limits for reading several parts of a question from each of several documents: more of each, but
        no more in all than eight documents of the usual length.
        """
        most = max(self.characters, min(_MOST_CHARACTERS, _MOST_DOCUMENTS * self.characters // documents))
        return ReadingLimits(characters=min(most, self.characters * max(1, parts)))


class AnswerSettings(Record):
    """Settings for writing the answer."""

    evidence: int = Field(default=60, ge=1, le=500, description="maximum number of quotes that the writer sees")


class ResearchSettings(Record):
    """The limits of the method."""

    effort: Effort = Field(
        default=Effort.FULL, description="full, or quick: one reading of the best passages and a check"
    )
    rounds: int = Field(default=2, ge=1, le=50, description="maximum number of rounds of planning and reading")
    threshold: int = Field(
        default=50, ge=0, le=100, description="lowest relevance of a reply that counts (seed: HistorySelector)"
    )
    concurrency: int | None = Field(
        default=None,
        ge=1,
        le=256,
        description="number of calls at the same time; null: as many as the engine can handle",
    )
    whole_tokens: int = Field(
        default=30_000,
        ge=0,
        description="a folder up to this size, in tokens, is read whole if it fits into a third of the model's "
        "context; 0: never",
    )
    survey_tokens: int = Field(
        default=20_000,
        ge=1_000,
        description="tokens of text that are read if every document must be decided; documents beyond it are named",
    )
    planner: PlannerSettings = PlannerSettings()
    query: QuerySettings = QuerySettings()
    answer: AnswerSettings = AnswerSettings()
