"""Combines a language model's score with the score of the search.

Small models score badly, and some give everything the same score. The search is calibrated, but does not understand the
text. The rules are in `data/model_points.json`; `benchmarks/fit_model_points.py` fits a rule for a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache

from pydantic import Field

from investigator.records import Memory, Record
from investigator.resources import data_text
from investigator.scoring.calibration import Logistic, log_odds

_FEWEST_REPLIES = 3
# a model's identical points are ignored if the search's points for the same documents differ by at least this much
_WILD_SPREAD = 40


class PointFeatures(Record):
    """The model's and the search's points as probabilities (0..1), and whether a quote from the model is in the
    document.
    """

    model: float
    search: float
    proven: bool

    @property
    def model_odds(self) -> float:
        """Return the log odds of the model's point; 0 and 100 count as 2 and 98."""
        return log_odds(min(0.98, max(0.02, self.model)))

    @property
    def search_odds(self) -> float:
        """Return the log odds of the search's point."""
        return log_odds(min(0.98, max(0.02, self.search)))


class PointRule(Record):
    """A rule for some models: if the model's and the search's points differ by at least `apart`, combine them;
    otherwise use the model's point.
    """

    models: str = Field(description="pattern for the names of engines, such as gguf:SmolLM2-135M-*")
    apart: int = Field(ge=0, le=100)
    logistic: Logistic
    fitted_on: str

    def is_far(self, model: int, search: int) -> bool:
        """Return True if the two points differ too much to use the model's point alone."""
        return abs(model - search) >= self.apart

    def point(self, model: int, search: int, *, proven: bool) -> int:
        """Return the point (0..100) that results from both points."""
        if not self.is_far(model, search):
            return model
        features = PointFeatures(model=model / 100, search=search / 100, proven=proven)
        return round(100 * self.logistic.chance(features))


class PointCap(Record):
    """Limits a point that neither the search nor the quotes support, so that the reply does not count as an answer. A
    model that obeys a document gives the point that the document demands. Therefore, a point that exceeds the search's
    point by at least `above` is limited to `most` unless the reply's quotes look like an answer.
    """

    above: int = Field(ge=1, le=100)
    most: int = Field(
        ge=0,
        le=100,
        description="maximum point after capping, which is below the threshold at which a model's reply counts",
    )
    chosen_on: str

    def applies(self, point: int, search: int) -> bool:
        """Return True if the point is only acceptable with quotes that look like an answer."""
        return point > self.most and point - search >= self.above

    def bounded(self, point: int, search: int) -> int:
        """Return the point for a reply whose quotes do not look like an answer; it is never lower than the search's
        point.
        """
        return max(search, min(point, self.most))


class PointRules(Record):
    """The rules for measured models and for all others, and the cap that applies to all of them; points from small
    models are ignored.
    """

    measured: tuple[PointRule, ...]
    others: PointRule
    cap: PointCap

    def of(self, engine: str) -> PointRule:
        """Return the rule for the engine with this name."""
        for rule in self.measured:
            if fnmatchcase(engine, rule.models):
                return rule
        return self.others


@cache
def default_rules() -> PointRules:
    """Return the shipped rules."""
    return PointRules.model_validate_json(data_text("model_points.json"))


def scores_alike(memories: Sequence[Memory]) -> bool:
    """Return True if the model gives every document the same point, although the search rates them very differently.
    Return False if every point is 0 and no reply has quotes: this is right for a question that no document answers.
    """
    scored = [memory for memory in memories if memory.model_point is not None and memory.search_point is not None]
    if len(scored) < _FEWEST_REPLIES or len({memory.model_point for memory in scored}) > 1:
        return False
    if not any(memory.model_point or memory.failed_quotes or _quoted(memory) for memory in scored):
        return False
    found = [memory.search_point or 0 for memory in scored]
    return max(found) - min(found) >= _WILD_SPREAD


def _quoted(memory: Memory) -> bool:
    return bool(memory.quotes) and not memory.quoted_by_search


def with_reliable_points(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Return the memories; if the model gives every document the same score, replace its points with those of the
    search.
    """
    if not scores_alike(memories):
        return tuple(memories)
    return tuple(
        memory if memory.model_point is None else memory.changed(point=memory.search_point) for memory in memories
    )
