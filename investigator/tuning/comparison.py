"""Compares two sides on the same questions: each measure with its test, and each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean

from pydantic import Field

from investigator.evaluation.estimates import PairedDifference, detectable, paired_difference
from investigator.evaluation.folder import UNREAD_TEMPLATES, reads_templates
from investigator.evaluation.measures import JUDGING, Cost, Ground, Measure, judging_measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.results import QuestionResult, question_result
from investigator.evaluation.scoring import grounds_of
from investigator.records import Record, Usage, together
from investigator.tuning.bench import FolderBench, Setup

_LESS_PARSED = 0.01
_SAME = 1e-9


class ComparedSide(Record):
    """One side of a comparison, and the total cost of its questions, including reused replies."""

    name: str
    engine: str = ""
    cost: Usage = Usage()
    failures: int = 0
    spread: float | None = Field(default=None, description="largest difference between the means of two repetitions")


class ComparedQuestion(Record):
    """A question with its results on both sides, and their values of the measure that decides."""

    first: QuestionResult
    second: QuestionResult
    values: tuple[float | None, float | None]

    @property
    def is_changed(self) -> bool:
        """Return True if the sides differ in the value or in the status."""
        return self.values[0] != self.values[1] or self.first.status != self.second.status


class Comparison(Record):
    """The comparison of two sides on the same questions; the measure `judged_by` decides which one is better."""

    first: ComparedSide
    second: ComparedSide
    judged_by: Measure
    questions: int = Field(description="questions with a result on both sides")
    judged: dict[Ground, int] = Field(description="number of questions judged by each kind of known fact")
    rows: dict[Measure | Cost, PairedDifference]
    asked: tuple[ComparedQuestion, ...] = Field(default=(), description="each question; of repetitions, the first")
    notice: str = Field(default="", description="what keeps a side from differing")

    @property
    def verdict(self) -> str:
        """Return a sentence that names the better side, or the number of questions that would be needed."""
        row = self.rows.get(self.judged_by)
        if row is None:
            return f"No question has the known facts that {self.judged_by.label!r} needs."
        points, count = 100 * row.difference.value, row.difference.questions
        if row.tells:
            better, worse = (self.second, self.first) if points > 0 else (self.first, self.second)
            return f"{better.name} is better than {worse.name}: {abs(points):.1f} points, p = {row.p:.2g}."
        least = f"{100 * detectable(count):.0f} points"
        if row.needed is None:
            return f"No difference was found; {count} questions can show one of about {least} or more."
        return (
            f"Not enough questions to tell: a difference of {abs(points):.1f} points needs about {row.needed:,}, but "
            f"there are only {count}. Add questions about other documents, or treat both as equal within {least}."
        )


_UNUSED_TEMPLATES = (
    "The templates differ, but every question sent as many tokens on both sides: probably no prompt was made with the "
    "ones that differ. A quick run, for example, writes no answer/answer."
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
    sides = [ComparedSide(name=name, engine=bench.investigator(setup).engine_name) for name, setup in (first, second)]
    comparison = compared(questions, (sides[0], sides[1]), (every[0], every[1]), measure, seed)
    if any(setup.prompts and not reads_templates(bench.investigator(setup)) for _, setup in (first, second)):
        return comparison.changed(notice=UNREAD_TEMPLATES.text)
    if first[1].prompts != second[1].prompts and _sent_the_same(every[0][0], every[1][0]):
        return comparison.changed(notice=_UNUSED_TEMPLATES)
    return comparison


def _sent_the_same(first: Mapping[str, Outcome], second: Mapping[str, Outcome]) -> bool:
    sent = [(first[name].cost.input_tokens, second[name].cost.input_tokens) for name in first.keys() & second.keys()]
    return any(tokens for tokens, _ in sent) and all(own == other for own, other in sent)


def compared(
    questions: Sequence[Question],
    sides: tuple[ComparedSide, ComparedSide],
    outcomes: tuple[Repeated, Repeated],
    judged_by: Measure,
    seed: int,
) -> Comparison:
    """Compare two sides question by question, averaging the repetitions of a question. Pure."""
    before, after = outcomes
    every = (*before, *after)
    whole = [each for each in questions if all(each.id in some and not some[each.id].failure for some in every)]
    rows: dict[Measure | Cost, PairedDifference] = {}
    for measure in (*JUDGING, Measure.FALSE_ANSWER, *Cost):
        pairs = [(_mean(before, each.id, measure), _mean(after, each.id, measure)) for each in whole]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        paired = paired_difference([a for a, _ in known], [b for _, b in known], seed)
        if paired is not None and (isinstance(measure, Measure) or paired.first or paired.second):
            rows[measure] = paired
    asked = [
        ComparedQuestion(
            first=question_result(each, first),
            second=question_result(each, second),
            values=(first.value(judged_by), second.value(judged_by)),
        )
        for each in questions
        if each.id in before[0] and each.id in after[0]
        for first, second in [(before[0][each.id], after[0][each.id])]
    ]
    return Comparison(
        first=_totals(sides[0], before, judged_by),
        second=_totals(sides[1], after, judged_by),
        judged_by=judged_by,
        questions=len(whole),
        judged=grounds_of(whole),
        rows=rows,
        asked=tuple(asked),
    )


class Tolerance(Record):
    """The losses accepted for a winner, fixed before a run so that they cannot be fitted to its result."""

    more_calls: float = Field(default=2.0, ge=0, description="highest number of calls, as a multiple of the baseline's")
    more_false_answers: float = Field(
        default=0.05, ge=0, le=1, description="largest increase in the share of false answers"
    )


def fallen_guards(comparison: Comparison, tolerance: Tolerance) -> str:
    """Return the guards that the second side fails, in words; "" if it fails none. It must not have fewer proven
    quotes, more failed questions, over 1 % fewer readable replies, or more calls or false answers than are tolerated.
    """
    first, second = comparison.first.failures, comparison.second.failures
    fallen = [f"failed questions {first} to {second}"] if second > first else []
    guards: Mapping[Measure | Cost, tuple[str, float, float, int]] = {  # words, factor, summand, 1 if more is worse
        Measure.PROVEN: ("quote validity", 1.0, 0.0, -1),
        Measure.PARSED: ("readable replies", 1.0, -_LESS_PARSED, -1),
        Measure.FALSE_ANSWER: ("false answers", 1.0, tolerance.more_false_answers, 1),
        Cost.CALLS: ("calls a question", tolerance.more_calls, 0.0, 1),
    }
    for measure, (words, factor, more, sign) in guards.items():
        row = comparison.rows.get(measure)
        if row is not None and sign * row.second > sign * (row.first * factor + more) + _SAME:
            fallen.append(f"{words} {row.first:.3g} to {row.second:.3g}")
    return ", ".join(fallen)


def _totals(side: ComparedSide, repeated: Repeated, measure: Measure) -> ComparedSide:
    every = [outcome for some in repeated for outcome in some.values()]
    values = [[value for each in some.values() if (value := each.value(measure)) is not None] for some in repeated]
    means = [mean(known) for known in values if known]
    return side.changed(
        cost=together(*(outcome.cost for outcome in every)),
        failures=sum(bool(outcome.failure) for outcome in every),
        spread=max(means) - min(means) if len(means) > 1 else None,
    )


def _mean(repeated: Repeated, name: str, measure: Measure | Cost) -> float | None:
    known = [value for some in repeated if (value := some[name].value(measure)) is not None]
    return mean(known) if known else None
