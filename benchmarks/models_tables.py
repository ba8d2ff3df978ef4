"""The tables that `models.py` prints. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import mean

import numpy as np
from models_rows import Row, Side
from scipy.stats import binomtest

_HIGH = 90


def share(hits: int, total: int) -> str:
    """Return "9 of 14 (0.64, 0.39 to 0.84)", with the Wilson interval of 95 %; "-" without a total."""
    if not total:
        return "-"
    interval = binomtest(hits, total).proportion_ci(method="wilson")
    return f"{hits} of {total} ({hits / total:.2f}, {interval.low:.2f} to {interval.high:.2f})"


def spread(values: Sequence[float]) -> str:
    """Return "4.6 (7.0)": the mean, and the value that 90 % of the questions do not exceed; "-" without values."""
    return f"{mean(values):,.1f} ({np.percentile(values, _HIGH):,.1f})" if values else "-"


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; the first line is its head."""
    head, *others = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *others))


def table(rows: Sequence[Row]) -> str:
    """Return the figures of each group and side, in columns."""
    columns = list(dict.fromkeys((row.group, row.side) for row in rows))
    own = {column: [row for row in rows if (row.group, row.side) == column] for column in columns}
    lines = [["", *(f"{group}: {side}" for group, side in columns)]]
    lines += [[label, *(figure(own[column]) for column in columns)] for label, figure in _FIGURES.items()]
    return markdown([line for line in lines if set(line[1:]) != {"-"}])


def documents_table(rows: Sequence[Row]) -> str:
    """Return which documents the answers to questions of a survey name, for each side."""
    head = [
        "questions about every document",
        "questions",
        "right documents that are named",
        "named documents that are right",
        "all right ones and no others",
    ]
    return markdown([head, *(_documents_line(side, rows) for side in Side if any(row.side is side for row in rows))])


def _documents_line(side: Side, rows: Sequence[Row]) -> list[str]:
    own = [row for row in rows if row.side is side and not row.failure]
    right = [set(row.right_documents) & set(row.documents) for row in own]
    whole = sum(set(row.right_documents) == set(row.documents) for row in own)
    hits = sum(map(len, right))
    return [
        side,
        str(len(own)),
        share(hits, sum(len(row.right_documents) for row in own)),
        share(hits, sum(len(row.documents) for row in own)),
        share(whole, len(own)),
    ]


def left_to_judge(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the answers that a person must judge: called answered, but no known short answer was found in them."""
    yield from (row for row in rows if row.answerable and row.is_answered and row.is_right is None)


def _counted(chosen: Callable[[Row], bool], of: Callable[[Row], bool]) -> Callable[[Sequence[Row]], str]:
    def figure(rows: Sequence[Row]) -> str:
        among = [row for row in rows if not row.failure and of(row)]
        return share(sum(map(chosen, among)), len(among))

    return figure


def _spread(value: Callable[[Row], float]) -> Callable[[Sequence[Row]], str]:
    return lambda rows: spread([value(row) for row in rows if not row.failure])


def _total(value: Callable[[Row], int], of: Callable[[Row], int]) -> Callable[[Sequence[Row]], str]:
    return lambda rows: f"{sum(map(value, rows))} of {total}" if (total := sum(map(of, rows))) else "-"


def _answerable(row: Row) -> bool:
    return row.answerable


def _unanswerable(row: Row) -> bool:
    return not row.answerable


def _is_shown(row: Row) -> bool:
    return not row.is_answered and not row.is_silent


_FIGURES: dict[str, Callable[[Sequence[Row]], str]] = {
    "questions": lambda rows: str(len(rows)),
    "failed": lambda rows: str(sum(bool(row.failure) for row in rows)),
    "answerable: called answered": _counted(lambda row: row.is_answered, _answerable),
    "- and right, by the known answer": _counted(lambda row: row.is_answered and row.is_right is True, _answerable),
    "- and left to the judge": _counted(lambda row: row.is_answered and row.is_right is None, _answerable),
    "- answered in part, or passages": _counted(_is_shown, _answerable),
    "- silent, wrongly": _counted(lambda row: row.is_silent, _answerable),
    "unanswerable: called answered": _counted(lambda row: row.is_answered, _unanswerable),
    "- in part, or passages": _counted(_is_shown, _unanswerable),
    "- silent, rightly": _counted(lambda row: row.is_silent, _unanswerable),
    "statements withheld": _total(lambda row: len(row.withheld), lambda row: len(row.statements) + len(row.withheld)),
    "statements shown without full support": _total(lambda row: row.unsupported, lambda row: len(row.statements)),
    "quotes that stand in the documents": _total(lambda row: row.standing, lambda row: row.quotes),
    "rounds": _spread(lambda row: row.rounds),
    "calls, mean (90 %)": _spread(lambda row: row.calls),
    "tokens, mean (90 %)": _spread(lambda row: row.tokens),
    "seconds, mean (90 %)": _spread(lambda row: row.seconds),
}
