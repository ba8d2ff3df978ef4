"""Shows a comparison as terminal text and as a self-contained HTML page, and the plan and outcome of a tuning run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from investigator.evaluation.estimates import PairedDifference, detectable
from investigator.evaluation.measures import LOWER_IS_BETTER, Cost, Measure
from investigator.evaluation.results import grounds_line
from investigator.evaluation.tables import LONGEST, MOST_SHOWN, answer_cell, cost_cell, measures_page
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.wording import expected_line, plural
from investigator.tuning.comparison import ComparedQuestion, Comparison
from investigator.tuning.run import TuningPlan, TuningReport

_TRIED = 20  # maximum number of candidates shown; the JSON has all
_HEADING = ("n", "B - A (95 %)", "p", "B better", "B worse", "equal")


def comparison_text(comparison: Comparison) -> Text:
    """Return the measures, the verdict, the cost and each question, the changed ones first; ends with a newline."""
    first, second = (inert_line(side.name, 28) for side in (comparison.first, comparison.second))
    rows = [_cells(measure, row) for measure, row in comparison.rows.items()]
    blocks = [
        columns(rows, heading=("measure", f"A: {first}", f"B: {second}", *_HEADING)),
        Text(inert_line(comparison.verdict, 400), style="bold"),
        Text("\n".join(_about(comparison))),
    ]
    if comparison.asked:
        changed = sum(each.is_changed for each in comparison.asked)
        ordered = _changed_first(comparison)
        rows = [
            (
                inert_line(each.first.id, 24),
                *_judgements(comparison, each),
                *(answer_cell(side, 28) for side in (each.first, each.second)),
                inert_line(each.first.expected, 24) or "-",
                " / ".join(cost_cell(side.cost) for side in (each.first, each.second)),
            )
            for each in ordered[:MOST_SHOWN]
        ]
        heading = (f"{plural(len(ordered), 'question')}, {changed:,} changed", "A", "B", "A says", "B says")
        left = len(ordered) - len(rows)
        more = f"\n{left:,} more: --report FILE.html or --json shows all." if left else ""
        blocks.append(Text.assemble(columns(rows, heading=(*heading, "expected", "cost"), left=range(6)), more))
    return Text("\n\n").join(blocks).append("\n")


def comparison_page(comparison: Comparison) -> str:
    """Return a comparison as a single self-contained HTML page, with known secrets redacted."""
    rows = sorted(comparison.rows.items(), key=lambda row: row[0] is not comparison.judged_by)
    asked = [
        (
            f"{each.first.id}: {each.first.question}",
            *_judgements(comparison, each),
            *(answer_cell(side) for side in (each.first, each.second)),
            inert_line(each.first.expected, LONGEST) or "-",
            *(cell for side in (each.first, each.second) for cell in (cost_cell(side.cost), side.run_id or "-")),
        )
        for each in _changed_first(comparison)
    ]
    about = _about(comparison)
    return measures_page(
        title="Comparison",
        eyebrow=f"Comparison of {plural(comparison.questions, 'question')}",
        heading=inert_line(comparison.verdict, 400),
        brief=[(line[0], line[3:]) for line in about[:2]],
        about=about[2:],
        explained="B minus A on the same questions, with the 95 % interval of the paired bootstrap; p comes from the "
        "exact paired test. The first measure decides. Fewer calls, tokens, seconds and false answers are better.",
        decides=True,
        measures=(("measure", "A", "B", *_HEADING), [_cells(measure, row) for measure, row in rows]),
        asked=(
            ("question", "A", "B", "A says", "B says", "expected", "cost of A", "run of A", "cost of B", "run of B"),
            asked,
        ),
    )


def plan_lines(plan: TuningPlan) -> Iterator[str]:
    """Yield the input and the highest cost of a search."""
    yield f"questions: {plan.reflect} for reflection, {plan.select} for selection, {plan.test} for a single test"
    made = "as many as the proposer creates" if plan.candidates is None else f"{plan.candidates:,}"
    yield f"candidates: {made}; this test cannot show a difference below {100 * detectable(plan.test):.0f} points"
    price = " (some without a known price)" if plan.expected.unpriced else ""
    yield f"expected: {plan.trials:,} trials, {expected_line(plan.expected)}{price}"
    if plan.openings:
        yield f"this data was used for {plan.openings} earlier tests, so the test is stricter"


def tuning_text(report: TuningReport) -> Text:
    """Return the outcome of a tuning run, with its candidates and its test; ends with a newline."""
    result = report.result
    blocks = [Text(f"{result.ending.label} {inert_line(result.reason, 500)}", style="bold")]
    if result.tried:
        best = sorted(result.tried, key=lambda tried: (-tried.questions, -(tried.score or 0)))
        rows = [
            (
                inert_line(tried.name, 60),
                tried.fate.value,
                str(tried.questions or "-"),
                *("-" if value is None else f"{100 * value:.1f} %" for value in (tried.baseline, tried.score)),
                inert_line(tried.reason, 90),
            )
            for tried in best[:_TRIED]
        ]
        counts = Counter(tried.fate.value for tried in best)
        line = "\n" + ", ".join(f"{count} {fate}" for fate, count in counts.items())
        heading = ("candidate", "fate", "n", "baseline", "score", "why")
        blocks.append(Text.assemble(columns(rows, heading=heading, left=(0, 1, 5)), line))
    if result.test is not None:
        blocks.append(comparison_text(result.test))
    lines = [f"Used: {expected_line(report.usage)}; all results: report.json"]
    if result.winner is not None and result.winner.templates:
        lines.append(f"Use it with: --prompts {report.folder}/prompts")
    if result.winner is not None and result.winner.settings:
        changes = " ".join(f"--set {change}" for change in result.winner.settings)
        lines.append(f"Use it with: --set {report.folder}/settings.json, or {changes}")
    blocks.append(Text("\n".join(inert_line(line, 400) for line in lines)))
    return Text("\n\n").join(blocks).append("\n")


def _cells(measure: Measure | Cost, row: PairedDifference) -> Sequence[str]:
    factor, digits, unit = (
        (100, 1, " %") if isinstance(measure, Measure) else (1, 4 if measure is Cost.MONEY else 1, "")
    )
    apart, p = row.difference, "< 0.001" if row.p < 0.001 else f"{row.p:.3f}"
    means = (f"{factor * value:,.{digits}f}{unit}" for value in (row.first, row.second))
    value, low, high = (f"{factor * each:+,.{digits}f}" for each in (apart.value, apart.low, apart.high))
    better, worse = (row.lower, row.higher) if measure in LOWER_IS_BETTER else (row.higher, row.lower)
    counts = map(str, (better, worse, row.equal))
    return (measure.label, *means, str(apart.questions), f"{value} ({low} to {high})", p, *counts)


def _changed_first(comparison: Comparison) -> Sequence[ComparedQuestion]:
    return sorted(comparison.asked, key=lambda each: not each.is_changed)


def _judgements(comparison: Comparison, asked: ComparedQuestion) -> Sequence[str]:
    """Return the judgements on both sides, with the values of the measure that decides if it is another one."""
    judgements = (asked.first.judgement.label, asked.second.judgement.label)
    if comparison.judged_by is Measure.RIGHT:
        return judgements
    values = ("-" if value is None else f"{value:g}" for value in asked.values)
    return [f"{judged}, {value}" for judged, value in zip(judgements, values, strict=True)]


def _about(comparison: Comparison) -> Sequence[str]:
    lines = []
    for letter, side in (("A", comparison.first), ("B", comparison.second)):
        engine = f" ({side.engine})" if side.engine else ""
        failed = f"; {plural(side.failures, 'question')} failed" if side.failures else ""
        apart = f"; repetitions up to {100 * side.spread:.1f} points apart" if side.spread is not None else ""
        lines.append(inert_line(f"{letter}: {side.name}{engine}; {expected_line(side.cost)}{failed}{apart}", 400))
    return [*lines, *filter(None, (comparison.notice, grounds_line(comparison.judged)))]
