"""Formats comparisons as text in columns for a terminal. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from investigator.evaluation.measures import Measure
from investigator.evaluation.rightness import grounds_line
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.wording import HEADLINES, expected_line, plural
from investigator.tuning.comparison import ChangedExample, ComparedSide, Comparison, MeasureRow
from investigator.tuning.trials import Cost

_SHOWN = 10  # maximum number of changed examples shown here; the HTML page shows all that are stored
_NAME, _QUESTION = 28, 70
_HEADING = ("n", "difference (95 %)", "p", "wins", "losses", "ties")


def comparison_text(comparison: Comparison) -> Text:
    """Return the table of measures, the verdict, the cost and the changed examples; ends with a newline."""
    first, second = (inert_line(side.name, _NAME) for side in (comparison.first, comparison.second))
    rows = [measure_cells(row) for row in comparison.rows]
    table = columns(rows, heading=("measure", f"A: {first}", f"B: {second}", *_HEADING))
    blocks = [table, Text(inert_line(comparison.verdict, 400), style="bold"), Text("\n".join(_about(comparison)))]
    if comparison.examples:
        blocks.append(_examples(comparison))
    return Text("\n\n").join(blocks).append("\n")


def measure_cells(row: MeasureRow) -> tuple[str, ...]:
    """Return the cells of a measure's row: name, both means, questions, difference, p, wins, losses, ties."""
    paired, apart = row.paired, row.paired.difference
    if isinstance(row.measure, Measure):
        means = (f"{100 * paired.first:.1f} %", f"{100 * paired.second:.1f} %")
        difference = f"{100 * apart.value:+.1f} ({100 * apart.low:+.1f} to {100 * apart.high:+.1f})"
    else:
        digits = 4 if row.measure is Cost.MONEY else 1
        means = (f"{paired.first:,.{digits}f}", f"{paired.second:,.{digits}f}")
        difference = f"{apart.value:+,.{digits}f} ({apart.low:+,.{digits}f} to {apart.high:+,.{digits}f})"
    counts = (str(paired.wins), str(paired.losses), str(paired.ties))
    return (row.measure.label, *means, str(row.questions), difference, p_words(paired.p), *counts)


def p_words(p: float) -> str:
    """Return a probability in its usual notation."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def side_line(letter: str, side: ComparedSide) -> str:
    """Return a line about one side: its setup, its cost, and the number of failed questions."""
    failed = f"; {plural(side.failures, 'question')} failed" if side.failures else ""
    engine = f" ({side.engine})" if side.engine else ""
    return inert_line(f"{letter}: {side.name}{engine}; {expected_line(side.cost)}{failed}", 400)


def noise_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the spread of each side's repetitions."""
    for row in comparison.noise:
        yield inert_line(
            f"Noise of {row.side} over {row.repetitions} repetitions: means up to {100 * row.spread:.1f} points apart, "
            f"{100 * row.moved:.0f} % of the questions differ between repetitions.",
            400,
        )


def example_cells(example: ChangedExample) -> tuple[str, ...]:
    """Return an example's outcomes on both sides, with their runs."""
    sides = ((example.first, example.first_status), (example.second, example.second_status))
    told = (
        f"{HEADLINES[status] if status else 'Failed'}, {'-' if value is None else f'{value:g}'}"
        for value, status in sides
    )
    return (*told, example.first_run, example.second_run)


def _about(comparison: Comparison) -> Iterator[str]:
    yield side_line("A", comparison.first)
    yield side_line("B", comparison.second)
    yield from noise_lines(comparison)
    if judged := grounds_line(comparison.judged):
        yield judged


def _examples(comparison: Comparison) -> Text:
    shown = comparison.examples[:_SHOWN]
    rows = [(inert_line(one.words, _QUESTION), *example_cells(one)) for one in shown]
    heading = (f"{plural(comparison.examples_in_all, 'example')} changed", "A", "B", "run of A", "run of B")
    left = comparison.examples_in_all - len(shown)
    table = columns(rows, heading=heading, left=range(5))
    more = f"\n{left} more: --report FILE.html shows up to 50." if left else ""
    return Text.assemble(table, more, "\nTo see one side of an example: investigator show RUN FOLDER")
