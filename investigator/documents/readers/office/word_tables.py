"""Finds merged cells and header rows of a Word document. Pure."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import attribute, local_name


def first_row_differs(look: ElementTree.Element) -> bool:
    """Return True if the style options of a table (`tblLook`) mark its first row as a header row."""
    if first_row := attribute(look, "firstRow"):
        return first_row in ("1", "true", "on")
    value = attribute(look, "val")
    return bool(re.fullmatch("[0-9A-Fa-f]{4}", value)) and bool(int(value, 16) & 0x20)


def merged_down(table: ElementTree.Element) -> dict[int, int]:
    """Return the number of rows that each merged cell spans, keyed by `id()`; 0 for a cell that belongs to the cell
    above.
    """
    rows: dict[int, int] = {}
    above: dict[int, int] = {}  # the cell that starts a merge, keyed by column
    for row in (child for child in table if local_name(child) == "tr"):
        column, begun = 0, dict[int, int]()
        for cell in (child for child in row if local_name(child) == "tc"):
            merge = next((mark for mark in cell.findall("./{*}tcPr/{*}vMerge")), None)
            if merge is not None:
                goes_on = attribute(merge, "val") in ("", "continue") and column in above
                begun[column] = above[column] if goes_on else id(cell)
                rows[id(cell)] = 0
                rows[begun[column]] += 1
            column += grid_span(cell)
        above = begun
    return rows


def grid_span(cell: ElementTree.Element) -> int:
    """Return the number of grid columns that a cell spans."""
    for properties in cell:
        if local_name(properties) == "tcPr":
            values = [attribute(child, "val") for child in properties if local_name(child) == "gridSpan"]
            return int(values[0]) if values and values[0].isascii() and values[0].isdigit() else 1
    return 1
