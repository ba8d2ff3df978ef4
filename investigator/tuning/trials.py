"""A candidate, and the outcome of one question with it. Pure."""

from __future__ import annotations

import hashlib

from pydantic import Field

from investigator.evaluation.measures import Labelled, Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import scores, soundness
from investigator.records import AnswerStatus, Record, Usage

_SAID = 400  # maximum number of characters


class Cost(Labelled):
    """The cost of a question."""

    CALLS = "calls", "calls per question"
    TOKENS = "tokens", "tokens per question"
    MONEY = "money", "US dollars per question"


class TemplateText(Record):
    """The name (`owner/name`) and the text of a template."""

    name: str
    text: str


class Variant(Record):
    """Templates and settings that are tried in place of the user's own."""

    name: str
    templates: tuple[TemplateText, ...] = ()
    settings: tuple[str, ...] = Field(default=(), description="changes part.field=value")
    origin: str = Field(default="", description="the origin of the candidate, for the report")

    @property
    def key(self) -> str:
        """Return an identity for the candidate that does not depend on its name."""
        texts = sorted(f"{one.name}\0{one.text}" for one in self.templates)
        whole = "\0\0".join((*texts, *sorted(self.settings)))
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class QuestionTrial(Record):
    """The outcome of one question with one candidate; if it failed, `failure` is the error and there are no scores.
    `cost` is the cost of the question, excluding reused replies.
    """

    question: str = Field(description="the id of the question")
    run_id: str = ""
    status: AnswerStatus | None = None
    failure: str = ""
    scores: dict[Measure, float] = Field(default_factory=dict)
    cost: Usage = Usage()
    said: str = Field(default="", description="beginning of the answer or, if there is none, of the nearest quotes")

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


def trial_of(question: Question, outcome: Outcome) -> QuestionTrial:
    """Convert the outcome of a question into a trial."""
    if outcome.status is None:
        return QuestionTrial(question=question.id, run_id=outcome.run_id, failure=outcome.failure or "no answer")
    return QuestionTrial(
        question=question.id,
        run_id=outcome.run_id,
        status=outcome.status,
        scores={**scores(question, outcome), **soundness(outcome)},
        cost=outcome.cost,
        said=(outcome.answer or " ".join(quote.text for quote in outcome.would_cite))[:_SAID],
    )
