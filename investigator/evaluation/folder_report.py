"""Computes the results for a file of questions: all measures, for all questions and by kind. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from pydantic import Field

from investigator.evaluation.answer_text import Overlap
from investigator.evaluation.estimates import Estimate, Rows, mean_of, roc_area, statistic_of
from investigator.evaluation.measures import Cost, Ground, Measure
from investigator.evaluation.outcomes import SILENT, Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import grounds_of
from investigator.records import AnswerStatus, Record


class WrongQuestion(Record):
    """A question whose answer is not right, or only in part (0..1), or that failed with an error."""

    id: str
    status: AnswerStatus | None = None
    right: float = 0.0
    failure: str = ""


class GroupReport(Record):
    """The measures for a group of questions; a measure is missing if no question has the facts that it requires."""

    kind: str = Field(description="kind of the questions, from their rows; empty for all questions")
    questions: int
    measures: dict[Measure | Cost, Estimate]


class FolderReport(Record):
    """The quality of the answers to questions about a folder; failed questions are not measured."""

    engine: str
    evaluation: str = Field(description="hash of questions, documents, model and settings")
    everything: GroupReport
    kinds: tuple[GroupReport, ...] = ()
    statuses: dict[AnswerStatus, int]
    judged: dict[Ground, int] = Field(description="number of questions judged by each kind of known fact")
    failures: tuple[WrongQuestion, ...] = ()
    wrong: tuple[WrongQuestion, ...] = ()
    statements: int = Field(description="statements that are shown")
    unsupported: int = Field(description="shown statements of which a check did not support all")
    withheld: int = Field(description="statements that the check refused")


def folder_report(questions: Sequence[Question], outcomes: Mapping[str, Outcome], engine: str) -> FolderReport:
    """Return the report on the questions with an outcome."""
    every = [outcomes[question.id] for question in questions if question.id in outcomes]
    measured = [outcome for outcome in every if outcome.status is not None]
    known = {question.id: question for question in questions}
    kinds = dict.fromkeys(kind for one in measured if (kind := known[one.id].kind))
    by_kind = {kind: [one for one in measured if known[one.id].kind == kind] for kind in kinds}
    wrong = [one for one in measured if one.scores.get(Measure.RIGHT, 1) < 1]
    return FolderReport(
        engine=engine,
        evaluation=every[0].evaluation if every else "",
        everything=_group("", measured, known),
        kinds=tuple(_group(kind, own, known) for kind, own in by_kind.items()) if len(kinds) > 1 else (),
        statuses=Counter(one.status for one in measured if one.status is not None),
        judged=grounds_of(known[one.id] for one in measured),
        failures=tuple(WrongQuestion(id=one.id, failure=one.failure) for one in every if one.failure),
        wrong=tuple(WrongQuestion(id=one.id, status=one.status, right=one.scores[Measure.RIGHT]) for one in wrong),
        statements=sum(one.statements for one in measured),
        unsupported=sum(one.unsupported for one in measured),
        withheld=sum(one.withheld for one in measured),
    )


def silence(rows: Sequence[tuple[bool, AnswerStatus | None]]) -> Overlap | None:
    """Return the precision, recall and F1 with which silence picks the unanswerable questions; None if there are no
    such questions. Rows are pairs (answerable, status). Passages and partial answers are not silence.
    """
    unanswerable = [status for answerable, status in rows if not answerable]
    silent = sum(status in SILENT for _, status in rows)
    both = sum(status in SILENT for status in unanswerable)
    return Overlap.of(both, silent, len(unanswerable)) if unanswerable else None


def _group(kind: str, outcomes: Sequence[Outcome], questions: Mapping[str, Question]) -> GroupReport:
    judged = [one for one in outcomes if questions[one.id].answerable is not None]
    rows = [(bool(questions[one.id].answerable), one.status) for one in judged]
    answerable = np.array([known for known, _ in rows], dtype=bool)
    confidence = np.array([one.confidence for one in judged], dtype=np.float64)

    def of(figure: Callable[[Overlap], float]) -> Estimate | None:
        def resampled(at: Rows) -> float | None:
            counts = silence([rows[i] for i in at])
            return None if counts is None else figure(counts)

        return statistic_of(resampled, len(rows))

    found = {
        measure: mean_of([value for one in outcomes if (value := one.value(measure)) is not None])
        for measure in (*Measure, *Cost)
    } | {
        Measure.NO_ANSWER_PRECISION: of(lambda counts: counts.precision),
        Measure.NO_ANSWER_RECALL: of(lambda counts: counts.recall),
        Measure.NO_ANSWER_F1: of(lambda counts: counts.f1),
        Measure.ROC_AREA: statistic_of(lambda at: roc_area(confidence[at], answerable[at]), len(rows)),
    }
    measures = {measure: estimate for measure, estimate in found.items() if estimate is not None}
    return GroupReport(kind=kind, questions=len(outcomes), measures=measures)
