"""Searches for a candidate that is better than the baseline, and proves that it is. The search measures the headroom,
runs a race on the selection questions, and then runs a single test on unseen questions. An arena reads files, asks
questions and stores results; the decisions here depend only on its trials and the seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from investigator.asking.budget import BudgetSpent
from investigator.errors import EvaluationDataError
from investigator.evaluation.estimates import mean_of
from investigator.evaluation.measures import Measure
from investigator.reports.wording import plural
from investigator.tuning.comparison import ComparedSide, Comparison, compared, noise
from investigator.tuning.guards import Tolerance, dearer, fallen, guarded
from investigator.tuning.racing import affordable, race_trials, rungs, survivors
from investigator.tuning.records import Ending, Fate, Headroom, SearchResult, TriedCandidate
from investigator.tuning.splitting import QuestionSets, SetName
from investigator.tuning.statistics import LEVEL, detectable
from investigator.tuning.trials import QuestionTrial, Variant

HEADROOM = 12
"""Number of questions for measuring the headroom."""

REPETITIONS = 3
"""Number of times that the baseline answers the questions, to measure its own variation."""

MOST_CANDIDATES = 64

Trials = Mapping[str, QuestionTrial]


class Arena(Protocol):
    """Tries candidates: `trials` asks the first `limit` questions in a set, and raises BudgetSpent at a ceiling.
    `varies` is False if the same question always gets the same reply. `refusal` returns why a candidate is rejected, or
    "". `calls_left` is None if there is no ceiling. `open_test` records the use of the test set, and returns how often
    this data has been used, including this time.
    """

    @property
    def varies(self) -> bool: ...
    def trials(self, candidate: Variant, name: SetName, limit: int, repetition: int = 0) -> Trials: ...
    def refusal(self, candidate: Variant) -> str: ...
    def calls_left(self) -> int | None: ...
    def open_test(self) -> int: ...


@dataclass
class TuningSearch:
    """One search; `run` performs it.

    `candidates` receives the number of calls that may be spent on creating candidates, or None if there is no ceiling.
    If candidates are `proposed`, which costs calls, they are created only if the baseline has headroom; otherwise they
    are created before the first question.
    """

    sets: QuestionSets
    baseline: Variant
    candidates: Callable[[int | None], Iterable[Variant]]
    arena: Arena
    measure: Measure
    seed: int
    tolerance: Tolerance = field(default_factory=Tolerance)
    proposed: bool = False
    _tried: dict[str, TriedCandidate] = field(default_factory=dict)
    _headroom: Headroom | None = None
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
        taken = [] if self.proposed else self._taken(None)
        if not taken and not self.proposed:
            return self._ended(Ending.NONE_TRIED, self._why_none())
        headroom = self._measured()
        least = detectable(len(self.sets.test), 0.0)
        if headroom.room < least:
            reason = (
                f"At most {100 * headroom.room:.0f} points can be gained, but {len(self.sets.test)} test questions "
                f"cannot show less than {100 * least:.0f}: nothing was tried."
            )
            return self._ended(Ending.NOTHING_TO_GAIN, reason)
        free = self._free_calls()
        if free is not None and free < self._calls * race_trials(1, len(self.sets.select)):
            wanted = round(self._calls * race_trials(1, len(self.sets.select)) - free)
            reason = f"The ceiling leaves no calls for a candidate and its test: about {wanted:,} more are needed."
            return self._ended(Ending.CEILING, reason)
        if self.proposed:
            taken = self._taken(None if free is None else free // 2)
        candidates = self._afforded(taken)
        if not candidates:
            return self._ended(Ending.NONE_TRIED, self._why_none())
        finalist = self._raced(candidates)
        if finalist is None:
            reason = (
                f"None of {plural(len(candidates), 'candidate')} beat the baseline on {len(self.sets.select)} "
                "questions without failing a guard. The test set was not used."
            )
            return self._ended(Ending.NO_CANDIDATE, reason)
        return self._tested(finalist)

    def _measured(self) -> Headroom:
        """Try the baseline on the first questions, several times if its replies vary."""
        asked = min(HEADROOM, len(self.sets.select))
        numbers = range(1, REPETITIONS + 1) if self.arena.varies else (0,)
        every = [self.arena.trials(self.baseline, SetName.SELECT, asked, number) for number in numbers]
        whole = [trial for some in every for trial in some.values() if not trial.failure]
        score = mean_of([v for one in whole if (v := one.value(self.measure)) is not None], self.seed)
        if score is None:
            raise EvaluationDataError(
                f"none of {asked} questions has the facts that {self.measure.label!r} needs",
                hint="Add doc_ids, evidence or answers to the rows, or choose another --measure.",
            )
        parsed = [v for one in whole if (v := one.value(Measure.PARSED)) is not None]
        self._calls = max(1.0, sum(one.cost.calls for one in whole) / len(whole))
        self._headroom = Headroom(
            questions=asked,
            repetitions=len(every),
            score=score,
            parsed=sum(parsed) / len(parsed) if parsed else None,
            failures=sum(bool(trial.failure) for some in every for trial in some.values()),
            noise=noise(self.baseline.name, every, self.measure),
            room=max(0.0, 1.0 - score.low),
        )
        return self._headroom

    def _free_calls(self) -> int | None:
        """Return the number of calls left after those reserved for the test, or None if there is no ceiling."""
        left = self.arena.calls_left()
        return None if left is None else left - round(self._calls * 2 * len(self.sets.test))

    def _taken(self, allowance: int | None) -> list[Variant]:
        """Return the acceptable candidates, and count all other candidates as rejected."""
        admitted: list[Variant] = []
        seen = {self.baseline.key}
        for number, candidate in enumerate(self.candidates(allowance)):
            fate, reason = Fate.NOT_TRIED, "the search ended first"
            if candidate.key in seen:
                fate, reason = Fate.SAME, ""
            elif refusal := self.arena.refusal(candidate):
                fate, reason = Fate.REFUSED, refusal
            elif len(admitted) == MOST_CANDIDATES:
                reason = f"more than {MOST_CANDIDATES} candidates"
            else:
                admitted.append(candidate)
            seen.add(candidate.key)
            self._tried[f"{number}" if fate is Fate.SAME else candidate.key] = TriedCandidate(
                name=candidate.name, key=candidate.key, origin=candidate.origin, fate=fate, reason=reason
            )
        return admitted

    def _afforded(self, candidates: Sequence[Variant]) -> Sequence[Variant]:
        """Return as many candidates as can race within the ceiling."""
        free = self._free_calls()
        most = len(candidates) if free is None else affordable(len(self.sets.select), int(free / self._calls))
        for one in candidates[most:]:
            self._tried[one.key] = self._tried[one.key].changed(reason="no calls left under the ceiling")
        return candidates[:most]

    def _why_none(self) -> str:
        """Return the reason why no candidate is left to try."""
        if not self._tried:
            return "All proposals were the same as the baseline." if self.proposed else "No candidate was created."
        fates = Counter(one.fate for one in self._tried.values())
        counts = ", ".join(f"{count} {fate.words}" for fate, count in fates.items())
        refused = next(
            (f" {one.name}: {one.reason.rstrip('.')}." for one in self._tried.values() if one.fate is Fate.REFUSED), ""
        )
        return f"{plural(len(self._tried), 'candidate')}: {counts}.{refused}"

    def _raced(self, candidates: Sequence[Variant]) -> Variant | None:
        """Return the best candidate on all selection questions; None if no candidate beats the baseline on them."""
        alive = {one.key: one for one in candidates}
        for size in rungs(len(self.sets.select)) if alive else ():
            known = self.arena.trials(self.baseline, SetName.SELECT, size)
            trials = {key: self.arena.trials(one, SetName.SELECT, size) for key, one in alive.items()}
            names = [one.id for one in self.sets.select[:size] if self._has_value(one.id, known, *trials.values())]
            base = self._values(known, names)
            scores = {key: self._values(some, names) for key, some in trials.items()}
            for key, reason in survivors(scores, base, self.seed).items():
                reason = reason or (
                    fallen(guarded(known, trials[key], self.tolerance)) if size == len(self.sets.select) else ""
                )
                self._note(key, names, scores[key], base, reason)
                if reason:
                    del alive[key]
        better = [key for key in alive if (self._tried[key].score or 0) > (self._tried[key].baseline or 0)]
        best = max(better, key=lambda key: self._tried[key].score or 0, default=None)
        for key in alive:
            won = (
                {"fate": Fate.FINALIST}
                if key == best
                else {"reason": "not better than the baseline or another candidate"}
            )
            self._tried[key] = self._tried[key].changed(**won)
        return alive[best] if best is not None else None

    def _tested(self, finalist: Variant) -> SearchResult:
        """Decide with the test set whether a candidate is adopted."""
        openings = self.arena.open_test()
        count = len(self.sets.test)
        old = self.arena.trials(self.baseline, SetName.TEST, count)
        new = self.arena.trials(finalist, SetName.TEST, count)
        sides = (ComparedSide(name=self.baseline.name), ComparedSide(name=finalist.name))
        test = compared(self.sets.test, sides, ([old], [new]), self.measure, self.seed)
        guards = guarded(old, new, self.tolerance)
        row = test.row(self.measure)
        proven = row is not None and row.paired.tells and row.paired.difference.value > 0
        if row is None or not proven or row.paired.p > LEVEL / openings:
            again = f" This is test {openings} of the same data, so p must be {LEVEL / openings:.3g} or less." * (
                openings > 1
            )
            reason = f"The test does not confirm it. {test.verdict}{again}"
            return self._ended(Ending.NOT_PROVEN, reason, test).changed(guards=guards)
        if down := fallen(guards):
            reason = f"{finalist.name} is better, but fails a guard ({down})."
            return self._ended(Ending.GUARD_FELL, reason, test).changed(guards=guards)
        reason = f"{test.verdict} {dearer(guards)}".rstrip()
        return self._ended(Ending.ADOPTED, reason, test).changed(guards=guards, winner=finalist)

    def _note(self, key: str, names: Sequence[str], own: Sequence[float], base: Sequence[float], reason: str) -> None:
        mean = [sum(values) / len(values) if values else None for values in (own, base)]
        self._tried[key] = self._tried[key].changed(
            fate=Fate.DROPPED, questions=len(names), score=mean[0], baseline=mean[1], reason=reason
        )

    def _has_value(self, name: str, *every: Trials) -> bool:
        return all(name in some and some[name].value(self.measure) is not None for some in every)

    def _values(self, trials: Trials, names: Sequence[str]) -> list[float]:
        return [value for name in names if (value := trials[name].value(self.measure)) is not None]

    def _ended(self, ending: Ending, reason: str, test: Comparison | None = None) -> SearchResult:
        return SearchResult(
            ending=ending,
            reason=reason,
            measure=self.measure,
            seed=self.seed,
            headroom=self._headroom,
            tried=tuple(self._tried.values()),
            test=test,
        )
