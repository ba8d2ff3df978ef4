"""Metrics of dialogues, defined as in ParlAI: values that add up, what grades a reply, reports and their tables."""

from investigator.dialogue.metrics.aggregation import aggregate_named_reports, aggregate_unnamed_reports
from investigator.dialogue.metrics.store import Metrics
from investigator.dialogue.metrics.table import report_table
from investigator.dialogue.metrics.teacher_metrics import TeacherMetrics
from investigator.dialogue.metrics.values import AverageMetric, FixedMetric, Metric, Report, SumMetric, TimerMetric

__all__ = [
    "AverageMetric",
    "FixedMetric",
    "Metric",
    "Metrics",
    "Report",
    "SumMetric",
    "TeacherMetrics",
    "TimerMetric",
    "aggregate_named_reports",
    "aggregate_unnamed_reports",
    "report_table",
]
