"""Compares two sides on the same questions: each measure with its test, and the questions with another outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean

from pydantic import Field

from investigator.evaluation.measures import Cost, Measure, judging_measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import JudgedRows, grounds_of
from investigator.records import AnswerStatus, Record, Usage, together
from investigator.tuning.bench import FolderBench, Setup
from investigator.tuning.statistics import PairedDifference, detectable, paired_difference

_EXAMPLES = 50


class MeasureRow(Record):
    """The values of a measure for both sides, over the questions that it applies to."""

    measure: Measure | Cost
    questions: int
    paired: PairedDifference


class ComparedSide(Record):
    """One side of a comparison, and the total cost of its questions, including reused replies."""

    name: str
    engine: str = ""
    cost: Usage = Usage()
    failures: int = 0
    spread: float | None = Field(default=None, description="largest difference between the means of two repetitions")


class ExampleSide(Record):
    """The outcome of a question on one side."""

    run_id: str
    status: AnswerStatus | None
    value: float | None


class ChangedExample(Record):
    """A question whose score or status differs between the sides."""

    question: str
    words: str
    first: ExampleSide
    second: ExampleSide


class Comparison(Record):
    """The comparison of two sides on the same questions; the measure `judged_by` decides which one is better."""

    first: ComparedSide
    second: ComparedSide
    judged_by: Measure
    questions: int = Field(description="questions with a result on both sides")
    judged: tuple[JudgedRows, ...] = Field(
        default=(), description="number of questions judged by each kind of known fact"
    )
    rows: tuple[MeasureRow, ...]
    examples: tuple[ChangedExample, ...] = Field(default=(), description="changed examples, at most 50")
    examples_in_all: int = 0

    def row(self, measure: Measure | Cost) -> MeasureRow | None:
        """Return the row for a measure; None if it could not be measured."""
        return next((row for row in self.rows if row.measure is measure), None)

    @property
    def verdict(self) -> str:
        """Return a sentence that names the better side, or the number of questions that would be needed."""
        row = self.row(self.judged_by)
        if row is None:
            return f"No question has the known facts that {self.judged_by.label!r} needs."
        paired, points = row.paired, 100 * row.paired.difference.value
        if paired.tells:
            better, worse = (self.second, self.first) if points > 0 else (self.first, self.second)
            return f"{better.name} is better than {worse.name}: {abs(points):.1f} points, p = {paired.p:.2g}."
        least = f"{100 * detectable(row.questions):.0f} points"
        if paired.needed is None:
            return f"No difference was found; {row.questions} questions can show one of about {least} or more."
        return (
            f"Not enough questions to tell: a difference of {abs(points):.1f} points needs about {paired.needed:,}, "
            f"but there are only {row.questions}. Add questions about other documents, or treat both as equal within "
            f"{least}."
        )


Repeated = Sequence[Mapping[str, Outcome]]
"""The outcomes of one side, keyed by question id; one mapping for each repetition."""


def compare(
    first: tuple[str, Setup],
    second: tuple[str, Setup],
    questions: Sequence[Question],
    bench: FolderBench,
    *,
    measure: Measure = Measure.RIGHT,
    repeat: int = 1,
    seed: int = 0,
) -> Comparison:
    """Ask both named sides the questions, and compare the outcomes.

    With `repeat` above 1, every question is asked `repeat` times without the cache; the mean is compared, and the
    spread of repetitions is reported. Repeating the call resumes a stopped comparison. Raises the same errors as
    `FolderBench.outcomes`.
    """
    judging_measure(measure)
    numbers = range(1, repeat + 1) if repeat > 1 else (0,)
    every = [[bench.outcomes(setup, questions, repetition=n) for n in numbers] for _, setup in (first, second)]
    names = [(name, bench.evaluation(setup, ()).investigator.engine_name) for name, setup in (first, second)]
    sides = [ComparedSide(name=name, engine=engine) for name, engine in names]
    return compared(questions, (sides[0], sides[1]), (every[0], every[1]), measure, seed)


def compared(
    questions: Sequence[Question],
    sides: tuple[ComparedSide, ComparedSide],
    outcomes: tuple[Repeated, Repeated],
    judged_by: Measure,
    seed: int,
) -> Comparison:
    """Compare two sides question by question, averaging the repetitions of a question. Pure."""
    every = [some for side in outcomes for some in side]
    whole = [one for one in questions if all(one.id in some and not some[one.id].failure for some in every)]
    rows = []
    for measure in (*Measure, *Cost):
        pairs = [(_mean(outcomes[0], one.id, measure), _mean(outcomes[1], one.id, measure)) for one in whole]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        paired = paired_difference([a for a, _ in known], [b for _, b in known], seed)
        if paired is not None and (isinstance(measure, Measure) or paired.first or paired.second):
            rows.append(MeasureRow(measure=measure, questions=len(known), paired=paired))
    examples = [example for one in whole if (example := _changed(one, outcomes, judged_by)) is not None]
    first, second = (_measured_side(side, some, judged_by) for side, some in zip(sides, outcomes, strict=True))
    return Comparison(
        first=first,
        second=second,
        judged_by=judged_by,
        questions=len(whole),
        judged=grounds_of(whole),
        rows=tuple(rows),
        examples=tuple(examples[:_EXAMPLES]),
        examples_in_all=len(examples),
    )


def _measured_side(side: ComparedSide, repeated: Repeated, measure: Measure) -> ComparedSide:
    every = [one for some in repeated for one in some.values()]
    values = [[value for one in some.values() if (value := one.value(measure)) is not None] for some in repeated]
    means = [mean(known) for known in values if known]
    return side.changed(
        cost=together(*(one.cost for one in every)),
        failures=sum(bool(one.failure) for one in every),
        spread=max(means) - min(means) if len(means) > 1 else None,
    )


def _mean(repeated: Repeated, name: str, measure: Measure | Cost) -> float | None:
    known = [value for some in repeated if (value := some[name].value(measure)) is not None]
    return mean(known) if known else None


def _changed(question: Question, outcomes: tuple[Repeated, Repeated], measure: Measure) -> ChangedExample | None:
    first, second = (
        ExampleSide(
            run_id=side[0][question.id].run_id,
            status=side[0][question.id].status,
            value=_mean(side, question.id, measure),
        )
        for side in outcomes
    )
    if (first.value, first.status) == (second.value, second.status):
        return None
    return ChangedExample(question=question.id, words=question.asked, first=first, second=second)
