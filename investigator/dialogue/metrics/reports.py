"""Reports: figures added up over copies, merged over tasks and workers, and shown as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock

from investigator.dialogue.metrics.values import AverageMetric, Metric, Report
from investigator.errors import MetricsError
from investigator.reports.columns import columns


class Metrics:
    """Figures by name: all that were added here and in the copies that share them, and the recent ones of this copy.

    Safe for threads. A copy for another thread is `Metrics(shared=metrics.share())`.
    """

    def __init__(self, shared: Mapping[str, object] | None = None) -> None:
        given = (shared or {}).get("totals")
        self._totals = given if isinstance(given, _Sums) else _Sums()
        self._recent = _Sums()

    def add(self, name: str, metric: Metric | None) -> None:
        """Add one figure to those of its name; None adds nothing. Raises MetricsError if it cannot be added."""
        if metric is not None:
            self.add_all({name: metric})

    def add_all(self, metrics: Report) -> None:
        """Add figures all at once: no report holds only some of them.

        Raises MetricsError if one cannot be added to those of its name; then none is.
        """
        self._totals.add(metrics)
        self._recent.add(metrics)

    def report(self) -> dict[str, Metric]:
        """All that was added, in all copies, since the last `clear`."""
        return self._totals.all()

    def report_recent(self) -> dict[str, Metric]:
        """Return the figures added to this copy since the last `clear_recent` or `clear`."""
        return self._recent.all()

    def clear(self) -> None:
        """Begin again, for all copies; of the recent figures, only this copy's are forgotten."""
        self._totals.clear()
        self._recent.clear()

    def clear_recent(self) -> None:
        """Forget the recent figures of this copy."""
        self._recent.clear()

    def share(self) -> dict[str, object]:
        """Return the state with which a copy adds to the same figures."""
        return {"totals": self._totals}


class _Sums:
    """Figures by name behind a lock."""

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
    """Return the reports of tasks by their names: each figure as `task/name`, and as `name` for all tasks together.

    Averages become the mean over the tasks that have them (a task without examples counts as 0), or are pooled with
    `micro_average`; sums are added; a global metric is that of the first task, once. A single report is returned
    unchanged. Raises MetricsError if there are none, or fixed metrics differ.
    """
    if not reports:
        raise MetricsError("there are no reports to put together", hint="Give the report of one task at least.")
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
    """Return the reports of several workers at one task, each figure added up.

    Raises MetricsError if figures of one name cannot be added.
    """
    together: dict[str, Metric] = {}
    for report in reports:
        for name, metric in report.items():
            _add(together, name, metric)
    return together


def _add(together: dict[str, Metric], name: str, metric: Metric) -> None:
    """Add to what is there. Raises MetricsError, which says of which figure, if that cannot be."""
    try:
        together[name] = metric if name not in together else together[name] + metric
    except MetricsError as error:
        raise MetricsError(f"{name}: {error.message}", hint=error.hint) from error


_TOGETHER = ""  # the prefix before the slash in the name of a figure for all tasks


def report_table(report: Report, digits: int = 4) -> str:
    """Return the figures in a table: a row for all tasks, one for each task, a column for each metric.

    Rows and columns are in the order in which the report has them; a metric that a task lacks is left blank. An empty
    report gives an empty text.
    """
    rows: dict[str, dict[str, str]] = {_TOGETHER: {}}
    for key, metric in report.items():
        task, _, name = key.rpartition("/")
        rows.setdefault(task, {})[name] = _shown(metric, digits)
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    if not names:
        return ""
    several = len(rows) > 1
    head = ["", *names] if several else names
    body = [[task or "all", *(row.get(name, "") for name in names)] for task, row in rows.items() if row]
    lines = [head, *(line if several else line[1:] for line in body)]
    return columns(lines, left=(0,) if several else ()).plain


def _shown(metric: Metric, digits: int) -> str:
    """Whole numbers and large ones without an exponent: a count is not rounded."""
    value = float(metric.value())
    if value.is_integer() or 10**digits <= abs(value) < float("inf"):
        return f"{value:.0f}"
    return f"{value:.{digits}g}"
