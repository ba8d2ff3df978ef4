"""Computes probabilities from features, with logistic models that were fitted to questions with known answers.

They are in `data/calibration.json`; `data/README.md` says how they were fitted.
"""

from __future__ import annotations

import hashlib
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

    def log_odds(self, features: Record) -> float:
        """Return the log odds for a record of features, which has a field for each weight."""
        return self.bias + math.fsum(weight * getattr(features, name) for name, weight in self.weights.items())

    def chance(self, features: Record) -> float:
        """Return the probability (0..1) for a record of features, which has a field for each weight."""
        return 1 / (1 + math.exp(-max(-40.0, min(40.0, self.log_odds(features)))))


class Calibration(Record):
    """The fitted models and the threshold.

    `english` and `foreign` model the probability that a document contains the answer, before its passages are read; the
    built-in embedder is made for English, so `foreign`, for questions in other languages, relies more on words.
    `sentence` ranks the sentences of all documents. `similarity` is the lowest cosine similarity of a sentence to a
    question at which it is shown.
    """

    english: Logistic
    foreign: Logistic
    sentence: Logistic
    similarity: float

    def of(self, question: str) -> Logistic:
        """Return the model of documents for a question's language."""
        return self.english if is_english(question) else self.foreign


def log_odds(chance: float) -> float:
    """Return the log odds of a probability (0..1), clipped so that the result is finite."""
    held = min(1 - 1e-6, max(1e-6, chance))
    return math.log(held / (1 - held))


@cache
def default_calibration() -> Calibration:
    """Return the shipped calibration."""
    return Calibration.model_validate_json(data_text("calibration.json"))


@cache
def calibration_digest() -> str:
    """Return a digest of the shipped calibration, which distinguishes replies that were made with another one."""
    return hashlib.sha256(data_text("calibration.json").encode("utf-8")).hexdigest()[:12]
