"""Metrics of dialogues as in ParlAI: values that can be added, the grading of replies, and tables."""

from investigator.dialogue.metrics.teacher_metrics import TeacherMetrics as TeacherMetrics
from investigator.dialogue.metrics.values import AverageMetric as AverageMetric
from investigator.dialogue.metrics.values import FixedMetric as FixedMetric
from investigator.dialogue.metrics.values import Metric as Metric
from investigator.dialogue.metrics.values import Metrics as Metrics
from investigator.dialogue.metrics.values import Report as Report
from investigator.dialogue.metrics.values import SumMetric as SumMetric
from investigator.dialogue.metrics.values import aggregate_named_reports as aggregate_named_reports
from investigator.dialogue.metrics.values import aggregate_unnamed_reports as aggregate_unnamed_reports
from investigator.dialogue.metrics.values import report_table as report_table
