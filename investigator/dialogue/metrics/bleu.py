"""BLEU of one reply, by NLTK."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.dialogue.metrics.matching import normalize_answer
from investigator.dialogue.metrics.values import AverageMetric

_EPSILON = 1e-12  # the count of an n-gram order without any match, so that the geometric mean is not 0 for it alone


def bleu(guess: str, answers: Sequence[str], order: int = 4) -> AverageMetric:
    """BLEU-`order` of the guess against all answers, from 0 to 1; 0 where there are no answers.

    The n-grams of lengths 1 to `order` weigh the same; tokens are the words of the normalised texts; smoothing is
    method 1 of Chen and Cherry (2014). A text of fewer words than `order` has next to no BLEU, even where it is right.
    """
    if not answers:
        return AverageMetric(0.0)
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    score = sentence_bleu(
        [normalize_answer(answer).split(" ") for answer in answers],
        normalize_answer(guess).split(" "),
        weights=[1 / order] * order,
        smoothing_function=SmoothingFunction(epsilon=_EPSILON).method1,
    )
    return AverageMetric(float(score))
