"""Formats evaluation reports as tables for a terminal; a dash marks a value that could not be measured."""

from __future__ import annotations

from rich.text import Text

from investigator.evaluation.claims import ACCEPTED, ClaimsReport
from investigator.evaluation.estimates import Estimate
from investigator.evaluation.folder_report import FolderReport
from investigator.evaluation.measures import Measure
from investigator.evaluation.retrieval import MEASURES, RetrievalReport
from investigator.evaluation.scoring import grounds_line
from investigator.records import Support
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.wording import HEADLINES, plural, usage_line

_BY_KIND = {
    Measure.RIGHT: "right",
    Measure.CITED_HIT: "cited right",
    Measure.EVIDENCE_HIT: "evidence",
    Measure.ANSWER_F1: "F1",
    Measure.NUMBER_RECALL: "numbers",
}


def retrieval_text(report: RetrievalReport) -> Text:
    """Return the table of the three rankings, with the gain of hybrid search over the others, and a newline."""
    rows = [
        (
            half.half.value,
            *(_value(half.measures.get(name), 4) for name in MEASURES),
            _interval(half.measures.get(MEASURES[0]), 4),
            f"{half.gain.value:+.4f} ({_interval(half.gain, 4)})" if half.gain else "-",
            f"{1000 * half.seconds_per_query:.1f}",
        )
        for half in report.halves
    ]
    about = f"{plural(report.documents, 'document')}, {plural(report.queries, 'query', 'queries')}, {report.embedder}"
    heading = ("search", *MEASURES, f"{MEASURES[0]}, 95 %", "gain of both (95 %)", "ms/query")
    return Text("\n").join([Text(inert_line(about)), columns(rows, heading=heading)]).append("\n")


def claims_text(report: ClaimsReport) -> Text:
    """Return the table of judgements on true and false statements, for all and by kind, and the statements that were
    judged wrongly.
    """
    rows = []
    for group in (report.everything, *report.kinds):
        truths, lies = group.truths, group.lies
        counts = (
            *(sum(truths.values()), truths.get(Support.UNSUPPORTED, 0), truths.get(Support.IN_PART, 0)),
            *(sum(lies.values()), sum(lies.get(support, 0) for support in ACCEPTED), lies.get(Support.IN_PART, 0)),
            truths.get(Support.UNCHECKED, 0) + lies.get(Support.UNCHECKED, 0),
        )
        rows.append((inert_line(group.kind or "all"), *(f"{count:,}" for count in counts)))
    heading = ("statements", "true", "refused", "in part", "false", "accepted", "in part", "unchecked")
    wrong = [f"  {inert_line(row.id)} ({row.support}): {inert_line(row.statement, 200)}" for row in report.wrong]
    blocks = [Text(f"checked by {inert_line(report.checker)}"), columns(rows, heading=heading)]
    blocks += [Text("\n".join(["judged wrongly:", *wrong]))] if wrong else []
    blocks.append(Text(f"Used: {usage_line(report.usage, report.seconds)}", style="dim"))
    return Text("\n").join(blocks).append("\n")


def folder_text(report: FolderReport) -> Text:
    """Return the measures with their intervals, the questions by kind, and those that failed or are not right."""
    rows = [
        (measure.label, _value(estimate, 3), _interval(estimate, 3), f"{estimate.questions:,}")
        for measure, estimate in report.everything.measures.items()
    ]
    kinds = [
        (inert_line(kind.kind, 50), f"{kind.questions:,}", *(_value(kind.measures.get(name), 3) for name in _BY_KIND))
        for kind in report.kinds
    ]
    lines = [
        "; ".join(f"{HEADLINES[status].lower()}: {count:,}" for status, count in report.statuses.items()),
        grounds_line(report.judged),
        f"{plural(report.statements, 'statement')}, {report.unsupported:,} of them not fully supported; "
        f"{report.withheld:,} withheld",
    ]
    questions = plural(report.everything.questions + len(report.failures), "question")
    blocks = [
        Text(f"{questions}, {inert_line(report.engine)}"),
        columns(rows, heading=("measure", "value", "95 %", "questions")),
        *([columns(kinds, heading=("kind", "questions", *_BY_KIND.values()))] if kinds else []),
        Text("\n".join(filter(None, lines))),
    ]
    if report.wrong:
        named = ", ".join(f"{inert_line(each.id)} ({each.status}, {each.right:.2f})" for each in report.wrong)
        blocks.append(Text(f"{plural(len(report.wrong), 'question')} not right: {named}"))
    if report.failures:
        listed = [f"  {inert_line(each.id)}: {inert_line(each.failure, 200)}" for each in report.failures]
        named = f"{plural(len(report.failures), 'question')} failed and are not measured:"
        blocks.append(Text("\n".join([named, *listed]), style="yellow"))
    return Text("\n\n").join(blocks).append("\n")


def _value(estimate: Estimate | None, digits: int) -> str:
    return "-" if estimate is None else f"{estimate.value:.{digits}f}"


def _interval(estimate: Estimate | None, digits: int) -> str:
    return "-" if estimate is None else f"{estimate.low:.{digits}f} to {estimate.high:.{digits}f}"
