"""Finds merged cells, header rows and pictured tables of a Word document. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import attribute, local_name
from investigator.documents.readers.table_pictures import named_table

_PICTURE = "picture"


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
    for row in (one for one in table if local_name(one) == "tr"):
        column, begun = 0, dict[int, int]()
        for cell in (one for one in row if local_name(one) == "tc"):
            merge = next((one for one in cell.findall("./{*}tcPr/{*}vMerge")), None)
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
            values = [attribute(one, "val") for one in properties if local_name(one) == "gridSpan"]
            return int(values[0]) if values and values[0].isascii() and values[0].isdigit() else 1
    return 1


def pictured_tables(document: ElementTree.Element) -> Iterator[str]:
    """Yield the names of tables that are pictures: taken from the caption above or below, or from the description."""
    blocks = [
        block for body in document if local_name(body) == "body" for element in body if (block := _block(element))
    ]
    for before, (kind, text), after in zip([("", ""), *blocks], blocks, [*blocks[1:], ("", "")], strict=False):
        name = named_table(text)
        if name and (kind == _PICTURE or after[0] == _PICTURE or (before[0] == _PICTURE and after[0] != "tbl")):
            yield name


def _block(element: ElementTree.Element) -> tuple[str, str] | None:
    """Return the kind of a paragraph or table, and its text; None if it is empty."""
    kind = local_name(element)
    if kind == "tbl":
        return kind, ""
    words = "".join(one.text or "" for one in element.iter() if local_name(one) == "t")
    if any(local_name(one) in ("blip", "imagedata") for one in element.iter()):
        described = (attribute(one, "descr") for one in element.iter() if local_name(one) == "docPr")
        return _PICTURE, words or next(described, "")
    return (kind, words) if words.strip() else None
