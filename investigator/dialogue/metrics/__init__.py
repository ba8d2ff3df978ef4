"""Metrics of dialogues, defined as in ParlAI: values that can be added, the grading of replies, and reports as
tables.
"""

from investigator.dialogue.metrics.reports import (
    Metrics,
    aggregate_named_reports,
    aggregate_unnamed_reports,
    report_table,
)
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
