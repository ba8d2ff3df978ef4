"""Formats evaluation reports as tables for a terminal; a dash marks a value that could not be measured."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from investigator.evaluation.claims import ClaimsReport
from investigator.evaluation.estimates import Estimate
from investigator.evaluation.folder_report import FolderReport, GroupReport
from investigator.evaluation.measures import Measure
from investigator.evaluation.retrieval_report import RetrievalReport
from investigator.evaluation.rightness import grounds_line
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.wording import HEADLINES, plural, usage_line

_BY_KIND = {
    Measure.RANKED_FIRST: "ranked first",
    Measure.CITED_HIT: "cited right",
    Measure.EVIDENCE_HIT: "evidence",
    Measure.ANSWER_F1: "F1",
    Measure.ANSWER_CONTAINS: "contains",
    Measure.NUMBER_RECALL: "numbers",
}
_LISTED = 10


def retrieval_text(report: RetrievalReport) -> Text:
    """Return the table of the three rankings, followed by the gain from combining them and a newline."""
    heading = ("search", "nDCG@10", "95 %", "recall@10", "recall@100", "RR@10", "ms/query")
    rows = [
        (
            one.half.value,
            f"{one.ndcg_10.value:.4f}",
            _interval(one.ndcg_10, 4),
            f"{one.recall_10.value:.4f}",
            f"{one.recall_100.value:.4f}",
            f"{one.rr_10.value:.4f}",
            f"{1000 * one.seconds_per_query:.1f}",
        )
        for one in report.halves
    ]
    gains = [
        f"{one.half.value} against {one.than.value}: nDCG@10 {one.ndcg_10.value:+.4f} ({_interval(one.ndcg_10, 4)})"
        for one in report.differences
    ]
    about = f"{plural(report.documents, 'document')}, {plural(report.queries, 'query', 'queries')}, {report.embedder}"
    return (
        Text("\n").join([Text(inert_line(about)), columns(rows, heading=heading), Text("\n".join(gains))]).append("\n")
    )


def claims_text(report: ClaimsReport) -> Text:
    """Return the table of judgements on true and false statements, for all and by kind, and the statements that were
    judged wrongly.
    """
    heading = ("statements", "true", "refused", "in part", "false", "accepted", "in part", "unchecked")
    rows = [
        (
            inert_line(one.kind or "all"),
            *(f"{count:,}" for count in (one.truths, one.truths_refused, one.truths_in_part)),
            *(f"{count:,}" for count in (one.lies, one.lies_accepted, one.lies_in_part, one.unchecked)),
        )
        for one in (report.everything, *report.kinds)
    ]
    blocks = [Text(f"checked by {inert_line(report.checker)}"), columns(rows, heading=heading)]
    wrong = [f"  {inert_line(one.id)} ({one.support}): {inert_line(one.statement, 200)}" for one in report.wrong]
    blocks += [Text("\n".join(["judged wrongly:", *wrong]))] if wrong else []
    blocks.append(Text(f"Used: {usage_line(report.usage, report.seconds)}", style="dim"))
    return Text("\n").join(blocks).append("\n")


def folder_text(report: FolderReport) -> Text:
    """Return the measures with their intervals, the questions by kind, the cost and the failures."""
    blocks = [Text(f"{plural(report.asked, 'question')}, {inert_line(report.engine)}"), _measures(report.everything)]
    if report.kinds:
        blocks.append(_kinds(report.kinds))
    blocks.append(Text("\n".join(_about(report))))
    if report.wrong:
        named = ", ".join(f"{inert_line(one.id)} ({one.status}, {one.right:.2f})" for one in report.wrong)
        blocks.append(Text(f"{plural(len(report.wrong), 'question')} not right: {named}"))
    if report.failures:
        listed = [f"  {inert_line(one.id)}: {inert_line(one.reason, 200)}" for one in report.failures[:_LISTED]]
        more = [f"  and {len(report.failures) - _LISTED:,} more"] if len(report.failures) > _LISTED else []
        named = f"{plural(len(report.failures), 'question')} failed and are not measured:"
        blocks.append(Text("\n".join([named, *listed, *more]), style="yellow"))
    return Text("\n\n").join(blocks).append("\n")


def share(estimate: Estimate | None) -> str:
    """Return a value with three decimals, or a dash."""
    return "-" if estimate is None else f"{estimate.value:.3f}"


def _measures(group: GroupReport) -> Text:
    rows = []
    for measure in Measure:
        one = group.estimate(measure)
        rows.append((measure.label, share(one), _interval(one, 3), f"{one.questions:,}" if one else "-"))
    return columns(rows, heading=("measure", "value", "95 %", "questions"))


def _kinds(kinds: Sequence[GroupReport]) -> Text:
    rows = []
    for kind in kinds:
        figures = (share(kind.estimate(measure)) for measure in _BY_KIND)
        rows.append((inert_line(kind.kind, 50), f"{kind.questions:,}", f"{kind.answered:,}", *figures))
    return columns(rows, heading=("kind", "questions", "answered", *_BY_KIND.values()))


def _about(report: FolderReport) -> list[str]:
    counts, shown, usage, seconds = report.confusion, report.statements, report.usage, report.seconds
    measured = max(1, report.everything.questions)
    lines = [
        "; ".join(f"{HEADLINES[one.status].lower()}: {one.questions:,}" for one in report.statuses),
        f"answerable: {counts.answerable_answered:,} answered, {counts.answerable_answered_in_part:,} in part, "
        f"{counts.answerable_passages_found:,} passages found, {counts.answerable_not_found:,} not found",
        f"not answerable: {counts.unanswerable_answered:,} answered, {counts.unanswerable_answered_in_part:,} in part, "
        f"{counts.unanswerable_passages_found:,} passages found, {counts.unanswerable_not_found:,} not found",
        grounds_line(report.judged),
        f"{plural(shown.shown, 'statement')}, {shown.unsupported:,} of them not fully supported; "
        f"{shown.withheld:,} withheld",
        f"{report.proven_quotes:,} of {plural(report.quotes, 'quote')} re-verified",
        f"{usage.calls / measured:.1f} engine calls and {usage.tokens / measured:,.0f} tokens per question",
    ]
    if seconds is not None:
        times = f"mean {seconds.mean:.2f}, median {seconds.median:.2f}, 95 % within {seconds.p95:.2f}"
        lines.append(f"seconds per question: {times} (of {seconds.questions:,} asked without interruption)")
    return [line for line in lines if line]


def _interval(estimate: Estimate | None, digits: int) -> str:
    return "-" if estimate is None else f"{estimate.low:.{digits}f} to {estimate.high:.{digits}f}"
