"""The plan, the results and the decision of a tuning search. Pure."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.evaluation.estimates import Estimate
from investigator.evaluation.measures import Measure
from investigator.evaluation.rightness import JudgedRows
from investigator.records import Record, Usage
from investigator.tuning.comparison import Comparison, NoiseRow
from investigator.tuning.trials import Variant


class TuningPlan(Record):
    """The maximum cost of a search, computed before any paid call.

    `calls`, `tokens` and `money` are the totals for all trials if each costs as much as forecast for the first
    questions; `minutes` is None if the speed is unknown. `shows` is the smallest difference (0..1) that the test set
    can detect.
    """

    reflect: int
    select: int
    test: int
    left_out: int = Field(
        default=0, description="number of questions that were not used, because the file exceeds the limit"
    )
    judged: tuple[JudgedRows, ...] = Field(
        default=(), description="number of questions judged by each kind of known fact"
    )
    candidates: int | None = Field(description="None if a proposer creates them")
    trials: int
    calls: int
    tokens: int
    money: float
    unpriced: bool = False
    minutes: float | None = None
    shows: float
    openings: int = Field(default=0, description="number of earlier tests of these templates on this data")
    max_calls: int | None = None
    max_money: float | None = None


class Headroom(Record):
    """Results for the baseline: the possible gain, and the spread of its repetitions."""

    questions: int
    repetitions: int
    score: Estimate
    parsed: float | None = Field(description="share of replies that could be read")
    failures: int
    noise: NoiseRow | None = None
    room: float = Field(description="highest possible gain (0..1), from the lower end of the score's interval")


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
    origin: str = ""
    fate: Fate
    questions: int = 0
    score: float | None = None
    baseline: float | None = Field(default=None, description="the baseline's score on the same questions")
    reason: str = ""


class TuningGuard(StrEnum):
    """A measure that must not get worse."""

    QUOTES = "quote validity"
    PARSED = "readable replies"
    FALSE_ANSWERS = "false answers"
    CALLS = "calls a question"
    FAILURES = "failed questions"


class GuardResult(Record):
    """A guard, with its values for the baseline and the candidate."""

    guard: TuningGuard
    baseline: float
    candidate: float
    holds: bool


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
    headroom: Headroom | None = None
    tried: tuple[TriedCandidate, ...] = ()
    test: Comparison | None = None
    guards: tuple[GuardResult, ...] = ()
    winner: Variant | None = None

    def count(self, fate: Fate) -> int:
        """Return the number of candidates with the given fate."""
        return sum(one.fate is fate for one in self.tried)


class TuningReport(Record):
    """A tuning run: its plan, its result, its cost across all processes, and the path of the winner."""

    model: str
    data: str = Field(description="hash of questions and documents")
    plan: TuningPlan
    result: SearchResult
    usage: Usage = Usage()
    openings: int = Field(default=0, description="number of tests on this data, including this one")
    folder: str = Field(default="", description="path of the winner; empty if there is none")
