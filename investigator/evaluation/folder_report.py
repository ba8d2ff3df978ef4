"""Computes the results for a file of questions: all measures, across all questions and for each kind, and the cost.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from investigator.evaluation.abstention import (
    Confusion,
    confusion,
    precision_at_coverage,
    risk_coverage_area,
    roc_area,
)
from investigator.evaluation.estimates import Estimate, Rows, mean_of, statistic_of
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.rightness import JudgedRows, grounds_of, rightness
from investigator.evaluation.scoring import quotes_answer, scores, soundness
from investigator.records import AnswerStatus, Record, Usage

HEADLINE_COVERAGE = 0.7


class Measured(Record):
    """A measure with its estimate."""

    measure: Measure
    estimate: Estimate


class StatusCount(Record):
    """The number of questions with a given status."""

    status: AnswerStatus
    questions: int


class FailedQuestion(Record):
    """A question that failed with an error."""

    id: str
    reason: str


class WrongQuestion(Record):
    """A question whose answer is not right, or only in part: its status, and how right it is (0..1)."""

    id: str
    status: AnswerStatus
    right: float


class StatementCounts(Record):
    """The numbers of statements that are shown, shown although a check did not support all of them, and withheld."""

    shown: int = 0
    unsupported: int = 0
    withheld: int = 0


class Seconds(Record):
    """The time per question, for questions that were answered without interruption."""

    mean: float
    median: float
    p95: float
    questions: int


class GroupReport(Record):
    """The measures for a group of questions; a measure is missing if no question has the known answers that it
    requires.
    """

    kind: str = Field(description="kind of the questions, from their rows; empty for all questions")
    questions: int
    answered: int
    measures: tuple[Measured, ...]

    def estimate(self, measure: Measure) -> Estimate | None:
        """Return the estimate for a measure; None if it is missing."""
        return next((one.estimate for one in self.measures if one.measure is measure), None)


class FolderReport(Record):
    """The quality of the answers to questions about a folder."""

    engine: str
    evaluation: str = Field(description="hash of questions, documents, model and settings")
    asked: int = Field(description="questions that were asked, including failed ones")
    everything: GroupReport
    kinds: tuple[GroupReport, ...] = ()
    statuses: tuple[StatusCount, ...]
    confusion: Confusion
    judged: tuple[JudgedRows, ...] = Field(
        default=(), description="number of questions judged by each kind of known fact"
    )
    failures: tuple[FailedQuestion, ...] = ()
    wrong: tuple[WrongQuestion, ...] = ()
    statements: StatementCounts = StatementCounts()
    quotes: int
    proven_quotes: int
    usage: Usage = Field(description="total cost of all questions")
    seconds: Seconds | None


@dataclass(frozen=True)
class _Measurable:
    question: Question
    outcome: Outcome


def folder_report(questions: Sequence[Question], outcomes: Mapping[str, Outcome], engine: str) -> FolderReport:
    """Return the report on the questions with an outcome; failed questions are counted but not measured."""
    every = [_Measurable(question, outcomes[question.id]) for question in questions if question.id in outcomes]
    rows = [row for row in every if row.outcome.status is not None]
    kinds = dict.fromkeys(row.question.kind for row in rows if row.question.kind)
    by_kind = {kind: [row for row in rows if row.question.kind == kind] for kind in kinds}
    judged = [row for row in rows if row.question.answerable is not None]
    statuses = [row.outcome.status for row in rows]
    usages = [row.outcome.usage for row in rows]
    return FolderReport(
        engine=engine,
        evaluation=every[0].outcome.evaluation if every else "",
        asked=len(every),
        everything=_group("", rows),
        kinds=tuple(_group(kind, own) for kind, own in by_kind.items()) if len(by_kind) > 1 else (),
        statuses=tuple(StatusCount(status=s, questions=statuses.count(s)) for s in AnswerStatus if s in statuses),
        confusion=_counts(judged),
        judged=grounds_of(row.question for row in rows),
        failures=tuple(FailedQuestion(id=r.question.id, reason=r.outcome.failure) for r in every if r.outcome.failure),
        wrong=tuple(_wrong(rows)),
        statements=StatementCounts(
            shown=sum(row.outcome.statements for row in rows),
            unsupported=sum(row.outcome.unsupported for row in rows),
            withheld=sum(row.outcome.withheld for row in rows),
        ),
        quotes=sum(len(row.outcome.citations) for row in rows),
        proven_quotes=sum(row.outcome.proven for row in rows),
        usage=Usage(
            calls=sum(usage.calls for usage in usages),
            input_tokens=sum(usage.input_tokens for usage in usages),
            output_tokens=sum(usage.output_tokens for usage in usages),
            seconds=sum(usage.seconds for usage in usages),
        ),
        seconds=_seconds([row.outcome.seconds for row in rows if row.outcome.seconds is not None]),
    )


def _wrong(rows: Sequence[_Measurable]) -> Iterator[WrongQuestion]:
    """Yield the questions that are not wholly right, in order."""
    for row in rows:
        right, status = rightness(row.question, row.outcome), row.outcome.status
        if status is not None and right is not None and right < 1:
            yield WrongQuestion(id=row.question.id, status=status, right=right)


def _counts(rows: Sequence[_Measurable]) -> Confusion:
    every = [(bool(row.question.answerable), row.outcome.status) for row in rows]
    known = [(answerable, status) for answerable, status in every if status is not None]
    return confusion([answerable for answerable, _ in known], [status for _, status in known])


def _group(kind: str, rows: Sequence[_Measurable]) -> GroupReport:
    every = [scores(row.question, row.outcome) for row in rows]
    found = {measure: mean_of([one[measure] for one in every if measure in one]) for measure in Measure}
    found |= _silence(rows) | _risk(rows, with_evidence=False)
    if any(row.question.evidence for row in rows):
        found |= _risk(rows, with_evidence=True)
    sound = [soundness(row.outcome) for row in rows]
    found[Measure.PARSED] = mean_of([one[Measure.PARSED] for one in sound if Measure.PARSED in one])
    found[Measure.PROVEN] = _proven(rows)
    return GroupReport(
        kind=kind,
        questions=len(rows),
        answered=sum(row.outcome.answered for row in rows),
        measures=tuple(Measured(measure=m, estimate=found[m]) for m in Measure if found.get(m) is not None),
    )


def _silence(rows: Sequence[_Measurable]) -> dict[Measure, Estimate | None]:
    """Return how well unanswerable questions were recognised, and how well confidence predicts answerability."""
    judged = [row for row in rows if row.question.answerable is not None]
    answerable = np.array([bool(row.question.answerable) for row in judged], dtype=bool)
    confidence = np.array([row.outcome.confidence for row in judged], dtype=np.float64)

    def of(figure: Callable[[Confusion], float | None]) -> Estimate | None:
        def resampled(at: Rows) -> float | None:
            return figure(_counts([judged[i] for i in at]))

        return statistic_of(resampled, len(judged))

    return {
        Measure.NO_ANSWER_PRECISION: of(lambda counts: counts.precision),
        Measure.NO_ANSWER_RECALL: of(lambda counts: counts.recall),
        Measure.NO_ANSWER_F1: of(lambda counts: counts.f1),
        Measure.ROC_AREA: statistic_of(lambda at: roc_area(confidence[at], answerable[at]), len(judged)),
    }


def _risk(rows: Sequence[_Measurable], *, with_evidence: bool) -> dict[Measure, Estimate | None]:
    """Return the risk and the precision obtained when only the questions with the highest confidence are answered."""
    known = [(row, quotes_answer(row.question, row.outcome.would_cite, with_evidence=with_evidence)) for row in rows]
    right = np.array([value for _, value in known if value is not None], dtype=np.float64)
    confidence = np.array([row.outcome.confidence for row, value in known if value is not None], dtype=np.float64)
    area = statistic_of(lambda at: risk_coverage_area(confidence[at], right[at]), len(right))
    precision = statistic_of(lambda at: precision_at_coverage(confidence[at], right[at], HEADLINE_COVERAGE), len(right))
    if with_evidence:
        return {Measure.RISK_AREA_EVIDENCE: area, Measure.PRECISION_70_EVIDENCE: precision}
    answerable = np.array([row.question.answerable for row, value in known if value is not None], dtype=np.float64)
    best = statistic_of(lambda at: precision_at_coverage(answerable[at], answerable[at], HEADLINE_COVERAGE), len(right))
    return {Measure.RISK_AREA: area, Measure.PRECISION_70: precision, Measure.PRECISION_70_BEST: best}


def _proven(rows: Sequence[_Measurable]) -> Estimate | None:
    """Return the fraction of quotes that are proven; its interval, like all others, comes from resampling the
    questions.
    """
    proven = np.array([row.outcome.proven for row in rows], dtype=np.float64)
    quotes = np.array([len(row.outcome.citations) for row in rows], dtype=np.float64)
    return statistic_of(lambda at: float(proven[at].sum() / quotes[at].sum()) if quotes[at].any() else None, len(rows))


def _seconds(values: Sequence[float]) -> Seconds | None:
    if not values:
        return None
    median, p95 = np.percentile(values, (50, 95))
    return Seconds(mean=float(np.mean(values)), median=float(median), p95=float(p95), questions=len(values))
