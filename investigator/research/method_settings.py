"""The settings of the method."""

from __future__ import annotations

from pydantic import Field

from investigator.records import Record
from investigator.research.answer import AnswerSettings
from investigator.research.planner import PlannerSettings
from investigator.research.query import QuerySettings

DEFAULT_MISSION = "Answer the question from the documents alone, and say so plainly when they do not hold the answer."
DEFAULT_STRATEGY = "Ask the likeliest documents first; prefer exact statements, figures and dates to general remarks."


class MethodSettings(Record):
    """The limits and thresholds of the method."""

    rounds: int = Field(
        default=3, ge=1, le=50, description="maximum number of rounds of planning, asking and reflecting"
    )
    threshold: int | None = Field(
        default=None,
        ge=0,
        le=100,
        description="lowest score at which a reply counts; null: 50, or the calibrated value for the built-in engine",
    )
    worth_asking: float | None = Field(
        default=None, ge=0, le=1, description="lowest match at which a document is asked; null: the calibrated value"
    )
    concurrency: int | None = Field(
        default=None,
        ge=1,
        le=256,
        description="number of documents asked at the same time; null: as many as the engine can handle",
    )
    thrift: bool | None = Field(
        default=None,
        description="save calls: ask the most promising documents first, skip unpromising ones, and stop once proven "
        "evidence suffices; null: do so only with a language model",
    )
    planner: PlannerSettings = PlannerSettings()
    query: QuerySettings = QuerySettings()
    answer: AnswerSettings = AnswerSettings()
