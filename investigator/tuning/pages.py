"""Renders a comparison as a single self-contained HTML page, with the same design and safeguards as other reports."""

from __future__ import annotations

from dataclasses import dataclass

from investigator.evaluation.measures import Measure
from investigator.evaluation.rightness import grounds_line
from investigator.reports.html import pages_environment
from investigator.secrets import redacted
from investigator.tuning.comparison import Comparison, MeasureRow
from investigator.tuning.wording import example_cells, measure_cells, noise_lines, side_line

_WIDTH, _MIDDLE, _EDGE = 300.0, 150.0, 10.0  # size of a plot, in its own units


@dataclass(frozen=True)
class PlottedRow:
    """The cells of a measure's row, and the positions of its difference, interval, wins and losses in the plots
    (0..300).
    """

    cells: tuple[str, ...]
    decides: bool
    is_share: bool
    at: float
    low: float
    high: float
    won: float
    lost: float


def comparison_page(comparison: Comparison) -> str:
    """Return a comparison as a single self-contained HTML page, with known secrets redacted."""
    shares = [row.paired.difference for row in comparison.rows if isinstance(row.measure, Measure)]
    widest = max((max(abs(one.low), abs(one.high)) for one in shares), default=0.0) or 1.0
    page = (
        pages_environment()
        .get_template("comparison.html.j2")
        .render(
            comparison=comparison,
            rows=[_plotted(row, widest, decides=row.measure is comparison.judged_by) for row in _ordered(comparison)],
            scale=f"{100 * widest:.0f}",
            sides=(side_line("A", comparison.first), side_line("B", comparison.second)),
            noise=tuple(noise_lines(comparison)),
            judged=grounds_line(comparison.judged),
            examples=[(example, example_cells(example)) for example in comparison.examples],
        )
    )
    return redacted(page)


def _ordered(comparison: Comparison) -> list[MeasureRow]:
    """Return the rows, starting with the measure that decides."""
    return sorted(comparison.rows, key=lambda row: row.measure is not comparison.judged_by)


def _plotted(row: MeasureRow, widest: float, *, decides: bool) -> PlottedRow:
    apart, paired = row.paired.difference, row.paired

    def place(value: float) -> float:
        return round(_MIDDLE + value / widest * (_MIDDLE - _EDGE), 1)

    is_share, parts = isinstance(row.measure, Measure), max(1, row.questions)
    at, low, high = (place(v) if is_share else _MIDDLE for v in (apart.value, apart.low, apart.high))
    return PlottedRow(
        cells=measure_cells(row),
        decides=decides,
        is_share=is_share,
        at=at,
        low=low,
        high=high,
        won=round(_WIDTH * paired.wins / parts, 1),
        lost=round(_WIDTH * paired.losses / parts, 1),
    )
