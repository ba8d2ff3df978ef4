"""Simulates how often a tuning search adopts a candidate that is no better, and how often it finds one that is.

    python -m benchmarks.tuning            all tables
    python -m benchmarks.tuning --seeds 200

Outcomes are simulated, so the benchmark takes seconds. Each example has its own probability of being answered
correctly; a candidate answers a share of the examples differently from the baseline. The pure core decides, as it does
with a real engine. Random search gets the same number of calls: it asks every candidate all selection questions, for as
many candidates as it can afford, and tests the best one in the same way.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from investigator.asking.budget import BudgetSpent
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.records import AnswerStatus, StopReason, Usage
from investigator.tuning.candidates import Variant
from investigator.tuning.comparison import ComparedSide, Tolerance, compared
from investigator.tuning.search import Ending, TuningSearch
from investigator.tuning.splitting import drawn_sets

BASELINE = Variant(name="baseline")
DISCORDANT = 0.2  # examples on which a candidate differs from the baseline


@dataclass
class Simulated:
    """Simulated outcomes; `gains` contains the improvement (0..1) of each candidate over the baseline.

    `false` is the baseline's share of false answers to unanswerable examples. A candidate gives half of these and
    equally many others; `harm` is the share that every candidate adds.
    """

    questions: list[Question]
    gains: Mapping[str, float]
    seed: int
    ceiling: int | None = None
    false: float = 0.0
    harm: float = 0.0
    tolerance: Tolerance = field(default_factory=Tolerance)
    spent: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.sets = drawn_sets(self.questions, {}, self.seed)

    def outcomes(
        self, candidate: Variant, asked: Sequence[Question], limit: int | None = None
    ) -> Mapping[str, Outcome]:
        """Draw the outcomes of a candidate, which depend only on the seed."""
        return {one.id: self._outcome(candidate, one) for one in asked[:limit]}

    def refusal(self, candidate: Variant) -> str:
        """Return "", because no candidate is rejected."""
        return ""

    def calls_left(self) -> int | None:
        """Return the number of calls left under the ceiling; each trial takes one call."""
        return None if self.ceiling is None else self.ceiling - len(self.spent)

    def open_test(self) -> int:
        """Return 1, because the test set is opened for the first time."""
        return 1

    def _outcome(self, candidate: Variant, question: Question) -> Outcome:
        if (candidate.name, question.id) not in self.spent and self.calls_left() == 0:
            raise BudgetSpent(StopReason.CALLS)
        self.spent.add((candidate.name, question.id))
        right = random.Random(f"{self.seed} {question.id}").random() < 0.6
        if candidate.name != BASELINE.name:
            gain, draw = (
                self.gains[candidate.name],
                random.Random(f"{self.seed} {question.id} {candidate.name}").random(),
            )
            moved = max(DISCORDANT, abs(gain))
            up, down = (moved + gain) / 2 / 0.4, (moved - gain) / 2 / 0.6  # of wrong and right answers
            right = draw >= down if right else draw < up
        scores = {Measure.RIGHT: float(right)}
        if self.false and not question.answerable:
            scores[Measure.FALSE_ANSWER] = float(self._answers_falsely(candidate, question))
        return Outcome(id=question.id, status=AnswerStatus.ANSWERED, scores=scores, cost=Usage(calls=1))

    def _answers_falsely(self, candidate: Variant, question: Question) -> bool:
        before = random.Random(f"{self.seed} {question.id} false").random() < self.false
        if candidate.name == BASELINE.name:
            return before
        draw = random.Random(f"{self.seed} {question.id} {candidate.name} false").random()
        return draw < 0.5 if before else draw < (self.false / 2 + self.harm) / (1 - self.false)


def questions(count: int) -> list[Question]:
    """Return questions about one document each; a fifth of them is unanswerable."""
    return [
        Question(id=f"q{n}", question=f"What is {n}?", doc_ids=(f"{n}.txt",) if n % 5 else (), answerable=n % 5 != 0)
        for n in range(count)
    ]


def searched(arena: Simulated) -> tuple[Ending, str]:
    """Search with the pure core; return the ending and the winner's name."""
    names = sorted(arena.gains, key=lambda name: random.Random(f"{arena.seed} {name}").random())
    candidates = [Variant(name=name, settings=(f"name={name}",)) for name in names]
    seed, tolerance = arena.seed, arena.tolerance
    result = TuningSearch(arena.sets, BASELINE, lambda: candidates, arena, Measure.RIGHT, seed, tolerance).run()
    return result.ending, result.winner.name if result.winner else ""


def random_search(arena: Simulated) -> tuple[Ending, str]:
    """Ask candidates all selection questions while enough calls for the test remain; then test the best one."""
    names = sorted(arena.gains, key=lambda name: random.Random(f"{arena.seed} {name}").random())
    select, test = len(arena.sets.select), len(arena.sets.test)

    def mean(name: str) -> float:
        outcomes = arena.outcomes(Variant(name=name), arena.sets.select)
        return sum(one.scores[Measure.RIGHT] for one in outcomes.values()) / select

    best, height = "", mean(BASELINE.name)
    for name in names:
        left = arena.calls_left()
        if left is not None and left < select + 2 * test:
            break
        if (value := mean(name)) > height:
            best, height = name, value
    if not best:
        return Ending.NO_CANDIDATE, ""
    both = [arena.outcomes(Variant(name=name), arena.sets.test) for name in (BASELINE.name, best)]
    sides = (ComparedSide(name="baseline"), ComparedSide(name=best))
    row = compared(arena.sets.test, sides, ([both[0]], [both[1]]), Measure.RIGHT, arena.seed).rows.get(Measure.RIGHT)
    adopted = row is not None and row.tells and row.difference.value > 0
    return (Ending.ADOPTED, best) if adopted else (Ending.NOT_PROVEN, "")


