"""Defines metrics, each of which is a value with the data needed to combine it with others of its kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self, TypeAlias

from investigator.errors import MetricsError


class Metric(ABC):
    """An immutable value. `+` combines two metrics of one class; adding None changes nothing. If `is_global` is set,
    each value covers all tasks, so a report on several tasks keeps the first. If `macro_average` is set, the value for
    several tasks is the mean of their values, whatever their size, unless pooling is requested.
    """

    is_global: ClassVar[bool] = False
    macro_average: ClassVar[bool] = False

    @abstractmethod
    def value(self) -> float:
        """Return the value as a number."""

    @abstractmethod
    def _plus(self, other: Self) -> Self:
        """Return the combination of two metrics of this class."""

    def __add__(self, other: Self | None) -> Self:
        """Return the combination of two metrics. Raises MetricsError if their classes differ."""
        if other is None:
            return self
        if type(other) is not type(self):
            raise MetricsError(f"a {type(self).__name__} and a {type(other).__name__} cannot be added")
        return self._plus(other)

    def __float__(self) -> float:
        return float(self.value())

    def __str__(self) -> str:
        """Return the value to four significant digits."""
        return f"{self.value():.4g}"


Report: TypeAlias = Mapping[str, Metric]
"""Metrics by name; if there are several tasks, a metric for one task is called `task/name`."""


@dataclass(frozen=True)
class SumMetric(Metric):
    """A count or an amount; adding gives the total."""

    total: float = 0

    def value(self) -> float:
        return self.total

    def _plus(self, other: Self) -> Self:
        return type(self)(self.total + other.total)


@dataclass(frozen=True)
class AverageMetric(Metric):
    """A mean, stored as numerator and denominator. 0 over 0 is 0; any other numerator over 0 is NaN."""

    macro_average: ClassVar[bool] = True

    numerator: float = 0
    denominator: float = 1

    def value(self) -> float:
        if self.denominator:
            return self.numerator / self.denominator
        return float("nan") if self.numerator else 0.0

    def _plus(self, other: Self) -> Self:
        return type(self)(self.numerator + other.numerator, self.denominator + other.denominator)


@dataclass(frozen=True)
class FixedMetric(Metric):
    """A value that is the same in every report, such as the number of updates of a model."""

    fixed: float

    def value(self) -> float:
        return self.fixed

    def _plus(self, other: Self) -> Self:
        """Return the value; raise MetricsError if the two values differ."""
        if self.fixed != other.fixed:
            raise MetricsError(f"the fixed metrics differ: {self.fixed} and {other.fixed}")
        return self


@dataclass(frozen=True)
class TimerMetric(Metric):
    """An amount per second, between the times `start` and `end` (in seconds, from one clock); 0 if no time has passed.

    The sum of two rates covers the time from the earlier start to the later end, so that concurrent work adds up.
    """

    total: float
    start: float
    end: float

    def value(self) -> float:
        elapsed = self.end - self.start
        return self.total / elapsed if elapsed > 0 else 0.0

    def _plus(self, other: Self) -> Self:
        return type(self)(self.total + other.total, min(self.start, other.start), max(self.end, other.end))


class GlobalSumMetric(SumMetric):
    """A sum across all tasks."""

    is_global: ClassVar[bool] = True


class GlobalAverageMetric(AverageMetric):
    """A mean across all tasks."""

    is_global: ClassVar[bool] = True
    macro_average: ClassVar[bool] = False


class GlobalFixedMetric(FixedMetric):
    """A fixed value for all tasks."""

    is_global: ClassVar[bool] = True


class GlobalTimerMetric(TimerMetric):
    """A per-second rate across all tasks."""

    is_global: ClassVar[bool] = True
