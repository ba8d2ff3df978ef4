"""Fits logistic models whose weights are at least 0, and measures the calibration of their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """A fitted model: a bias, and a weight for each column."""

    bias: float
    weights: Array

    def chances(self, x: Array) -> Array:
        """Return the probability of each row."""
        return 1 / (1 + np.exp(-(x @ self.weights + self.bias)))


def logistic(x: Array, y: Array, share: Array, penalty: float = 0.03) -> Fit:
    """Fit a model to the labels `y` (0 or 1) with a ridge penalty; `share` contains the weights of the rows."""
    middle, spread = x.mean(0), x.std(0) + 1e-9
    z, rows = (x - middle) / spread, share / share.sum() * 100

    def loss(b: Array) -> tuple[float, Array]:
        t = z @ b[1:] + b[0]
        chance = 1 / (1 + np.exp(-t))
        slope = rows * (chance - y)
        value = float((rows * (np.logaddexp(0, t) - y * t)).sum() + penalty * (b[1:] ** 2).sum() / 2)
        return value, np.concatenate([[slope.sum()], z.T @ slope + penalty * b[1:]])

    columns = x.shape[1]
    found = minimize(loss, np.zeros(columns + 1), jac=True, bounds=[(None, None)] + [(0, None)] * columns).x
    weights = found[1:] / spread
    return Fit(float(found[0] - weights @ middle), weights)


def listwise(lists: Sequence[tuple[Array, Array, float]], penalty: float = 0.05) -> Array:
    """Return weights (0 or more) that rank the right rows of each list first; entries are (rows, labels, share).

    This is conditional logistic regression: only differences within a list count, whatever its length and difficulty.
    """

    def loss(b: Array) -> tuple[float, Array]:
        value, slope = penalty * (b**2).sum() / 2, penalty * b
        for x, y, share in lists:
            t = x @ b
            e = np.exp(t - t.max())
            right = (e * y).sum()
            value -= share * np.log(right / e.sum())
            slope = slope - share * ((e * y) @ x / right - e @ x / e.sum())
        return float(value), slope

    columns = lists[0][0].shape[1]
    found: Array = minimize(loss, np.zeros(columns), jac=True, bounds=[(0, None)] * columns).x
    return found


def calibration_error(chances: Array, right: Array, bins: int = 10) -> float:
    """Return the expected calibration error: the gap between probability and frequency, averaged over equal bins."""
    place = np.minimum((chances * bins).astype(int), bins - 1)
    gaps = [abs(chances[place == b].mean() - right[place == b].mean()) * (place == b).sum() for b in set(place)]
    return float(sum(gaps) / len(chances))


def reliability(chances: Array, right: Array, bins: int = 10) -> list[tuple[float, float, int]]:
    """Return (mean probability, frequency, rows) of each non-empty bin: the points of a reliability plot."""
    place = np.minimum((chances * bins).astype(int), bins - 1)
    return [
        (float(chances[place == b].mean()), float(right[place == b].mean()), int((place == b).sum()))
        for b in sorted(set(place))
    ]
