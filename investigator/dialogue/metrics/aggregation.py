"""Reports of several tasks or workers, put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from investigator.dialogue.metrics.values import AverageMetric, Metric, Report
from investigator.errors import MetricsError


def aggregate_named_reports(reports: Mapping[str, Report], micro_average: bool = False) -> dict[str, Metric]:
    """The reports of tasks by their names: each figure as `task/name`, and as `name` for all tasks together.

    Together, averages are the mean over the tasks that have them (a task without examples counts as 0), or pooled
    where `micro_average` is asked for; sums are added; a global metric is the first task's, and stands only once.
    One report alone is given back as it is. Raises MetricsError where there are none, or fixed metrics differ.
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
    """The reports of several workers at one task, each figure added up.

    Raises MetricsError where figures of one name cannot be added.
    """
    together: dict[str, Metric] = {}
    for report in reports:
        for name, metric in report.items():
            _add(together, name, metric)
    return together


def _add(together: dict[str, Metric], name: str, metric: Metric) -> None:
    """Add to what stands there. Raises MetricsError, which says of which figure, where that cannot be."""
    try:
        together[name] = metric if name not in together else together[name] + metric
    except MetricsError as error:
        raise MetricsError(f"{name}: {error.message}", hint=error.hint) from error
