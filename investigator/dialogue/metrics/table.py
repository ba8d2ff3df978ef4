"""A report as a text table."""

from __future__ import annotations

from investigator.dialogue.metrics.values import Metric, Report

_TOGETHER = ""  # what stands before the slash in the name of a figure of no single task


def report_table(report: Report, digits: int = 4) -> str:
    """The figures to so many significant digits: a row for all tasks, one for each task, a column for each metric.

    Rows and columns stand in the order in which the report has them; a metric that a task lacks is left blank.
    An empty report gives an empty text.
    """
    rows: dict[str, dict[str, str]] = {_TOGETHER: {}}
    for key, metric in report.items():
        task, _, name = key.rpartition("/")
        rows.setdefault(task, {})[name] = _shown(metric, digits)
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    if not columns:
        return ""
    several = len(rows) > 1
    head = ["", *columns] if several else columns
    body = [[task or "all", *(row.get(name, "") for name in columns)] for task, row in rows.items() if row]
    return _aligned([head, *(line if several else line[1:] for line in body)], leading=several)


def _shown(metric: Metric, digits: int) -> str:
    """Whole numbers and large ones without an exponent: a count is not rounded."""
    value = float(metric.value())
    if value.is_integer() or 10**digits <= abs(value) < float("inf"):
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


def _aligned(lines: list[list[str]], leading: bool) -> str:
    """Columns two spaces apart, figures to the right and the names of tasks to the left."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if leading and place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
