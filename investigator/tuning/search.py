"""Searches for a candidate that is better than the baseline, and proves that it is. The search measures what can be
gained, races the candidates on the selection questions, and then runs a single test on unseen questions. An arena asks
the questions; the decisions here depend only on the outcomes and the seed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import mean
from typing import Protocol

from pydantic import Field

from investigator.asking.budget import BudgetSpent
from investigator.errors import EvaluationDataError
from investigator.evaluation.estimates import Estimate, mean_of
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.records import Record
from investigator.reports.wording import plural
from investigator.tuning.candidates import Variant
from investigator.tuning.comparison import ComparedSide, Comparison, compared
from investigator.tuning.guards import GuardResult, Tolerance, dearer, fallen, guarded
from investigator.tuning.splitting import QuestionSets
from investigator.tuning.statistics import LEVEL, detectable

MOST_CANDIDATES = 64
"""Maximum number of candidates in a race."""

_FIRST = 12  # minimum number of questions in the first rung

Outcomes = Mapping[str, Outcome]


class Fate(StrEnum):
    """The outcome for a candidate."""

    REFUSED = "refused"  # it breaks a template's contract, or contains test questions
    SAME = "same"  # it is equal to another candidate
    NOT_TRIED = "not_tried"  # no calls were left under the ceiling
    DROPPED = "dropped"
    FINALIST = "finalist"

    @property
    def words(self) -> str:
        """Return the outcome in words."""
        return {Fate.SAME: "the same as the baseline or another candidate"}.get(self, self.value.replace("_", " "))


class TriedCandidate(Record):
    """A candidate with its outcome: the questions tried, its mean score, and the reason for dropping it."""

    name: str
    key: str
    fate: Fate
    questions: int = 0
    score: float | None = None
    baseline: float | None = Field(default=None, description="the baseline's score on the same questions")
    reason: str = ""


class Ending(StrEnum):
    """The possible endings of a search."""

    ADOPTED = "adopted"
    NOTHING_TO_GAIN = "nothing_to_gain"
    NONE_TRIED = "none_tried"  # nothing was compared: all candidates were rejected or equal, or none was created
    NO_CANDIDATE = "no_candidate"  # no candidate was better than the baseline on the selection questions
    NOT_PROVEN = "not_proven"  # the test set did not confirm the gain
    GUARD_FELL = "guard_fell"
    CEILING = "ceiling"


class SearchResult(Record):
    """The result of a search: its ending and the reason, the winner if it was adopted, and all intermediate results."""

    ending: Ending
    reason: str
    measure: Measure
    seed: int
    baseline: Estimate | None = Field(default=None, description="the baseline's score on the first questions")
    tried: tuple[TriedCandidate, ...] = ()
    test: Comparison | None = None
    guards: tuple[GuardResult, ...] = ()
    winner: Variant | None = None


class Arena(Protocol):
    """Tries candidates: `outcomes` asks the first `limit` questions, and raises BudgetSpent at a ceiling. `refusal`
    returns why a candidate is rejected, or "". `calls_left` is None if there is no ceiling. `open_test` records the use
    of the test set, and returns how often this data has been used, including this time.
    """

    def outcomes(self, candidate: Variant, questions: Sequence[Question], limit: int) -> Outcomes: ...
    def refusal(self, candidate: Variant) -> str: ...
    def calls_left(self) -> int | None: ...
    def open_test(self) -> int: ...


def rungs(questions: int) -> tuple[int, ...]:
    """Return the number of questions that the candidates of a race have been asked after each rung: a quarter, half,
    all. After each, the better half goes on (successive halving, which needs half of the calls).
    """
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
    _calls: float = 1.0  # number of calls that the baseline makes per question

    def run(self) -> SearchResult:
        """Run the search and return the outcome. Raises EvaluationDataError, and the arena's errors except
        BudgetSpent.
        """
        try:
            return self._searched()
        except BudgetSpent as spent:
            reason = f"The ceiling on {spent.reason.value} was reached before the search ended; nothing is adopted."
            return self._ended(Ending.CEILING, f"{reason} Run the same command with a higher ceiling to resume.")

    def _searched(self) -> SearchResult:
        admitted = [] if self.proposed else self._admitted()
        if not admitted and not self.proposed:
            return self._ended(Ending.NONE_TRIED, self._why_none())
        room, least = 1.0 - self._measured().low, detectable(len(self.sets.test), 0.0)
        if room < least:
            reason = (
                f"At most {100 * room:.0f} points can be gained, but {len(self.sets.test)} test questions cannot show "
                f"less than {100 * least:.0f}: nothing was tried."
            )
            return self._ended(Ending.NOTHING_TO_GAIN, reason)
        if self.proposed:
            admitted = self._admitted()
        if not admitted:
            return self._ended(Ending.NONE_TRIED, self._why_none())
        candidates = self._afforded(admitted)
        if not candidates:
            return self._ended(Ending.CEILING, "The ceiling leaves no calls for a candidate and its test.")
        finalist = self._raced(candidates)
        if finalist is None:
            reason = (
                f"None of {plural(len(candidates), 'candidate')} beat the baseline on {len(self.sets.select)} "
                "questions without failing a guard. The test set was not used."
            )
            return self._ended(Ending.NO_CANDIDATE, reason)
        return self._tested(finalist)

    def _measured(self) -> Estimate:
        """Measure the baseline on the questions of the first rung."""
        outcomes = self.arena.outcomes(self.baseline, self.sets.select, rungs(len(self.sets.select))[0]).values()
        whole = [one for one in outcomes if not one.failure]
        self._score = mean_of([v for one in whole if (v := one.value(self.measure)) is not None], self.seed)
        if self._score is None:
            raise EvaluationDataError(
                f"none of {len(outcomes)} questions has the facts that {self.measure.label!r} needs",
                hint="Add doc_ids, evidence or answers to the rows, or choose another --measure.",
            )
        self._calls = max(1.0, mean(one.cost.calls for one in whole))
        return self._score

    def _admitted(self) -> list[Variant]:
        """Return the acceptable candidates, and record all other candidates as rejected."""
        admitted: list[Variant] = []
        keys = {self.baseline.key}
        for number, candidate in enumerate(self.candidates()):
            fate, reason = Fate.NOT_TRIED, "the search ended first"
            if candidate.key in keys:
                fate, reason = Fate.SAME, ""
            elif refusal := self.arena.refusal(candidate):
                fate, reason = Fate.REFUSED, refusal
            elif len(admitted) == MOST_CANDIDATES:
                reason = f"more than {MOST_CANDIDATES} candidates"
            else:
                admitted.append(candidate)
            keys.add(candidate.key)
            self._tried[f"{number}" if fate is Fate.SAME else candidate.key] = TriedCandidate(
                name=candidate.name, key=candidate.key, fate=fate, reason=reason
            )
        return admitted

    def _afforded(self, candidates: Sequence[Variant]) -> Sequence[Variant]:
        """Return as many candidates as can race within the ceiling, if the test is to be paid, too."""
        most, left = len(candidates), self.arena.calls_left()
        if left is not None:
            free = left / self._calls - 2 * len(self.sets.test)
            while most and race_size(most, len(self.sets.select)) > free:
                most -= 1
        for one in candidates[most:]:
            self._tried[one.key] = self._tried[one.key].changed(reason="no calls left under the ceiling")
        return candidates[:most]

    def _why_none(self) -> str:
        """Return the reason why no candidate is left to try."""
        if not self._tried:
            return "All proposals were the same as the baseline." if self.proposed else "No candidate was created."
        fates = Counter(one.fate for one in self._tried.values())
        counts = ", ".join(f"{count} {fate.words}" for fate, count in fates.items())
        refused = [one for one in self._tried.values() if one.fate is Fate.REFUSED]
        first = f" {refused[0].name}: {refused[0].reason.rstrip('.')}." if refused else ""
        return f"{plural(len(self._tried), 'candidate')}: {counts}.{first}"

    def _raced(self, candidates: Sequence[Variant]) -> Variant | None:
        """Return the best candidate on all selection questions; None if no candidate beats the baseline on them."""
        alive = {one.key: one for one in candidates}
        for size in rungs(len(self.sets.select)):
            base = self.arena.outcomes(self.baseline, self.sets.select, size)
            outcomes = {key: self.arena.outcomes(one, self.sets.select, size) for key, one in alive.items()}
            names = [one.id for one in self.sets.select[:size] if self._is_known(one.id, base, *outcomes.values())]
            means = {key: self._mean(own, names) for key, own in outcomes.items()}
            ranked = sorted(alive, key=lambda key: -means[key])  # equal candidates keep their order
            for place, key in enumerate(ranked):
                reason = "" if place < math.ceil(len(ranked) / 2) else "not in the better half"
                if size == len(self.sets.select):
                    guard = fallen(guarded(base, outcomes[key], self.tolerance))
                    reason = guard or ("" if means[key] > self._mean(base, names) else "not better than the baseline")
                self._tried[key] = self._tried[key].changed(
                    fate=Fate.DROPPED,
                    questions=len(names),
                    score=means[key],
                    baseline=self._mean(base, names),
                    reason=reason or "not better than another candidate",
                )
                if reason:
                    del alive[key]
        best = max(alive, key=lambda key: means[key], default=None)
        if best is None:
            return None
        self._tried[best] = self._tried[best].changed(fate=Fate.FINALIST, reason="")
        return alive[best]

    def _tested(self, finalist: Variant) -> SearchResult:
        """Decide with the test set whether a candidate is adopted."""
        openings, count = self.arena.open_test(), len(self.sets.test)
        old = self.arena.outcomes(self.baseline, self.sets.test, count)
        new = self.arena.outcomes(finalist, self.sets.test, count)
        sides = (ComparedSide(name=self.baseline.name), ComparedSide(name=finalist.name))
        test = compared(self.sets.test, sides, ([old], [new]), self.measure, self.seed)
        guards = guarded(old, new, self.tolerance)
        row, level = test.row(self.measure), LEVEL / openings
        proven = row is not None and row.paired.tells and row.paired.difference.value > 0 and row.paired.p <= level
        ended = self._ended(Ending.ADOPTED, f"{test.verdict} {dearer(guards)}".rstrip()).changed(
            test=test, guards=guards
        )
        if not proven:
            again = f" This is test {openings} of the same data, so p must be {level:.3g} or less." * (openings > 1)
            reason = f"The test does not confirm it. {test.verdict}{again}"
            return ended.changed(ending=Ending.NOT_PROVEN, reason=reason)
        if down := fallen(guards):
            reason = f"{finalist.name} is better, but fails a guard ({down})."
            return ended.changed(ending=Ending.GUARD_FELL, reason=reason)
        return ended.changed(winner=finalist)

    def _is_known(self, name: str, *every: Outcomes) -> bool:
        return all(name in some and some[name].value(self.measure) is not None for some in every)

    def _mean(self, outcomes: Outcomes, names: Sequence[str]) -> float:
        return mean([outcomes[name].value(self.measure) or 0.0 for name in names]) if names else 0.0

    def _ended(self, ending: Ending, reason: str) -> SearchResult:
        return SearchResult(
            ending=ending,
            reason=reason,
            measure=self.measure,
            seed=self.seed,
            baseline=self._score,
            tried=tuple(self._tried.values()),
        )
