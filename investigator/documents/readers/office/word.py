"""Word documents (.docx): body, tables and text boxes in order, then notes, comments, headers and footers.

There are no page numbers: a .docx file does not record its page breaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import CoreProperties, Package, attribute, local_name, walk
from investigator.documents.readers.base import Extracted, ReaderSettings, SourceFile
from investigator.documents.readers.builder import TextBuilder
from investigator.documents.readers.table_pictures import named_table, pictured

_SKIPPED = frozenset({"Fallback", "moveFrom", "delText", "instrText", "pPrChange", "rPrChange", "sectPr"})
_PICTURE = "picture"
_LATER_PARTS = (
    r"word/footnotes\d*\.xml",
    r"word/endnotes\d*\.xml",
    r"word/comments\d*\.xml",
    r"word/header\d*\.xml",
    r"word/footer\d*\.xml",
)


def read_word(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a .docx, .docm or .dotx file; text marked as deleted is skipped, inserted text is kept."""
    with Package(source.data, settings) as package:
        relations = package.related("")
        main = next((part for kind, part in relations.values() if kind == "officeDocument"), "word/document.xml")
        levels = _heading_styles(package)
        builder = TextBuilder()
        body = package.tree(main)
        _add(builder, body, levels)
        pictures = dict.fromkeys(_pictured_tables(body))
        seen: set[str] = set()
        for pattern in _LATER_PARTS:
            for name in package.names(pattern):
                part = TextBuilder()
                _add(part, package.tree(name), {})
                if part.text and part.text not in seen:
                    seen.add(part.text)
                    builder.block()
                    builder.verbatim(part.text)
        properties = CoreProperties(package)
    return builder.extracted(
        title=properties.title, authors=properties.authors, date=properties.date, left_out=map(pictured, pictures)
    )


def _heading_styles(package: Package) -> dict[str, bool]:
    """Map each style id to True if its name, outline level or base style makes it a heading style."""
    if "word/styles.xml" not in package:
        return {}
    parents: dict[str, str] = {}
    heading: dict[str, bool] = {}
    for style in package.tree("word/styles.xml"):
        if local_name(style) != "style":
            continue
        identity = attribute(style, "styleId")
        for element in style.iter():
            kind, value = local_name(element), attribute(element, "val")
            if kind == "name" and (value.lower() == "title" or value.lower().startswith("heading ")):
                heading[identity] = True
            elif kind == "outlineLvl":
                heading[identity] = heading.get(identity, False) or value in "012345678"
            elif kind == "basedOn":
                parents[identity] = value
    for identity in parents:
        chain, style_id = {identity}, identity
        while style_id not in heading and style_id in parents and parents[style_id] not in chain:
            style_id = parents[style_id]
            chain.add(style_id)
        heading.setdefault(identity, heading.get(style_id, False))
    return heading


def _add(builder: TextBuilder, root: ElementTree.Element, heading_styles: dict[str, bool]) -> None:
    open_heading = named = False
    merged: dict[int, int] = {}
    for begins, element in walk(root, _SKIPPED):
        name = local_name(element)
        if name == "p":
            if begins:
                open_heading = _is_heading(element, heading_styles)
                builder.begin_heading() if open_heading else builder.block()
            else:
                builder.end_heading() if open_heading else builder.block()
                open_heading = False
        elif name in ("tbl", "tblLook") and begins:
            named = _first_row_differs(element)
            merged |= _merged_down(element)
        elif name == "r":
            builder.raised(begins and _is_raised(element))
        elif name in ("tr", "tc"):
            columns = _grid_span(element) if name == "tc" else 1
            builder.row_or_cell(name, begins, header=named, columns=columns, rows=merged.get(id(element), 1))
        elif begins:
            _inline(builder, name, element)


def _first_row_differs(look: ElementTree.Element) -> bool:
    """Return True if the style options of a table (`tblLook`) mark its first row as a header row."""
    if first_row := attribute(look, "firstRow"):
        return first_row in ("1", "true", "on")
    value = attribute(look, "val")
    return bool(re.fullmatch("[0-9A-Fa-f]{4}", value)) and bool(int(value, 16) & 0x20)


def _merged_down(table: ElementTree.Element) -> dict[int, int]:
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
            column += _grid_span(cell)
        above = begun
    return rows


def _grid_span(cell: ElementTree.Element) -> int:
    """Return the number of grid columns that a cell spans."""
    for properties in cell:
        if local_name(properties) == "tcPr":
            values = [attribute(one, "val") for one in properties if local_name(one) == "gridSpan"]
            return int(values[0]) if values and values[0].isascii() and values[0].isdigit() else 1
    return 1


def _is_heading(paragraph: ElementTree.Element, heading_styles: dict[str, bool]) -> bool:
    for properties in paragraph:
        if local_name(properties) == "pPr":
            for element in properties:
                if local_name(element) == "pStyle" and heading_styles.get(attribute(element, "val"), False):
                    return True
                if local_name(element) == "outlineLvl" and attribute(element, "val") in tuple("012345678"):
                    return True
    return False


def _pictured_tables(document: ElementTree.Element) -> Iterator[str]:
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


def _is_raised(run: ElementTree.Element) -> bool:
    return any(attribute(one, "val") == "superscript" for one in run.findall("./{*}rPr/{*}vertAlign"))


def _inline(builder: TextBuilder, name: str, element: ElementTree.Element) -> None:
    if name == "t":
        builder.verbatim(element.text or "")
    elif name == "tab":
        builder.words(" ")
    elif name in ("br", "cr"):
        builder.line()
    elif name == "noBreakHyphen":
        builder.verbatim("-")
