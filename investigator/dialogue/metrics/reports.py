"""Adds up the metrics of copies, merges the reports of tasks and workers, and shows a report as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock

from investigator.dialogue.metrics.values import AverageMetric, Metric, Report
from investigator.errors import MetricsError
from investigator.reports.columns import columns


class Metrics:
    """Metrics by name: the totals of all copies that share them, and the recent values of this copy.
    Thread-safe. A copy for another thread is `Metrics(shared=metrics.share())`.
    """

    def __init__(self, shared: Mapping[str, object] | None = None) -> None:
        given = (shared or {}).get("totals")
        self._totals = given if isinstance(given, _Sums) else _Sums()
        self._recent = _Sums()

    def add(self, name: str, metric: Metric | None) -> None:
        """Add one value under its name; None adds nothing. Raises MetricsError if it cannot be added."""
        if metric is not None:
            self.add_all({name: metric})

    def add_all(self, metrics: Report) -> None:
        """Add several values atomically: no report contains only some of them.

        Raises MetricsError, and adds none of them, if any cannot be added.
        """
        self._totals.add(metrics)
        self._recent.add(metrics)

    def report(self) -> dict[str, Metric]:
        """Return the totals across all copies since the last `clear`."""
        return self._totals.all()

    def report_recent(self) -> dict[str, Metric]:
        """Return the values added to this copy since the last `clear_recent` or `clear`."""
        return self._recent.all()

    def clear(self) -> None:
        """Reset the totals of all copies, and the recent values of this copy."""
        self._totals.clear()
        self._recent.clear()

    def clear_recent(self) -> None:
        """Reset the recent values of this copy."""
        self._recent.clear()

    def share(self) -> dict[str, object]:
        """Return the shared state with which a copy adds to the same totals."""
        return {"totals": self._totals}


class _Sums:
    """Metrics by name, protected by a lock."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sums: dict[str, Metric] = {}

    def add(self, metrics: Report) -> None:
        with self._lock:
            added = {name: self._sums[name] + metric for name, metric in metrics.items() if name in self._sums}
            self._sums |= {**metrics, **added}

    def all(self) -> dict[str, Metric]:
        with self._lock:
            return dict(self._sums)

    def clear(self) -> None:
        with self._lock:
            self._sums.clear()


def aggregate_named_reports(reports: Mapping[str, Report], micro_average: bool = False) -> dict[str, Metric]:
    """Merge the reports of several tasks: each metric is reported as `task/name`, and as `name` for all tasks combined.

    An average across all tasks is the mean of the tasks that report it (a task without examples counts as 0); with
    `micro_average`, it is pooled. Sums are added, and a global metric is taken from the first task only. A single
    report is returned unchanged. Raises MetricsError if there are no reports, or if fixed metrics differ.
    """
    if not reports:
        raise MetricsError("no reports to merge", hint="Give the report of at least one task.")
    if len(reports) == 1:
        return dict(next(iter(reports.values())))
    together: dict[str, Metric] = {}
    means: dict[str, AverageMetric] = {}
    for task, report in reports.items():
        for name, metric in report.items():
            if metric.is_global:
                together.setdefault(name, metric)
                continue
            _add(together, f"{task}/{name}", metric)
            if micro_average or not metric.macro_average:
                _add(together, name, metric)
            else:
                means[name] = AverageMetric(metric.value()) + means.get(name)
    return {**together, **means}


def aggregate_unnamed_reports(reports: Iterable[Report]) -> dict[str, Metric]:
    """Merge the reports of several workers on one task by adding up each metric.

    Raises MetricsError if metrics with the same name cannot be added.
    """
    together: dict[str, Metric] = {}
    for report in reports:
        for name, metric in report.items():
            _add(together, name, metric)
    return together


def _add(together: dict[str, Metric], name: str, metric: Metric) -> None:
    """Add a metric to the existing value. Raises MetricsError with the metric's name if that is impossible."""
    try:
        together[name] = metric if name not in together else together[name] + metric
    except MetricsError as error:
        raise MetricsError(f"{name}: {error.message}", hint=error.hint) from error


_DIGITS = 4
_TOGETHER = ""  # the prefix of metrics for all tasks combined


def report_table(report: Report) -> str:
    """Return the metrics as a table, with a row for all tasks and one for each task, and a column for each metric. Rows
    and columns are in the order of the report; if a task lacks a metric, the cell is blank. An empty report gives "".
    """
    rows: dict[str, dict[str, str]] = {_TOGETHER: {}}
    for key, metric in report.items():
        task, _, name = key.rpartition("/")
        rows.setdefault(task, {})[name] = _shown(metric)
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    if not names:
        return ""
    several = len(rows) > 1
    head = ["", *names] if several else names
    body = [[task or "all", *(row.get(name, "") for name in names)] for task, row in rows.items() if row]
    lines = [head, *(line if several else line[1:] for line in body)]
    return columns(lines, left=(0,) if several else ()).plain


def _shown(metric: Metric) -> str:
    """Return a value as text; whole and large numbers are written without an exponent, so that counts are not
    rounded.
    """
    value = float(metric.value())
    if value.is_integer() or 10**_DIGITS <= abs(value) < float("inf"):
        return f"{value:.0f}"
    return f"{value:.{_DIGITS}g}"
