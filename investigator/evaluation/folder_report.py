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

    @classmethod
    def of(cls, kind: str, outcomes: Sequence[Outcome]) -> GroupReport:
        """Return the report on a group."""
        means = {
            measure: mean_of([value for outcome in outcomes if (value := outcome.value(measure)) is not None])
            for measure in (*Measure, *Cost)
        }
        measures = {measure: mean for measure, mean in means.items() if mean is not None}
        return cls(kind=kind, questions=len(outcomes), measures=measures)


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
    by_kind: dict[str, list[Outcome]] = {}
    for question, outcome in measured:
        by_kind.setdefault(question.kind or "", []).append(outcome)
    kinds = [GroupReport.of(kind, group) for kind, group in by_kind.items() if kind]
    shown = [outcome for _, outcome in measured]
    return FolderReport(
        engine=engine,
        evaluation=pairs[0][1].evaluation if pairs else "",
        everything=GroupReport.of("", shown),
        kinds=tuple(kinds) if len(kinds) > 1 else (),
        statuses=Counter(outcome.status for outcome in shown if outcome.status is not None),
        judged=grounds_of(question for question, _ in measured),
        failures=tuple(WrongQuestion(id=each.id, failure=each.failure) for _, each in pairs if each.failure),
        wrong=tuple(
            WrongQuestion(id=outcome.id, status=outcome.status, right=right)
            for outcome in shown
            if (right := outcome.scores.get(Measure.RIGHT, 1.0)) < 1
        ),
        statements=sum(outcome.statements for outcome in shown),
        unsupported=sum(outcome.unsupported for outcome in shown),
        withheld=sum(outcome.withheld for outcome in shown),
    )
