"""Shows a comparison as terminal text and as a self-contained HTML page, and the plan and outcome of a tuning run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from investigator.evaluation.estimates import PairedDifference, detectable
from investigator.evaluation.measures import Cost, Measure
from investigator.evaluation.scoring import grounds_line
from investigator.reports.columns import columns
from investigator.reports.html import pages_environment
from investigator.reports.inert import inert_line
from investigator.reports.wording import HEADLINES, expected_line, plural
from investigator.secrets import redacted
from investigator.tuning.comparison import Comparison
from investigator.tuning.run import TuningPlan, TuningReport

_CHANGED, _TRIED = 10, 20  # maximum numbers of rows shown; the page and the JSON show all that are stored
_HEADING = ("n", "difference (95 %)", "p", "wins", "losses", "ties")


def comparison_text(comparison: Comparison) -> Text:
    """Return the table of measures, the verdict, the cost and the changed examples; ends with a newline."""
    first, second = (inert_line(side.name, 28) for side in (comparison.first, comparison.second))
    rows = [_cells(measure, row) for measure, row in comparison.rows.items()]
    blocks = [
        columns(rows, heading=("measure", f"A: {first}", f"B: {second}", *_HEADING)),
        Text(inert_line(comparison.verdict, 400), style="bold"),
        Text("\n".join(_about(comparison))),
    ]
    if shown := _examples(comparison)[:_CHANGED]:
        heading = (f"{plural(comparison.changed_examples, 'example')} changed", "A", "B", "run of A", "run of B")
        rows = [(inert_line(words, 70), *cells) for words, *cells in shown]
        left = comparison.changed_examples - len(shown)
        more = f"\n{left} more: --report FILE.html shows up to 50." if left else ""
        hint = "\nTo see one side of an example: investigator show FOLDER RUN"
        blocks.append(Text.assemble(columns(rows, heading=heading, left=range(5)), more, hint))
    return Text("\n\n").join(blocks).append("\n")


def comparison_page(comparison: Comparison) -> str:
    """Return a comparison as a single self-contained HTML page, with known secrets redacted."""
    rows = sorted(comparison.rows.items(), key=lambda row: row[0] is not comparison.judged_by)
    page = pages_environment().get_template("comparison.html.j2")
    return redacted(
        page.render(
            comparison=comparison,
            rows=[_cells(measure, row) for measure, row in rows],
            about=_about(comparison),
            examples=_examples(comparison),
        )
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
    counts = (str(row.wins), str(row.losses), str(row.ties))
    return (measure.label, *means, str(apart.questions), f"{value} ({low} to {high})", p, *counts)


def _examples(comparison: Comparison) -> Sequence[tuple[str, ...]]:
    rows = []
    for example in comparison.examples:
        sides = (example.first, example.second)
        values = ("-" if (value := side.value(comparison.judged_by)) is None else f"{value:g}" for side in sides)
        statuses = (HEADLINES[side.status] if side.status else "Failed" for side in sides)
        outcomes = (f"{status}, {value}" for status, value in zip(statuses, values, strict=True))
        rows.append((example.words, *outcomes, *(side.run_id for side in sides)))
    return rows


def _about(comparison: Comparison) -> Sequence[str]:
    lines = []
    for letter, side in (("A", comparison.first), ("B", comparison.second)):
        engine = f" ({side.engine})" if side.engine else ""
        failed = f"; {plural(side.failures, 'question')} failed" if side.failures else ""
        apart = f"; repetitions up to {100 * side.spread:.1f} points apart" if side.spread is not None else ""
        lines.append(inert_line(f"{letter}: {side.name}{engine}; {expected_line(side.cost)}{failed}{apart}", 400))
    return [*lines, *filter(None, (comparison.notice, grounds_line(comparison.judged)))]
