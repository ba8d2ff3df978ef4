"""Computes probabilities from features, with logistic models that were fitted to questions with known answers.

They are in `data/calibration.json`; `benchmarks/fit_points.py` fits them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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


class SmallFolders(Record):
    """The rule for showing replies from a small folder, where points say little.

    `subject` is the probability that a document is about the subject of a question. If this is at least `shown_from`
    for one document, every reply with a point of at least `threshold` is shown.
    """

    subject: Logistic
    shown_from: float
    threshold: int


class Calibration(Record):
    """The fitted models and thresholds.

    The built-in embedder is made for English, so the `foreign` models, for questions in other languages, rely more on
    words than on its similarities. `nearness` models the probability that a sentence is evidence, judged only from the
    sentence and the question; it selects further quotes, and ranks the quotes from small folders. The thresholds have
    been chosen to give the best decisions: `threshold` is the lowest point of a reply worth showing (`unsure_threshold`
    for other languages), `answered_from` is the lowest point at which a quote that meets the whole question counts as
    an answer even though no model has read it, and `worth_asking` is the lowest probability at which a document is
    worth asking.
    """

    english: RelevanceModels
    foreign: RelevanceModels
    nearness: Logistic
    small_folders: SmallFolders
    threshold: int
    unsure_threshold: int
    answered_from: int
    worth_asking: float

    def of(self, question: str) -> RelevanceModels:
        """Return the models for a question's language."""
        return self.english if is_english(question) else self.foreign

    def threshold_of(self, question: str, small_folder: Sequence[Record] = ()) -> int:
        """Return the lowest point at which a reply to a question is worth showing.

        It is low if points say little: for questions in other languages, and for questions on the subject of a small
        folder, which often use words that the folder does not contain. `small_folder` contains the features of a small
        folder's documents, and is empty for other folders.
        """
        small = self.small_folders
        if any(small.subject.chance(standing) >= small.shown_from for standing in small_folder):
            return small.threshold
        return self.threshold if is_english(question) else self.unsure_threshold


def log_odds(chance: float) -> float:
    """Return the log odds of a probability (0..1), clipped so that the result is finite."""
    held = min(1 - 1e-6, max(1e-6, chance))
    return math.log(held / (1 - held))


@cache
def default_calibration() -> Calibration:
    """Return the shipped calibration."""
    return Calibration.model_validate_json(data_text("calibration.json"))