class GepaAlone:
    """The adapter for GEPA alone; candidates are names, drawn one after another instead of being written."""

    propose_new_texts = None

    def __init__(self, arena: Simulated) -> None:
        self.arena = arena
        self.calls = 0
        self.names = iter(sorted(arena.gains, key=lambda name: random.Random(f"{arena.seed} {name}").random()))
        self.questions = {one.id: one for one in (*arena.sets.reflect, *arena.sets.select)}

    def evaluate(self, batch: Sequence[str], candidate: Mapping[str, str], capture_traces: bool = False) -> Any:
        """Count and draw the trials of a candidate."""
        from gepa.core.adapter import EvaluationBatch

        self.calls += len(batch)
        variant = Variant(name=candidate["name"])
        outcomes = self.arena.outcomes(variant, [self.questions[name] for name in batch])
        scores = [outcomes[name].scores[Measure.RIGHT] for name in batch]
        return EvaluationBatch(outputs=scores, scores=scores, trajectories=scores if capture_traces else None)

    def make_reflective_dataset(self, candidate: Any, eval_batch: Any, components_to_update: Any) -> Any:
        """Return unused data, because proposals are drawn."""
        return {"name": [{"score": str(score)} for score in eval_batch.scores]}

    def reflect(self, prompt: Any) -> str:
        """Return the next name, or the last one again if none is left."""
        return f"```\n{next(self.names, BASELINE.name)}\n```"

    def log(self, message: str) -> None:
        """Do nothing."""


def gepa_alone(arena: Simulated, ceiling: int) -> tuple[str, int]:
    """Let GEPA search under its own ceiling; return the candidate that it considers best, and the number of calls."""
    import gepa

    adapter = GepaAlone(arena)
    result = gepa.optimize(
        seed_candidate={"name": BASELINE.name},
        trainset=[one.id for one in arena.sets.reflect],
        valset=[one.id for one in arena.sets.select],
        adapter=adapter,
        reflection_lm=adapter.reflect,
        max_metric_calls=ceiling,
        logger=adapter,
        seed=arena.seed,
    )
    return result.best_candidate["name"], adapter.calls


def tables(seeds: int) -> Iterator[str]:
    """Yield the lines of all tables."""
    every, null = questions(300), {f"c{n}": 0.0 for n in range(8)}
    yield f"300 questions, 8 candidates, {seeds} seeds"
    adopted = sum(searched(Simulated(every, null, seed))[0] is Ending.ADOPTED for seed in range(seeds))
    yield f"none is better: adopted {adopted} of {seeds}"
    same = {f"c{n}": 0.0 for n in range(1)}
    adopted = sum(searched(Simulated(every, same, seed))[0] is Ending.ADOPTED for seed in range(seeds))
    yield f"one candidate, not better: adopted {adopted} of {seeds}"
    for gain in (0.10, 0.15, 0.20):
        found = sum(searched(Simulated(every, null | {"c3": gain}, seed))[1] == "c3" for seed in range(seeds))
        yield f"one is {100 * gain:.0f} points better: found {found} of {seeds}"
    yield from guard_table(every, seeds)
    many = {f"c{n}": 0.0 for n in range(31)} | {"better": 0.15}
    yield "32 candidates, one 15 points better, the same ceiling for both:"
    for ceiling in (1_000, 1_500, 2_300):
        race = sum(searched(Simulated(every, many, seed, ceiling))[1] == "better" for seed in range(seeds))
        chance = sum(random_search(Simulated(every, many, seed, ceiling))[1] == "better" for seed in range(seeds))
        alone = [gepa_alone(Simulated(every, many, seed), ceiling) for seed in range(seeds)]
        gepa = sum(name == "better" for name, _ in alone)
        yield f"{ceiling:,} calls: race found it {race}, random search {chance}, GEPA alone {gepa} of {seeds}"
    alone = [gepa_alone(Simulated(every, null, seed), 1_000) for seed in range(seeds)]
    took, most = sum(name != BASELINE.name for name, _ in alone), max(calls for _, calls in alone)
    yield f"none is better: GEPA alone takes another one {took} of {seeds} times, with {most:,} calls of 1,000"


def guard_table(every: list[Question], seeds: int) -> Iterator[str]:
    """Yield how often a candidate with other or more false answers is adopted, for each tolerance."""
    yield "10 % false answers; a candidate gives half of them and as many others, or more:"
    for gain, harm in ((0.0, 0.0), (0.15, 0.0), (0.2, 0.0), (0.2, 0.05), (0.2, 0.1), (0.2, 0.2)):
        gains = {f"c{n}": 0.0 for n in range(7)} | {"better": gain}
        found = []
        for tolerated in (0.0, Tolerance().more_false_answers):
            allowed = Tolerance(more_false_answers=tolerated)
            arenas = (Simulated(every, gains, n, false=0.1, harm=harm, tolerance=allowed) for n in range(seeds))
            found.append(f"{sum(searched(one)[0] is Ending.ADOPTED for one in arenas)} with {tolerated:g} tolerated")
        yield f"gain {gain:g}, more false answers {harm:g}: adopted {', '.join(found)}, of {seeds}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    for line in tables(parser.parse_args().seeds):
        print(line, flush=True)
