"""Native charts of Office Open XML documents, as tables of their series (ECMA-376, part 1, 21.2)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from xml.etree.ElementTree import Element

from investigator.documents.readers.base import ReadFailure, cleaned
from investigator.documents.readers.builder import TextBuilder
from investigator.documents.readers.sheets.number_formats import shown_number
from investigator.documents.readers.zip_files import texts_of
from investigator.language.normalise import one_line
from investigator.records import FileStatus

_MOST_POINTS = 5_000
_MOST_SERIES = 250
_LABELS = ("cat", "xVal")
_VALUES = ("val", "yVal")
_SIZES = "bubbleSize"


def unread_charts(kinds: Iterable[str]) -> list[ReadFailure]:
    """Return the report of charts of the newer kind (waterfall, treemap, funnel), given the kinds of all relations."""
    count = sum(kind == "chartEx" for kind in kinds)
    what = "1 chart of a newer kind" if count == 1 else f"{count} charts of a newer kind"
    return [ReadFailure(FileStatus.UNSUPPORTED, f"{what} not read")] if count else []


def add_chart(builder: TextBuilder, root: Element) -> None:
    """Add a chart to a text: its caption, and a line for each category."""
    caption, table = chart_table(root)
    builder.paragraph(caption)
    builder.line()
    builder.grid(table)


def chart_table(root: Element) -> tuple[str, list[list[str]]]:
    """Return the caption of a chart and its table: a row for each category, a column for each series.

    The caption has the titles of the chart and of its axes. A chart without values gives a caption and no rows.
    """
    rows: dict[int, list[str]] = {}
    names: list[str] = []
    for series in islice(root.iter("ser"), _MOST_SERIES):
        points = {kind: _points(part) for part in series if (kind := part.tag) in (*_LABELS, *_VALUES, _SIZES)}
        labels = next((points[kind] for kind in _LABELS if kind in points), {})
        for kind in (*_VALUES, _SIZES):
            if kind not in points:
                continue
            name = " ".join(e.text or "" for part in series.iterfind("tx") for e in part.iter("v"))
            names.append(one_line(cleaned(name)) + (" (size)" if kind == _SIZES else ""))
            for index, value in points[kind].items():
                row = rows.setdefault(index, [labels.get(index, "")])
                row += [""] * (len(names) + 1 - len(row))
                row[0] = row[0] or labels.get(index, "")
                row[len(names)] = value
    titles = [text for title in root.iter("title") if (text := one_line(cleaned(texts_of(title, "t", "v"))))]
    caption = "chart: " + "; ".join(dict.fromkeys(titles)) if titles else "chart"
    if not rows:
        return f"{caption} (without values)", []
    width = len(names) + 1
    body = [[*row, *[""] * (width - len(row))] for _, row in sorted(rows.items())]
    return caption, [["category", *(name or f"series {n}" for n, name in enumerate(names, start=1))], *body]


def _points(part: Element) -> dict[int, str]:
    """Return the values of a series by their index, as their format shows them; several levels of labels are joined."""
    form = next((one_line(code.text or "") for code in part.iter("formatCode")), "")
    points: dict[int, list[str]] = {}
    for point in part.iter("pt"):
        index = point.get("idx", "")
        if index.isdecimal() and len(points) <= _MOST_POINTS:
            shown = shown_number(point.findtext("v", ""), point.get("formatCode", form))
            points.setdefault(int(index), []).insert(0, one_line(cleaned(shown)))
    return {index: " ".join(values) for index, values in points.items()}
