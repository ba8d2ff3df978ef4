"""Computes the results for a file of questions: all measures, for all questions and by kind. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import Field

from investigator.evaluation.estimates import Estimate, mean_of
from investigator.evaluation.measures import Cost, Ground, Measure
from investigator.evaluation.outcomes import Outcome
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
    pairs = [(question, outcomes[question.id]) for question in questions if question.id in outcomes]
    measured = [(question, outcome) for question, outcome in pairs if outcome.status is not None]
    kinds = dict.fromkeys(question.kind for question, _ in measured if question.kind)
    shown = [outcome for _, outcome in measured]
    wrong = [outcome for outcome in shown if outcome.scores.get(Measure.RIGHT, 1) < 1]
    return FolderReport(
        engine=engine,
        evaluation=pairs[0][1].evaluation if pairs else "",
        everything=_group("", shown),
        kinds=tuple(
            _group(kind, [outcome for question, outcome in measured if question.kind == kind]) for kind in kinds
        )
        if len(kinds) > 1
        else (),
        statuses=Counter(outcome.status for outcome in shown if outcome.status is not None),
        judged=grounds_of(question for question, _ in measured),
        failures=tuple(
            WrongQuestion(id=outcome.id, failure=outcome.failure) for _, outcome in pairs if outcome.failure
        ),
        wrong=tuple(
            WrongQuestion(id=outcome.id, status=outcome.status, right=outcome.scores[Measure.RIGHT])
            for outcome in wrong
        ),
        statements=sum(outcome.statements for outcome in shown),
        unsupported=sum(outcome.unsupported for outcome in shown),
        withheld=sum(outcome.withheld for outcome in shown),
    )


def _group(kind: str, outcomes: Sequence[Outcome]) -> GroupReport:
    measures = dict[Measure | Cost, Estimate]()
    for measure in (*Measure, *Cost):
        values = [value for outcome in outcomes if (value := outcome.value(measure)) is not None]
        if (estimate := mean_of(values)) is not None:
            measures[measure] = estimate
    return GroupReport(kind=kind, questions=len(outcomes), measures=measures)
