"""Formats evaluation reports as tables for a terminal; a dash marks a value that could not be measured."""

from __future__ import annotations

from rich.text import Text

from investigator.evaluation.claims import ClaimsReport
from investigator.evaluation.estimates import Estimate
from investigator.evaluation.folder_report import FolderReport
from investigator.evaluation.measures import Measure
from investigator.evaluation.retrieval import RetrievalReport
from investigator.evaluation.scoring import grounds_line
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
            *(f"{estimate.value:.4f}" for estimate in (one.recall_10, one.recall_100, one.rr_10)),
            f"{1000 * one.seconds_per_query:.1f}",
        )
        for one in report.halves
    ]
    about = f"{plural(report.documents, 'document')}, {plural(report.queries, 'query', 'queries')}, {report.embedder}"
    gains = [
        f"{one.half.value} against {one.than.value}: nDCG@10 {one.ndcg_10.value:+.4f} ({_interval(one.ndcg_10, 4)})"
        for one in report.differences
    ]
    blocks = [Text(inert_line(about)), columns(rows, heading=heading), *map(Text, gains)]
    return Text("\n").join(blocks).append("\n")


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
    """Return the measures with their intervals, the questions by kind and by status, the cost and the failures."""
    found = report.everything.measures
    rows = [(m.label, _share(found.get(m)), _interval(found.get(m), 3), _count(found.get(m))) for m in Measure]
    statuses = [
        (HEADLINES[one.status].lower(), f"{one.questions:,}", f"{one.answerable:,}", f"{one.unanswerable:,}")
        for one in report.statuses
    ]
    kinds = [
        (
            inert_line(kind.kind, 50),
            f"{kind.questions:,}",
            f"{kind.answered:,}",
            *(_share(kind.measures.get(measure)) for measure in _BY_KIND),
        )
        for kind in report.kinds
    ]
    blocks = [
        Text(f"{plural(report.asked, 'question')}, {inert_line(report.engine)}"),
        columns(rows, heading=("measure", "value", "95 %", "questions")),
        *([columns(kinds, heading=("kind", "questions", "answered", *_BY_KIND.values()))] if kinds else []),
        columns(statuses, heading=("status", "questions", "answerable", "not answerable")),
        Text("\n".join(filter(None, _about(report)))),
    ]
    if report.wrong:
        named = ", ".join(f"{inert_line(one.id)} ({one.status}, {one.right:.2f})" for one in report.wrong)
        blocks.append(Text(f"{plural(len(report.wrong), 'question')} not right: {named}"))
    if report.failures:
        listed = [f"  {inert_line(one.id)}: {inert_line(one.failure, 200)}" for one in report.failures[:_LISTED]]
        more = [f"  and {len(report.failures) - _LISTED:,} more"] if len(report.failures) > _LISTED else []
        named = f"{plural(len(report.failures), 'question')} failed and are not measured:"
        blocks.append(Text("\n".join([named, *listed, *more]), style="yellow"))
    return Text("\n\n").join(blocks).append("\n")


def _about(report: FolderReport) -> list[str]:
    usage, seconds, measured = report.usage, report.seconds, max(1, report.everything.questions)
    return [
        grounds_line(report.judged),
        f"{plural(report.statements, 'statement')}, {report.unsupported:,} of them not fully supported; "
        f"{report.withheld:,} withheld",
        f"{report.proven_quotes:,} of {plural(report.quotes, 'quote')} re-verified",
        f"{usage.calls / measured:.1f} engine calls and {usage.tokens / measured:,.0f} tokens per question",
        f"{seconds.value:.2f} seconds per question ({seconds.questions:,} asked without interruption)"
        if seconds
        else "",
    ]


def _count(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.questions:,}"


def _share(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.value:.3f}"


def _interval(estimate: Estimate | None, digits: int) -> str:
    return "-" if estimate is None else f"{estimate.low:.{digits}f} to {estimate.high:.{digits}f}"
