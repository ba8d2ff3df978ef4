"""Shows the plan and the outcome of a tuning run as terminal text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from investigator.asking.lock import LOCK_NAME
from investigator.evaluation.rightness import grounds_line
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.wording import expected_line, plural
from investigator.tuning.records import Ending, Fate, Headroom, TuningPlan, TuningReport
from investigator.tuning.winner import DIFF, PAGE, PROMPTS, REPORT, SETTINGS
from investigator.tuning.wording import comparison_text

_SHOWN = 20
_ENDINGS = {
    Ending.ADOPTED: "A better candidate was found and confirmed.",
    Ending.NOTHING_TO_GAIN: "Nothing can be gained.",
    Ending.NONE_TRIED: "No candidate could be tried.",
    Ending.NO_CANDIDATE: "No candidate is better.",
    Ending.NOT_PROVEN: "No candidate is better.",
    Ending.GUARD_FELL: "No candidate is better.",
    Ending.CEILING: "Stopped at the ceiling.",
}


def plan_lines(plan: TuningPlan) -> Iterator[str]:
    """Yield the input and the limits of a search."""
    yield f"questions: {plan.reflect} for reflection, {plan.select} for selection, {plan.test} for a single test"
    if plan.left_out:
        yield f"{plan.left_out:,} questions of the file are not used"
    if judged := grounds_line(plan.judged):
        yield judged
    made = "as many as the proposer creates" if plan.candidates is None else f"{plan.candidates:,}"
    yield f"candidates: {made}; this test cannot show a difference below {100 * plan.shows:.0f} points"
    money = "no known price" if plan.unpriced else f"${plan.money:.2f}"
    minutes = (
        "duration unknown before the first calls"
        if plan.minutes is None
        else plural(max(1, round(plan.minutes)), "minute")
    )
    yield f"expected: {plan.trials:,} trials, {plan.calls:,} calls, {plan.tokens:,} tokens, {money}, {minutes}"
    limits = [f"{plan.max_calls:,} calls"] if plan.max_calls is not None else []
    limits += [f"${plan.max_money:g}"] if plan.max_money is not None else []
    yield f"ceiling: {', '.join(limits) or 'none'}, across all processes"
    if plan.openings:
        yield f"this data was used for {plan.openings} earlier tests, so the test is stricter"


def tuning_text(report: TuningReport) -> Text:
    """Return the outcome of a tuning run, with its candidates and its test; ends with a newline."""
    result = report.result
    blocks = [Text(_ENDINGS[result.ending] + " " + inert_line(result.reason, 500), style="bold")]
    if result.headroom is not None:
        blocks.append(Text(_headroom_line(result.headroom)))
    if result.tried:
        blocks.append(_tried(report))
    if result.test is not None:
        blocks.append(comparison_text(result.test))
    blocks.append(Text("\n".join(_left(report))))
    return Text("\n\n").join(blocks).append("\n")


def _headroom_line(headroom: Headroom) -> str:
    score, noise = headroom.score, headroom.noise
    parsed = f"; {100 * headroom.parsed:.0f} % of the replies could be read" if headroom.parsed is not None else ""
    apart = f"; {headroom.repetitions} repetitions up to {100 * noise.spread:.0f} points apart" if noise else ""
    failed = f"; {plural(headroom.failures, 'question')} failed" if headroom.failures else ""
    return (
        f"Baseline on {plural(headroom.questions, 'question')}: {100 * score.value:.0f} % "
        f"({100 * score.low:.0f} to {100 * score.high:.0f}){parsed}{apart}{failed}."
    )


def _tried(report: TuningReport) -> Text:
    result = report.result
    best = sorted(result.tried, key=lambda one: (-one.questions, -(one.score or 0)))
    rows = [
        (
            inert_line(one.name, 60),
            one.fate.words,
            str(one.questions or "-"),
            _percent(one.baseline),
            _percent(one.score),
            inert_line(one.reason, 90),
        )
        for one in best[:_SHOWN]
    ]
    counts = ", ".join(f"{fate.words} {n}" for fate in Fate if (n := result.count(fate)))
    table = columns(rows, heading=("candidate", "fate", "n", "baseline", "score", "why"), left=(0, 1, 5))
    more = f"\n{len(best) - _SHOWN} more in {REPORT}" if len(best) > _SHOWN else ""
    return Text.assemble(table, more, f"\n{plural(len(best), 'candidate')}: {counts}")


def _left(report: TuningReport) -> Iterator[str]:
    yield f"Used: {expected_line(report.usage)}"
    winner = report.result.winner
    if winner is None:
        return
    if winner.templates:
        yield inert_line(f"Use it with: --prompts {report.folder}/{PROMPTS} (lock: {LOCK_NAME}; changes: {DIFF})", 400)
    if winner.settings:
        sets = " ".join(f"--set {one}" for one in winner.settings)
        yield inert_line(f"Use it with: --settings {report.folder}/{SETTINGS}, or {sets}", 400)
    yield f"Test report: {PAGE}; full results: {REPORT}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
