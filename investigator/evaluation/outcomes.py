"""The outcome of one question, with its scores and its cost, including replies that an earlier run paid for."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from investigator.asking.contracts import METHOD
from investigator.asking.replies import read_reply
from investigator.errors import ReplyError
from investigator.evaluation.measures import Cost, Measure
from investigator.records import AnswerStatus, Quote, Record, Usage
from investigator.store.past_calls import PastCall

SILENT = (AnswerStatus.NOT_FOUND, AnswerStatus.NOT_FOUND_SO_FAR, AnswerStatus.PREMISE_WRONG)
"""The statuses by which nothing is claimed to answer the question: nothing was found, or its premise is wrong."""


class Outcome(Record):
    """The outcome of one question; if it failed, `failure` is the error, and there is no status and no score."""

    evaluation: str = Field(default="", description="hash of everything that the outcome depends on but the question")
    id: str
    run_id: str = ""
    status: AnswerStatus | None = None
    failure: str = ""
    answer: str = Field(default="", description="the lead and the details, each with its head")
    statements: int = Field(default=0, description="statements that are shown")
    unsupported: int = Field(default=0, description="shown statements of which a check did not support all")
    withheld: int = Field(default=0, description="statements that the check refused")
    citations: tuple[Quote, ...] = ()
    proven: int = Field(default=0, description="citations found in the stored text at their places")
    scores: dict[Measure, float] = Field(default_factory=dict)
    cost: Usage = Field(default=Usage(), description="including replies reused from earlier runs")
    seconds: float | None = Field(default=None, description="None if part of the answer came from an earlier run")

    @property
    def answered(self) -> bool:
        """Return True if an answer was given; conflicting values count as an answer."""
        return self.status in (AnswerStatus.ANSWERED, AnswerStatus.CONFLICTING)

    @property
    def silent(self) -> bool:
        """Return True if nothing is claimed to answer the question."""
        return self.status in SILENT

    def value(self, measure: Measure | Cost) -> float | None:
        """Return the value of a measure; None if it does not apply to this question."""
        match measure:
            case Measure():
                return self.scores.get(measure)
            case Cost.CALLS:
                return float(self.cost.calls)
            case Cost.TOKENS:
                return float(self.cost.tokens)
            case Cost.MONEY:
                return self.cost.money if not self.cost.unpriced else None
            case Cost.SECONDS:
                return self.seconds


def share_parsed(calls: Iterable[PastCall]) -> float | None:
    """Return the fraction of the replies that should contain a record and do; None if there are no such replies."""
    parsed = []
    for call in calls:
        kind = METHOD[call.template].reply if call.template in METHOD else None
        if kind is not None:
            try:
                parsed.append(read_reply(call.reply.text, kind) is not None)
            except ReplyError:
                parsed.append(False)
    return sum(parsed) / len(parsed) if parsed else None
