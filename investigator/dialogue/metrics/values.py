"""Defines metrics, values that are added up over replies, copies, workers and tasks, and shown as a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Self, TypeAlias, cast

from investigator.errors import DialogueError
from investigator.reports.columns import columns

_SAME_KIND = "Combine only reports of the same kind, in which each metric has one type."


@dataclass(frozen=True)
class Metric(ABC):
    """An immutable value. `+` combines two metrics of one class; adding None changes nothing. If `is_global` is set,
    each value covers all tasks, so a report on several tasks keeps the first.
    """

    is_global: bool = field(default=False, kw_only=True)

    @abstractmethod
    def value(self) -> float:
        """Return the value as a number."""

    @abstractmethod
    def _plus(self, other: Self) -> Self:
        """Return the combination of two metrics of this class."""

    def __add__(self, other: Self | None) -> Self:
        """Return the combination of two metrics. Raises DialogueError if their classes differ."""
        if other is None:
            return self
        if type(other) is not type(self):
            problem = f"a {type(self).__name__} and a {type(other).__name__} cannot be added"
            raise DialogueError(problem, hint=_SAME_KIND)
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
        return replace(self, total=self.total + other.total)


@dataclass(frozen=True)
class AverageMetric(Metric):
    """A mean, stored as numerator and denominator. 0 over 0 is 0; any other numerator over 0 is NaN. The value for
    several tasks is the mean of their values, whatever their size, unless pooling is requested.
    """

    numerator: float = 0
    denominator: float = 1

    def value(self) -> float:
        if self.denominator:
            return self.numerator / self.denominator
        return float("nan") if self.numerator else 0.0

    def _plus(self, other: Self) -> Self:
        numerator, denominator = self.numerator + other.numerator, self.denominator + other.denominator
        return replace(self, numerator=numerator, denominator=denominator)


@dataclass(frozen=True)
class FixedMetric(Metric):
    """A value that must be the same in every report, such as the number of updates of a model."""

    fixed: float

    def value(self) -> float:
        return self.fixed

    def _plus(self, other: Self) -> Self:
        if self.fixed != other.fixed:
            raise DialogueError(f"the fixed metrics differ: {self.fixed} and {other.fixed}", hint=_SAME_KIND)
        return self


class Metrics:
    """Metrics by name: the totals of all copies, `Metrics(shared=metrics.share())`, and this copy's recent values."""

    def __init__(self, shared: Mapping[str, object] | None = None) -> None:
        state = shared or {"totals": {}, "lock": Lock()}
        self._totals = cast(dict[str, Metric], state["totals"])
        self._lock = cast(Lock, state["lock"])
        self._recent: dict[str, Metric] = {}

    def add(self, name: str, metric: Metric | None) -> None:
        """Add one value under its name; None adds nothing. Raises DialogueError if it cannot be added."""
        if metric is not None:
            self.add_all({name: metric})

    def add_all(self, metrics: Report) -> None:
        """Add several values at once. Raises DialogueError, and adds none of them, if any cannot be added."""
        with self._lock:
            totals = aggregate_unnamed_reports([self._totals, metrics])
            self._recent = aggregate_unnamed_reports([self._recent, metrics])
            self._totals.update(totals)

    def report(self) -> dict[str, Metric]:
        """Return the totals across all copies since the last `clear`."""
        with self._lock:
            return dict(self._totals)

    def report_recent(self) -> dict[str, Metric]:
        """Return the values added to this copy since the last `clear_recent` or `clear`."""
        return dict(self._recent)

    def clear(self) -> None:
        """Reset the totals of all copies, and the recent values of this copy."""
        with self._lock:
            self._totals.clear()
        self.clear_recent()

    def clear_recent(self) -> None:
        """Reset the recent values of this copy."""
        self._recent = {}

    def share(self) -> dict[str, object]:
        """Return the shared state with which a copy adds to the same totals."""
        return {"totals": self._totals, "lock": self._lock}


def aggregate_named_reports(reports: Mapping[str, Report], micro_average: bool = False) -> dict[str, Metric]:
    """Merge the reports of several tasks: each metric as `task/name`, and as `name` for all tasks. There, a mean is the
    mean of the tasks that report it (or pooled, with `micro_average`), sums are added, and a global metric is that of
    the first task. A single report is returned unchanged. Raises DialogueError if there are none, or fixed metrics
    differ.
    """
    if not reports:
        raise DialogueError("no reports to merge", hint="Give the report of at least one task.")
    if len(reports) == 1:
        return dict(next(iter(reports.values())))
    merged: dict[str, Metric] = {}
    means: dict[str, AverageMetric] = {}
    for task, report in reports.items():
        for name, metric in report.items():
            if metric.is_global:
                merged.setdefault(name, metric)
                continue
            merged[f"{task}/{name}"] = metric
            if isinstance(metric, AverageMetric) and not micro_average:
                means[name] = AverageMetric(metric.value()) + means.get(name)
            else:
                merged[name] = metric + merged.get(name)
    return {**merged, **means}


def report_of_tasks(reports: Iterable[tuple[str, Report]], micro_average: bool) -> dict[str, Metric]:
    """Merge reports by id. If several have the same id, a number is added to the ids of all but the first."""
    named: dict[str, Report] = {}
    counts = Counter[str]()
    for key, report in reports:
        counts[key] += 1
        named[f"{key}#{counts[key]}" if counts[key] > 1 else key] = report
    return aggregate_named_reports(named, micro_average)


def aggregate_unnamed_reports(reports: Iterable[Report]) -> dict[str, Metric]:
    """Add up the reports of several workers on one task. Raises DialogueError if metrics cannot be added."""
    merged: dict[str, Metric] = {}
    for report in reports:
        for name, metric in report.items():
            merged[name] = metric + merged.get(name)
    return merged


def report_table(report: Report) -> str:
    """Return the metrics as a table, with a row for all tasks and one for each task, and a column for each metric. Rows
    and columns are in the order of the report; if a task lacks a metric, the cell is blank. An empty report gives "".
    """
    keys = [key.rpartition("/") for key in report]
    tasks = dict.fromkeys(["", *(task for task, _, _ in keys)])
    names = dict.fromkeys(name for _, _, name in keys)
    rows = {task: [_shown(report.get(f"{task}/{name}" if task else name)) for name in names] for task in tasks}
    lines = [["", *names], *([task or "all", *cells] for task, cells in rows.items() if any(cells))]
    if len(tasks) > 1:
        return columns(lines, left=(0,)).plain
    return columns([line[1:] for line in lines], left=()).plain


def _shown(metric: Metric | None) -> str:
    """Return a value as text; whole and large numbers have no exponent, so that counts are not rounded."""
    if metric is None:
        return ""
    value = float(metric)
    return f"{value:.0f}" if value.is_integer() or 10_000 <= abs(value) < float("inf") else str(metric)
