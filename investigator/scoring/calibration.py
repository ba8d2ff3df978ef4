"""Computes probabilities from features, with logistic models that were fitted to questions with known answers.

They are in `data/calibration.json`; `benchmarks/fit_points.py` fits them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

from investigator.language.terms import is_english
from investigator.records import Record
from investigator.resources import data_text


class Logistic(Record):
    """A logistic model: a bias, and a weight for each named feature."""

    bias: float
    weights: Mapping[str, float]

    def chance(self, features: Record) -> float:
        """Return the probability (0..1) for a record of features, which has a field for each weight."""
        total = self.bias + math.fsum(weight * getattr(features, name) for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-40.0, min(40.0, total))))


class RelevanceModels(Record):
    """Models for three probabilities: that a document contains the answer, that a sentence is evidence for the answer,
    and that a reply answers the question. `document` applies before passages are read, and `reply` applies afterwards.
    """

    document: Logistic
    sentence: Logistic
    reply: Logistic


class Calibration(Record):
    """The fitted models and thresholds.

    The built-in embedder is made for English, so the `foreign` models, for questions in other languages, rely more on
    words than on its similarities. `nearness` models the probability that a sentence is evidence, judged only from the
    sentence and the question; it selects further quotes. `threshold`, which was chosen to give the best decisions, is
    the lowest point of a reply worth showing (`unsure_threshold` for other languages, in which points say little).
    """

    english: RelevanceModels
    foreign: RelevanceModels
    nearness: Logistic
    threshold: int
    unsure_threshold: int

    def of(self, question: str) -> RelevanceModels:
        """Return the models for a question's language."""
        return self.english if is_english(question) else self.foreign

    def threshold_of(self, question: str) -> int:
        """Return the lowest point at which a reply to a question is worth showing."""
        return self.threshold if is_english(question) else self.unsure_threshold


def log_odds(chance: float) -> float:
    """Return the log odds of a probability (0..1), clipped so that the result is finite."""
    held = min(1 - 1e-6, max(1e-6, chance))
    return math.log(held / (1 - held))


@cache
def default_calibration() -> Calibration:
    """Return the shipped calibration."""
    return Calibration.model_validate_json(data_text("calibration.json"))
