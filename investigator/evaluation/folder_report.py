"""Computes the results for a file of questions: all measures, for all questions and by kind, and the cost. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from pydantic import Field

from investigator.evaluation.answer_text import Overlap
from investigator.evaluation.estimates import Estimate, Rows, mean_of, roc_area, statistic_of
from investigator.evaluation.measures import Ground, Measure
from investigator.evaluation.outcomes import SILENT, Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import grounds_of
from investigator.records import AnswerStatus, Record, Usage, together

Judged = tuple[bool, AnswerStatus | None]
"""Whether a question is answerable, and the status of its answer."""


class StatusCount(Record):
    """The number of questions with a given status, and how many of them are known to be answerable or not."""

    status: AnswerStatus
    questions: int
    answerable: int
    unanswerable: int


class WrongQuestion(Record):
    """A question that failed with an error, or whose answer is not right or only in part."""

    id: str
    status: AnswerStatus | None = None
    right: float = Field(default=0.0, description="how right the answer is (0..1)")
    failure: str = ""


class GroupReport(Record):
    """The measures for a group of questions; a measure is missing if no question has the facts that it requires."""

    kind: str = Field(description="kind of the questions, from their rows; empty for all questions")
    questions: int
    answered: int
    measures: dict[Measure, Estimate]


class FolderReport(Record):
    """The quality of the answers to questions about a folder."""

    engine: str
    evaluation: str = Field(description="hash of questions, documents, model and settings")
    everything: GroupReport
    kinds: tuple[GroupReport, ...] = ()
    statuses: tuple[StatusCount, ...]
    judged: dict[Ground, int] = Field(description="number of questions judged by each kind of known fact")
    failures: tuple[WrongQuestion, ...] = ()
    wrong: tuple[WrongQuestion, ...] = ()
    statements: int = Field(description="statements that are shown")
    unsupported: int = Field(description="shown statements of which a check did not support all")
    withheld: int = Field(description="statements that the check refused")
    quotes: int
    proven_quotes: int
    usage: Usage = Field(description="total cost of all questions")
    seconds: Estimate | None = Field(description="per question, of those answered without interruption")

    @property
    def asked(self) -> int:
        """Return the number of questions that were asked, including failed ones."""
        return self.everything.questions + len(self.failures)


_Pair = tuple[Question, Outcome]


def folder_report(questions: Sequence[Question], outcomes: Mapping[str, Outcome], engine: str) -> FolderReport:
    """Return the report on the questions with an outcome; failed questions are counted but not measured."""
    every = [(question, outcomes[question.id]) for question in questions if question.id in outcomes]
    rows = [(question, outcome) for question, outcome in every if outcome.status is not None]
    measured = [outcome for _, outcome in rows]
    kinds = dict.fromkeys(question.kind for question, _ in rows if question.kind)
    groups = [_group(kind, [row for row in rows if row[0].kind == kind]) for kind in kinds] if len(kinds) > 1 else []
    wrong = [one for one in measured if one.scores.get(Measure.RIGHT, 1) < 1]
    return FolderReport(
        engine=engine,
        evaluation=every[0][1].evaluation if every else "",
        everything=_group("", rows),
        kinds=tuple(groups),
        statuses=tuple(_statuses(rows)),
        judged=grounds_of(question for question, _ in rows),
        failures=tuple(WrongQuestion(id=one.id, failure=one.failure) for _, one in every if one.failure),
        wrong=tuple(WrongQuestion(id=one.id, status=one.status, right=one.scores[Measure.RIGHT]) for one in wrong),
        statements=sum(outcome.statements for outcome in measured),
        unsupported=sum(outcome.unsupported for outcome in measured),
        withheld=sum(outcome.withheld for outcome in measured),
        quotes=sum(len(outcome.citations) for outcome in measured),
        proven_quotes=sum(outcome.proven for outcome in measured),
        usage=together(*(outcome.usage for outcome in measured)),
        seconds=mean_of([outcome.seconds for outcome in measured if outcome.seconds is not None]),
    )


def silence(rows: Sequence[Judged]) -> Overlap | None:
    """Return the precision, recall and F1 with which silence picks the unanswerable questions; None if there are no
    such questions. Passages that may answer, and partial answers, are not silence.
    """
    unanswerable = [status for answerable, status in rows if not answerable]
    silent = sum(status in SILENT for _, status in rows)
    both = sum(status in SILENT for status in unanswerable)
    return Overlap.of(both, silent, len(unanswerable)) if unanswerable else None


def _group(kind: str, rows: Sequence[_Pair]) -> GroupReport:
    found = {m: mean_of([value for _, one in rows if (value := one.value(m)) is not None]) for m in Measure}
    found |= _silence([row for row in rows if row[0].answerable is not None])
    return GroupReport(
        kind=kind,
        questions=len(rows),
        answered=sum(outcome.answered for _, outcome in rows),
        measures={measure: one for measure in Measure if (one := found[measure]) is not None},
    )


def _silence(rows: Sequence[_Pair]) -> dict[Measure, Estimate | None]:
    """Return how well unanswerable questions were recognised, and how well confidence predicts answerability."""
    judged = [(bool(question.answerable), outcome.status) for question, outcome in rows]
    answerable = np.array([known for known, _ in judged], dtype=bool)
    confidence = np.array([outcome.confidence for _, outcome in rows], dtype=np.float64)

    def of(figure: Callable[[Overlap], float]) -> Estimate | None:
        def resampled(at: Rows) -> float | None:
            counts = silence([judged[i] for i in at])
            return None if counts is None else figure(counts)

        return statistic_of(resampled, len(judged))

    return {
        Measure.NO_ANSWER_PRECISION: of(lambda counts: counts.precision),
        Measure.NO_ANSWER_RECALL: of(lambda counts: counts.recall),
        Measure.NO_ANSWER_F1: of(lambda counts: counts.f1),
        Measure.ROC_AREA: statistic_of(lambda at: roc_area(confidence[at], answerable[at]), len(judged)),
    }


def _statuses(rows: Sequence[_Pair]) -> list[StatusCount]:
    counts = Counter((outcome.status, question.answerable) for question, outcome in rows)
    found = []
    for status in AnswerStatus:
        yes, no, unknown = (counts[status, known] for known in (True, False, None))
        if yes + no + unknown:
            found.append(StatusCount(status=status, questions=yes + no + unknown, answerable=yes, unanswerable=no))
    return found
