"""From features to a point: a logistic model whose point is the chance (in percent) that the quotes answer.

The weights lie in `weights.json` beside this file; `benchmarks/fit_points.py` fits them.
"""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files

from investigator.records import Record


class Features(Record):
    """What tells an answer from a near miss; each about 0..1.

    Similarities are cosines with the question. `coverage` is the share of the weight of the question's words that stand
    in one sentence with its neighbours; `rarest_covered` looks only at the words that tell most, in all passages.
    """

    sentence_similarity: float
    passage_similarity: float
    coverage: float
    rarest_covered: float
    answer_type: float


NOTHING = Features(
    sentence_similarity=0,
    passage_similarity=0,
    coverage=0,
    rarest_covered=0,
    answer_type=0,
)
"""The features of passages without a sentence."""


class Weights(Record):
    """Weights of the logistic model, one for each feature, and its bias."""

    bias: float
    sentence_similarity: float
    passage_similarity: float
    coverage: float
    rarest_covered: float
    answer_type: float


@cache
def shipped_weights() -> Weights:
    """The weights that come with the package."""
    source = files("investigator.engines.extractive").joinpath("weights.json")
    return Weights.model_validate_json(source.read_text(encoding="utf-8"))


def point(features: Features, weights: Weights | None = None) -> int:
    """The point, 0..100."""
    model = weights or shipped_weights()
    total = model.bias + math.fsum(getattr(model, name) * value for name, value in features)
    return round(100 / (1 + math.exp(-max(-40.0, min(40.0, total)))))
