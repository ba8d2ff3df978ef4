"""Compares two candidates on the same questions: computes each measure with its test, and lists the changed outcomes.
Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from pydantic import Field

from investigator.evaluation.measures import Measure
from investigator.evaluation.questions import Question
from investigator.evaluation.rightness import JudgedRows, grounds_of
from investigator.records import AnswerStatus, Record, Usage, together
from investigator.tuning.statistics import PairedDifference, detectable, paired_difference
from investigator.tuning.trials import Cost, QuestionTrial

_EXAMPLES = 50


class MeasureRow(Record):
    """The values of a measure for both sides, over the questions that it applies to."""

    measure: Measure | Cost
    questions: int
    paired: PairedDifference


class NoiseRow(Record):
    """How much a measure varies across the repetitions of one side.

    `spread` is the largest difference between two means, and `moved` is the fraction of questions with different
    scores.
    """

    side: str
    measure: Measure
    repetitions: int
    spread: float
    moved: float


class ComparedSide(Record):
    """One side of a comparison, and the total cost of its questions, including reused replies."""

    name: str
    engine: str = ""
    cost: Usage = Usage()
    failures: int = 0


class ChangedExample(Record):
    """A question whose score or status differs between the sides, with the run of each side."""

    question: str
    words: str
    first_run: str
    second_run: str
    first: float | None
    second: float | None
    first_status: AnswerStatus | None
    second_status: AnswerStatus | None


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
    noise: tuple[NoiseRow, ...] = ()

    def row(self, measure: Measure | Cost) -> MeasureRow | None:
        """Return the row for a measure; None if it could not be measured."""
        return next((row for row in self.rows if row.measure is measure), None)

    @property
    def verdict(self) -> str:
        """Return a sentence that names the better side, or the number of questions that would be needed."""
        row = self.row(self.judged_by)
        if row is None:
            return f"No question has the known facts that {self.judged_by.label!r} needs."
        found, points = row.paired, 100 * row.paired.difference.value
        if found.tells:
            better, worse = (self.second, self.first) if points > 0 else (self.first, self.second)
            return f"{better.name} is better than {worse.name}: {abs(points):.1f} points, p = {found.p:.2g}."
        least = 100 * detectable(row.questions)
        if found.needed is None:
            return (
                f"No difference was found; {row.questions} questions can show one of about {least:.0f} points or more."
            )
        return (
            f"Not enough questions to tell: a difference of {abs(points):.1f} points needs about {found.needed:,}, "
            f"but there are only {row.questions}. Add questions about other documents, or treat both as equal within "
            f"{least:.0f} points."
        )


Repeated = Sequence[Mapping[str, QuestionTrial]]
"""The trials of one side, keyed by question id; one for each repetition."""


def compared(
    questions: Sequence[Question],
    sides: tuple[ComparedSide, ComparedSide],
    trials: tuple[Repeated, Repeated],
    judged_by: Measure,
    seed: int,
) -> Comparison:
    """Compare two sides question by question, averaging the repetitions of a question."""
    whole = [one for one in questions if all(_whole(side, one.id) for side in trials)]
    rows = []
    for measure in (*Measure, *Cost):
        pairs = [(_mean(trials[0], one.id, measure), _mean(trials[1], one.id, measure)) for one in whole]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        paired = paired_difference([a for a, _ in known], [b for _, b in known], seed)
        if paired is not None and (isinstance(measure, Measure) or paired.first or paired.second):
            rows.append(MeasureRow(measure=measure, questions=len(known), paired=paired))
    examples = [example for one in whole if (example := _changed(one, trials, judged_by)) is not None]
    first, second = (side.changed(**_totals(some)) for side, some in zip(sides, trials, strict=True))
    return Comparison(
        first=first,
        second=second,
        judged_by=judged_by,
        questions=len(whole),
        judged=grounds_of(whole),
        rows=tuple(rows),
        examples=tuple(examples[:_EXAMPLES]),
        examples_in_all=len(examples),
        noise=tuple(filter(None, (noise(side.name, trials[at], judged_by) for at, side in enumerate(sides)))),
    )


def noise(side: str, repeated: Repeated, measure: Measure) -> NoiseRow | None:
    """Return the spread of a side's repetitions; None if there is only one, or nothing was measured."""
    values = [
        {name: value for name, one in some.items() if (value := one.value(measure)) is not None} for some in repeated
    ]
    common = set(values[0]).intersection(*values[1:]) if len(values) > 1 else set()
    if not common:
        return None
    means = [sum(some[name] for name in common) / len(common) for some in values]
    moved = sum(len({some[name] for some in values}) > 1 for name in common) / len(common)
    spread = max(abs(a - b) for a, b in combinations(means, 2))
    return NoiseRow(side=side, measure=measure, repetitions=len(values), spread=spread, moved=moved)


def _whole(repeated: Repeated, name: str) -> bool:
    return all(name in some and not some[name].failure for some in repeated)


def _mean(repeated: Repeated, name: str, measure: Measure | Cost) -> float | None:
    known = [value for some in repeated if (value := some[name].value(measure)) is not None]
    return sum(known) / len(known) if known else None


def _totals(repeated: Repeated) -> dict[str, object]:
    every = [one for some in repeated for one in some.values()]
    return {"cost": together(*(one.cost for one in every)), "failures": sum(bool(one.failure) for one in every)}


def _changed(question: Question, trials: tuple[Repeated, Repeated], measure: Measure) -> ChangedExample | None:
    first, second = trials[0][0][question.id], trials[1][0][question.id]
    values = [_mean(side, question.id, measure) for side in trials]
    if values[0] == values[1] and first.status is second.status:
        return None
    return ChangedExample(
        question=question.id,
        words=question.asked,
        first_run=first.run_id,
        second_run=second.run_id,
        first=values[0],
        second=values[1],
        first_status=first.status,
        second_status=second.status,
    )
