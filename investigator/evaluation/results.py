"""Judges each question of a file right or wrong, and computes the results for all questions and by kind. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from investigator.evaluation.estimates import Estimate, mean_of
from investigator.evaluation.measures import Cost, Ground, Labelled, Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import ground_of, grounds_of
from investigator.records import AnswerStatus, Record, Usage
from investigator.reports.wording import plural, some_names

_MOST_NAMES = 5
_KNOWN = "answers, key_numbers, key_points, evidence or doc_ids"
ADD_ANSWERS = f'Add {_KNOWN} to their rows, or "answerable": false.'
"""What to do about questions without a known answer."""


class Judgement(Labelled):
    """The judgement on one question, worst first, and those without one last."""

    WRONG = "wrong", "wrong"
    SILENT = "silent", "silent"  # although the question can be answered
    IN_PART = "in_part", "in part"
    RIGHT = "right", "right"
    UNMEASURED = "unmeasured", "not measured"


class QuestionResult(Record):
    """One question with its judgement, the answer and what was expected."""

    id: str
    question: str
    judgement: Judgement
    why: str = Field(default="", description="why the question is not measured")
    right: float | None = Field(default=None, description="from 0 to 1; None if the question is not measured")
    status: AnswerStatus | None = None
    answer: str = ""
    expected: str = Field(default="", description="what the row says about the answer")
    run_id: str = ""
    cost: Usage = Usage()
    seconds: float | None = None


def question_result(question: Question, outcome: Outcome) -> QuestionResult:
    """Return the result of one question."""
    right, why = outcome.scores.get(Measure.RIGHT), ""
    if outcome.failure:
        judgement, why = Judgement.UNMEASURED, f"failed: {outcome.failure}"
    elif right is None:
        judgement, why = Judgement.UNMEASURED, f"its row has no {_KNOWN}, and is not marked as unanswerable"
    elif right == 1:
        judgement = Judgement.RIGHT
    elif right > 0:
        judgement = Judgement.IN_PART
    else:
        judgement = Judgement.SILENT if outcome.silent else Judgement.WRONG
    same = {name: getattr(outcome, name) for name in ("id", "status", "answer", "run_id", "cost", "seconds")}
    known = {"question": question.wording, "expected": expected(question)}
    return QuestionResult(judgement=judgement, why=why, right=right, **known, **same)


def expected(question: Question) -> str:
    """Return what a row says about the answer, in one line; "" if it says nothing."""
    if question.answerable is False:
        return "nothing, because the documents do not answer it"
    points = [point.text or point.evidence or "" for point in question.key_points or ()]
    known = next(filter(None, (question.answers, question.key_numbers, points, question.evidence)), ())
    words = (" or " if question.answers else "; ").join(known)
    places = f"in {', '.join(sorted(question.documents))}" if question.documents else ""
    return ", ".join(filter(None, (words, places)))


def unmeasured_line(questions: Iterable[Question]) -> str:
    """Return a line that names the questions without a known answer; "" if there are none."""
    ids = [question.id for question in questions if ground_of(question) is None]
    some = f"{plural(len(ids), 'question')} cannot be judged right or wrong: {some_names(ids, _MOST_NAMES)}."
    return f"{some} {ADD_ANSWERS}" if ids else ""


def grounds_line(judged: Mapping[Ground, int]) -> str:
    """Return a line with the number of questions for each criterion; "" if there are none."""
    counts = ", ".join(f"{ground.label} {count:,}" for ground, count in judged.items())
    return f"answers are judged by: {counts}" if counts else ""


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
    """The quality of the answers to questions about a folder; failed questions count in no measure."""

    engine: str
    evaluation: str = Field(description="hash of questions, documents, model and settings")
    everything: GroupReport
    kinds: tuple[GroupReport, ...] = ()
    statuses: dict[AnswerStatus, int]
    judged: dict[Ground, int] = Field(description="number of questions judged by each kind of known fact")
    questions: tuple[QuestionResult, ...] = Field(description="each question, in the order of the file")
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
        questions=tuple(question_result(question, outcome) for question, outcome in pairs),
        statements=sum(outcome.statements for outcome in shown),
        unsupported=sum(outcome.unsupported for outcome in shown),
        withheld=sum(outcome.withheld for outcome in shown),
    )
