"""Shows the results of evaluations as terminal text, and those of questions also as a self-contained HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from investigator.evaluation.claims import ACCEPTED, ClaimsReport
from investigator.evaluation.estimates import Estimate
from investigator.evaluation.measures import Measure
from investigator.evaluation.results import FolderReport, Judgement, QuestionResult, grounds_line
from investigator.evaluation.retrieval import MEASURES, RetrievalReport
from investigator.records import Support, Usage
from investigator.reports.columns import columns
from investigator.reports.html import standalone_page
from investigator.reports.inert import inert_line
from investigator.reports.wording import HEADLINES, calls_words, plural, some_names, usage_line

MOST_SHOWN = 20
"""Maximum number of questions in a terminal; the page and the JSON have all."""
LONGEST = 2_000
"""Maximum number of characters of an answer on a page."""
_MEASURED = ("measure", "value", "95 %", "questions")
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
    """Return the measures with their intervals, the questions by kind, and each question, those that are not right
    first.
    """
    kinds = [
        (inert_line(kind.kind, 50), f"{kind.questions:,}", *(_value(kind.measures.get(name), 3) for name in _BY_KIND))
        for kind in report.kinds
    ]
    ordered = _worst_first(report)
    shown = ordered[:MOST_SHOWN]
    rows = [
        (inert_line(each.id, 24), each.judgement.label, *_words(each, 44, 32), cost_cell(each.cost)) for each in shown
    ]
    left = len(ordered) - len(rows)
    blocks = [
        Text(f"{plural(len(report.questions), 'question')}, {inert_line(report.engine)}"),
        columns(_measures(report), heading=_MEASURED),
        *([columns(kinds, heading=("kind", "questions", *_BY_KIND.values()))] if kinds else []),
        Text("\n".join(_about(report))),
        columns(rows, heading=("question", "judged", "answer", "expected", "cost"), left=range(4)),
        *([Text(f"{left:,} more: --report FILE.html or --json shows all.")] if left else []),
    ]
    reasons: dict[str, list[str]] = {}
    for each in ordered:
        reasons.setdefault(each.why, []).append(each.id)
    if why := [f"  {some_names(ids, 5)}: {inert_line(why, 200)}" for why, ids in reasons.items() if why]:
        blocks.append(Text("\n".join(["not measured:", *why[:MOST_SHOWN]]), style="yellow"))
    return Text("\n\n").join(blocks).append("\n")


def folder_page(report: FolderReport) -> str:
    """Return the results of all questions as a single self-contained HTML page, with known secrets redacted."""
    names = ("question", "judged", "answer", "expected", "cost", "run")
    rows = [
        (
            f"{each.id}: {each.question}",
            ": ".join(filter(None, (each.judgement.label, each.why))),
            *_words(each),
            cost_cell(each.cost),
            each.run_id or "-",
        )
        for each in _worst_first(report)
    ]
    counts = Counter(each.judgement for each in report.questions)
    judged = ", ".join(f"{counts[judgement]:,} {judgement.label}" for judgement in Judgement if counts[judgement])
    return measures_page(
        title="Evaluation",
        eyebrow=f"Evaluation of {plural(len(report.questions), 'question')}",
        heading=judged or "no question",
        brief=[("Engine", report.engine)],
        about=_about(report),
        explained="The mean over the questions whose rows have the facts that a measure needs, with the 95 % interval "
        "of the bootstrap.",
        measures=(_MEASURED, _measures(report)),
        asked=(names, rows),
    )


def measures_page(**values: object) -> str:
    """Return a page of measures and questions. `measures` and `asked` are tables: names of columns, and rows; `brief`
    and `about` are what stands above them, and `decides` says whether the first measure decides.
    """
    return standalone_page("comparison.html.j2", **{"decides": False, **values})


def answer_cell(result: QuestionResult, longest: int = LONGEST) -> str:
    """Return the answer in one line, or the status if there is none."""
    return inert_line(result.answer, longest) or (HEADLINES[result.status].lower() if result.status else "-")


def cost_cell(cost: Usage) -> str:
    """Return the calls of a question and, if it costs money, the price; a dash if no language model was asked."""
    return ", ".join((*calls_words(cost)[:1], *([f"${cost.money:.4f}"] if cost.money else []))) or "-"


def _worst_first(report: FolderReport) -> Sequence[QuestionResult]:
    return sorted(report.questions, key=lambda each: list(Judgement).index(each.judgement))


def _about(report: FolderReport) -> Sequence[str]:
    """Return the statuses, how answers are judged, and the statements."""
    statuses = "; ".join(f"{HEADLINES[status].lower()}: {count:,}" for status, count in report.statuses.items())
    counts = f"{report.unsupported:,} of them not fully supported; {report.withheld:,} withheld"
    statements = f"{plural(report.statements, 'statement')}, {counts}"
    return [line for line in (statuses, grounds_line(report.judged), statements) if line]


def _words(result: QuestionResult, most: int = LONGEST, expected: int = LONGEST) -> tuple[str, str]:
    return answer_cell(result, most), inert_line(result.expected, expected) or "-"


def _measures(report: FolderReport) -> Sequence[Sequence[str]]:
    return [
        (measure.label, _value(estimate, 3), _interval(estimate, 3), f"{estimate.questions:,}")
        for measure, estimate in report.everything.measures.items()
    ]


def _value(estimate: Estimate | None, digits: int) -> str:
    return "-" if estimate is None else f"{estimate.value:.{digits}f}"


def _interval(estimate: Estimate | None, digits: int) -> str:
    return "-" if estimate is None else f"{estimate.low:.{digits}f} to {estimate.high:.{digits}f}"
