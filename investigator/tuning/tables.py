"""Shows a comparison as terminal text and as a self-contained HTML page, and the plan and outcome of a tuning run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from investigator.asking.lock import LOCK_NAME
from investigator.evaluation.measures import Cost, Measure
from investigator.evaluation.scoring import grounds_line
from investigator.reports.columns import columns
from investigator.reports.html import pages_environment
from investigator.reports.inert import inert_line
from investigator.reports.wording import HEADLINES, expected_line, plural
from investigator.secrets import redacted
from investigator.tuning.comparison import ChangedExample, ComparedSide, Comparison, MeasureRow
from investigator.tuning.plan import TuningPlan, TuningReport
from investigator.tuning.search import Ending

_CHANGED, _TRIED = 10, 20  # maximum numbers of rows shown; the page and the JSON show all that are stored
_HEADING = ("n", "difference (95 %)", "p", "wins", "losses", "ties")
_ENDINGS = {
    Ending.ADOPTED: "A better candidate was found and confirmed.",
    Ending.NOTHING_TO_GAIN: "Nothing can be gained.",
    Ending.NONE_TRIED: "No candidate could be tried.",
    Ending.CEILING: "Stopped at the ceiling.",
}


def comparison_text(comparison: Comparison) -> Text:
    """Return the table of measures, the verdict, the cost and the changed examples; ends with a newline."""
    first, second = (inert_line(side.name, 28) for side in (comparison.first, comparison.second))
    table = columns(
        [_cells(row) for row in comparison.rows], heading=("measure", f"A: {first}", f"B: {second}", *_HEADING)
    )
    blocks = [table, Text(inert_line(comparison.verdict, 400), style="bold"), Text("\n".join(_about(comparison)))]
    if shown := comparison.examples[:_CHANGED]:
        heading = (f"{plural(comparison.examples_in_all, 'example')} changed", "A", "B", "run of A", "run of B")
        rows = [(inert_line(example.words, 70), *_example(example)) for example in shown]
        left = comparison.examples_in_all - len(shown)
        more = f"\n{left} more: --report FILE.html shows up to 50." if left else ""
        hint = "\nTo see one side of an example: investigator show RUN FOLDER"
        blocks.append(Text.assemble(columns(rows, heading=heading, left=range(5)), more, hint))
    return Text("\n\n").join(blocks).append("\n")


def comparison_page(comparison: Comparison) -> str:
    """Return a comparison as a single self-contained HTML page, with known secrets redacted."""
    rows = sorted(comparison.rows, key=lambda row: row.measure is not comparison.judged_by)
    shares = [row.paired.difference for row in rows if isinstance(row.measure, Measure)]
    page = pages_environment().get_template("comparison.html.j2")
    return redacted(
        page.render(
            comparison=comparison,
            rows=[(row, _cells(row), isinstance(row.measure, Measure)) for row in rows],
            widest=max((max(abs(one.low), abs(one.high)) for one in shares), default=0.0) or 1.0,
            about=tuple(_about(comparison)),
            examples=[(example.words, _example(example)) for example in comparison.examples],
        )
    )


def plan_lines(plan: TuningPlan) -> Iterator[str]:
    """Yield the input and the limits of a search."""
    yield f"questions: {plan.reflect} for reflection, {plan.select} for selection, {plan.test} for a single test"
    if plan.left_out:
        yield f"{plan.left_out:,} questions of the file are not used"
    if judged := grounds_line(plan.judged):
        yield judged
    made = "as many as the proposer creates" if plan.candidates is None else f"{plan.candidates:,}"
    yield f"candidates: {made}; this test cannot show a difference below {100 * plan.shows:.0f} points"
    minutes = plural(max(1, round(plan.minutes or 0)), "minute")
    duration = "duration unknown before the first calls" if plan.minutes is None else minutes
    price = " (some without a known price)" if plan.expected.unpriced else ""
    yield f"expected: {plan.trials:,} trials, {expected_line(plan.expected)}{price}, {duration}"
    limits = [f"{plan.max_calls:,} calls"] if plan.max_calls is not None else []
    limits += [f"${plan.max_money:g}"] if plan.max_money is not None else []
    yield f"ceiling: {', '.join(limits) or 'none'}, across all processes"
    if plan.openings:
        yield f"this data was used for {plan.openings} earlier tests, so the test is stricter"


def tuning_text(report: TuningReport) -> Text:
    """Return the outcome of a tuning run, with its candidates and its test; ends with a newline."""
    result = report.result
    ending = _ENDINGS.get(result.ending, "No candidate is better.")
    blocks = [Text(f"{ending} {inert_line(result.reason, 500)}", style="bold")]
    if score := result.baseline:
        low, high = 100 * score.low, 100 * score.high
        share = f"{100 * score.value:.0f} % ({low:.0f} to {high:.0f})"
        blocks.append(Text(f"Baseline on {plural(score.questions, 'question')}: {share}."))
    if result.tried:
        blocks.append(_tried(report))
    if result.test is not None:
        blocks.append(comparison_text(result.test))
    lines = [f"Used: {expected_line(report.usage)}"]
    if winner := result.winner:
        if winner.templates:
            lines.append(f"Use it with: --prompts {report.folder}/prompts (lock: {LOCK_NAME}; changes: winner.diff)")
        if winner.settings:
            changes = " ".join(f"--set {one}" for one in winner.settings)
            lines.append(f"Use it with: --settings {report.folder}/settings.json, or {changes}")
        lines.append("Test report: test.html; full results: report.json")
    blocks.append(Text("\n".join(inert_line(line, 400) for line in lines)))
    return Text("\n\n").join(blocks).append("\n")


def _tried(report: TuningReport) -> Text:
    best = sorted(report.result.tried, key=lambda one: (-one.questions, -(one.score or 0)))
    rows = [
        (
            inert_line(one.name, 60),
            one.fate.words,
            str(one.questions or "-"),
            *("-" if value is None else f"{100 * value:.1f} %" for value in (one.baseline, one.score)),
            inert_line(one.reason, 90),
        )
        for one in best[:_TRIED]
    ]
    table = columns(rows, heading=("candidate", "fate", "n", "baseline", "score", "why"), left=(0, 1, 5))
    more = f"\n{len(best) - _TRIED} more in report.json" if len(best) > _TRIED else ""
    counts = ", ".join(f"{fate.words} {count}" for fate, count in Counter(one.fate for one in best).items())
    return Text.assemble(table, more, f"\n{plural(len(best), 'candidate')}: {counts}")


def _cells(row: MeasureRow) -> Sequence[str]:
    """Return the cells of a measure's row: name, both means, questions, difference, p, wins, losses, ties."""
    paired, apart = row.paired, row.paired.difference
    factor, digits, unit = (100, 1, " %") if isinstance(row.measure, Measure) else (1, 1, "")
    digits = 4 if row.measure is Cost.MONEY else digits
    means = (f"{factor * value:,.{digits}f}{unit}" for value in (paired.first, paired.second))
    value, low, high = (f"{factor * one:+,.{digits}f}" for one in (apart.value, apart.low, apart.high))
    p = "< 0.001" if paired.p < 0.001 else f"{paired.p:.3f}"
    counts = (str(paired.wins), str(paired.losses), str(paired.ties))
    return (row.measure.label, *means, str(row.questions), f"{value} ({low} to {high})", p, *counts)


def _example(example: ChangedExample) -> Sequence[str]:
    """Return an example's outcomes on both sides, with their runs."""
    sides = (example.first, example.second)
    words = (
        f"{HEADLINES[side.status] if side.status else 'Failed'}, {'-' if side.value is None else f'{side.value:g}'}"
        for side in sides
    )
    return (*words, *(side.run_id for side in sides))


def _about(comparison: Comparison) -> Iterator[str]:
    """Yield the setup and the cost of each side, its noise, and what answers are judged by."""
    for letter, side in (("A", comparison.first), ("B", comparison.second)):
        yield inert_line(f"{letter}: {_side(side)}", 400)
    if judged := grounds_line(comparison.judged):
        yield judged


def _side(side: ComparedSide) -> str:
    engine = f" ({side.engine})" if side.engine else ""
    failed = f"; {plural(side.failures, 'question')} failed" if side.failures else ""
    apart = f"; repetitions up to {100 * side.spread:.1f} points apart" if side.spread is not None else ""
    return f"{side.name}{engine}; {expected_line(side.cost)}{failed}{apart}"
