"""Searches for a candidate that is better than the baseline, and proves that it is. The search measures what can be
gained, races the candidates on the selection questions, and then runs a single test on unseen questions. An arena asks
the questions; the decisions here depend only on the outcomes and the seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import mean
from typing import Protocol

from pydantic import Field

from investigator.asking.budget import BudgetSpent
from investigator.errors import DataError
from investigator.evaluation.estimates import LEVEL, Estimate, detectable, mean_of
from investigator.evaluation.measures import Cost, Labelled, Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.records import Record
from investigator.reports.wording import plural
from investigator.tuning.candidates import Variant
from investigator.tuning.comparison import ComparedSide, Comparison, Tolerance, compared, fallen_guards
from investigator.tuning.splitting import QuestionSets

MOST_CANDIDATES = 64
"""Maximum number of candidates in a race."""

_FIRST = 12  # minimum number of questions in the first rung
_DEARER = 1.1
_BEATEN = "another candidate is better"


class Fate(StrEnum):
    """The outcome for a candidate, in words."""

    REFUSED = "refused"  # it breaks a template's contract, or contains test questions
    SAME = "the same as the baseline or another candidate"
    NOT_TRIED = "not tried"
    DROPPED = "dropped"
    FINALIST = "finalist"


class TriedCandidate(Record):
    """A candidate with its outcome: the questions tried, its mean score, and the reason for dropping it."""

    name: str
    fate: Fate
    reason: str = ""
    questions: int = 0
    score: float | None = None
    baseline: float | None = Field(default=None, description="the baseline's score on the same questions")


class Ending(Labelled):
    """The possible endings of a search."""

    ADOPTED = "adopted", "A better candidate was found and confirmed."
    NOTHING_TO_GAIN = "nothing_to_gain", "Nothing can be gained."
    NONE_TRIED = "none_tried", "No candidate could be tried."  # all were rejected or equal, or none was created
    NO_CANDIDATE = "no_candidate", "No candidate is better."  # on the selection questions
    NOT_PROVEN = "not_proven", "No candidate is better."  # the test set did not confirm the gain
    GUARD_FELL = "guard_fell", "No candidate is better."
    CEILING = "ceiling", "Stopped at the ceiling."


class SearchResult(Record):
    """The result of a search: its ending and the reason, the winner if it was adopted, and all intermediate results."""

    ending: Ending
    reason: str
    baseline: Estimate | None = Field(default=None, description="the baseline's score on the first questions")
    tried: tuple[TriedCandidate, ...] = ()
    test: Comparison | None = None
    winner: Variant | None = None


class Arena(Protocol):
    """Tries candidates: `outcomes` asks the first `limit` questions, and raises BudgetSpent at a ceiling. `refusal`
    returns why a candidate is rejected, or "". `calls_left` is None if there is no ceiling. `open_test` records the use
    of the test set, and returns how often this data has been used, including this time.
    """

    def outcomes(self, candidate: Variant, questions: Sequence[Question], limit: int) -> Mapping[str, Outcome]: ...
    def refusal(self, candidate: Variant) -> str: ...
    def calls_left(self) -> int | None: ...
    def open_test(self) -> int: ...


def rungs(questions: int) -> tuple[int, ...]:
    """Return the number of questions that candidates have been asked after each rung; the better half goes on."""
    return tuple(sorted({min(questions, max(_FIRST, questions // share)) for share in (4, 2)} | {questions}))


def race_size(candidates: int, questions: int) -> int:
    """Return the number of questions asked in a race between the given number of candidates and the baseline."""
    total, before = 0, 0
    for size in rungs(questions):
        total += (size - before) * (candidates + 1)
        before, candidates = size, math.ceil(candidates / 2)
    return total


@dataclass
class TuningSearch:
    """One search; `run` performs it. If candidates are `proposed`, which costs calls, they are created only if the
    baseline can be improved; otherwise they are created before the first question.
    """

    sets: QuestionSets
    baseline: Variant
    candidates: Callable[[], Iterable[Variant]]
    arena: Arena
    measure: Measure
    seed: int
    tolerance: Tolerance = field(default_factory=Tolerance)
    proposed: bool = False
    _tried: dict[str, TriedCandidate] = field(default_factory=dict)
    _score: Estimate | None = None

    def run(self) -> SearchResult:
        """Run the search. Raises DataError, and the arena's errors except BudgetSpent."""
        try:
            admitted = [] if self.proposed else self._admitted()
            calls = 1.0
            if admitted or self.proposed:
                calls = self._measured_baseline()
                if nothing := self._nothing_to_gain():
                    return self._ended(Ending.NOTHING_TO_GAIN, nothing)
            if self.proposed:
                admitted = self._admitted()
            return self._proven(admitted, calls) if admitted else self._none_tried()
        except BudgetSpent as spent:
            reason = f"The ceiling on {spent.reason.value} was reached before the search ended; nothing is adopted."
            return self._ended(Ending.CEILING, f"{reason} Run the same command with a higher ceiling to resume.")

    def _admitted(self) -> list[Variant]:
        admitted: dict[str, Variant] = {}
        for number, candidate in enumerate(self.candidates()):
            key, fate, reason = candidate.key, Fate.NOT_TRIED, "no calls were left, or the search ended first"
            if key in self._tried or key == self.baseline.key:
                key, fate, reason = f"{number}", Fate.SAME, ""
            elif refusal := self.arena.refusal(candidate):
                fate, reason = Fate.REFUSED, refusal
            elif len(admitted) < MOST_CANDIDATES:
                admitted[key] = candidate
            self._tried[key] = TriedCandidate(name=candidate.name, fate=fate, reason=reason)
        return list(admitted.values())

    def _measured_baseline(self) -> float:
        """Measure the baseline on the first questions, and return the calls that a question takes."""
        outcomes = self.arena.outcomes(self.baseline, self.sets.select, rungs(len(self.sets.select))[0]).values()
        values = [value for outcome in outcomes if (value := outcome.value(self.measure)) is not None]
        self._score = mean_of(values, self.seed)
        if self._score is None:
            raise DataError(
                f"none of {len(outcomes)} questions has the facts that {self.measure.label!r} needs",
                hint="Add doc_ids, evidence or answers to the rows, or choose another --measure.",
            )
        return max(1.0, mean(outcome.cost.calls for outcome in outcomes))

    def _nothing_to_gain(self) -> str:
        """Return that the largest possible gain is smaller than the test can show; "" if it is not."""
        test = len(self.sets.test)
        room, least = 1.0 - (self._score.low if self._score else 0.0), detectable(test, 0.0)
        gain = f"At most {100 * room:.0f} points can be gained, but {test} test questions cannot show less than"
        return f"{gain} {100 * least:.0f}: nothing was tried." if room < least else ""

    def _none_tried(self) -> SearchResult:
        refused = [f"{tried.name}: {tried.reason}" for tried in self._tried.values() if tried.fate is Fate.REFUSED]
        reasons = refused or ["All were the same as the baseline." if self._tried else "None was created."]
        return self._ended(Ending.NONE_TRIED, f"{plural(len(self._tried), 'candidate')}. {reasons[0]}")

    def _proven(self, candidates: Sequence[Variant], calls: float) -> SearchResult:
        """Let as many candidates race as the ceiling allows, and test the best."""
        select, test = len(self.sets.select), len(self.sets.test)
        left, most = self.arena.calls_left(), len(candidates)
        while left is not None and most and calls * (race_size(most, select) + 2 * test) > left:
            most -= 1
        if not most:
            return self._ended(Ending.CEILING, "The ceiling leaves no calls for a candidate and its test.")
        finalist = self._raced(candidates[:most])
        if finalist is not None:
            return self._tested(finalist)
        beaten = f"None of {plural(most, 'candidate')} beat the baseline on {select} questions without failing a guard."
        return self._ended(Ending.NO_CANDIDATE, f"{beaten} The test set was not used.")

    def _raced(self, candidates: Sequence[Variant]) -> Variant | None:
        """Return the best candidate on all selection questions; None if no candidate beats the baseline on them."""
        for size in rungs(len(self.sets.select)):
            gains: dict[str, float] = {}
            for candidate in candidates:
                comparison = self._compared(candidate, self.sets.select, size)
                row = comparison.rows.get(self.measure)
                old, new, count = (row.first, row.second, row.difference.questions) if row else (0.0, 0.0, 0)
                gains[candidate.key] = new - old
                problem = fallen_guards(comparison, self.tolerance) or "not better than the baseline" * (new <= old)
                self._tried[candidate.key] = TriedCandidate(
                    name=candidate.name,
                    fate=Fate.DROPPED,
                    reason=problem or _BEATEN,
                    questions=count,
                    score=new,
                    baseline=old,
                )
            ranked = sorted(candidates, key=lambda candidate: -gains[candidate.key])  # equal ones keep their order
            candidates = ranked[: math.ceil(len(ranked) / 2)]
        for candidate in ranked:
            if (tried := self._tried[candidate.key]).reason == _BEATEN:
                self._tried[candidate.key] = tried.changed(fate=Fate.FINALIST, reason="")
                return candidate
        return None

    def _tested(self, finalist: Variant) -> SearchResult:
        openings = self.arena.open_test()
        test = self._compared(finalist, self.sets.test, len(self.sets.test))
        row, calls, level = test.rows.get(self.measure), test.rows.get(Cost.CALLS), LEVEL / openings
        if row is None or not row.tells or row.difference.value < 0 or row.p > level:
            again = f" This is test {openings} of the same data, so p must be {level:.3g} or less." * (openings > 1)
            return self._ended(Ending.NOT_PROVEN, f"The test does not confirm it. {test.verdict}{again}", test)
        if fallen := fallen_guards(test, self.tolerance):
            return self._ended(Ending.GUARD_FELL, f"{finalist.name} is better, but fails a guard ({fallen}).", test)
        reason = test.verdict
        if calls is not None and calls.second > calls.first * _DEARER:
            reason += f" A question takes {calls.second:.3g} calls instead of {calls.first:.3g}."
        return self._ended(Ending.ADOPTED, reason, test).changed(winner=finalist)

    def _compared(self, candidate: Variant, questions: Sequence[Question], limit: int) -> Comparison:
        sides = (ComparedSide(name=self.baseline.name), ComparedSide(name=candidate.name))
        old, new = (self.arena.outcomes(side, questions, limit) for side in (self.baseline, candidate))
        return compared(questions[:limit], sides, ([old], [new]), self.measure, self.seed)

    def _ended(self, ending: Ending, reason: str, test: Comparison | None = None) -> SearchResult:
        tried = tuple(self._tried.values())
        return SearchResult(ending=ending, reason=reason, baseline=self._score, tried=tried, test=test)
