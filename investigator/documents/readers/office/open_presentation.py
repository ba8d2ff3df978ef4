"""OpenDocument presentations (.odp): one page per slide, with its notes and comments."""

from __future__ import annotations

from xml.etree import ElementTree

from investigator.documents.readers.archives.package import OpenProperties, Package, attribute, local_name, walk
from investigator.documents.readers.base import (
    Extracted,
    HiddenText,
    ReaderSettings,
    SourceFile,
    hidden_parts,
)
from investigator.documents.readers.builder import TextBuilder, spanned
from investigator.documents.readers.sheets.open_document import comment, hidden_styles

_SKIPPED = frozenset({"page-thumbnail", "annotation", "forms", "date", "creator"})
_TITLE = "title"


def read_open_presentation(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a presentation; hidden slides are left out and counted, or marked. Raises ReadFailure."""
    with Package(source.data, settings) as package:
        root = package.tree("content.xml")
        properties = OpenProperties(package)
    styles = hidden_styles(root, "visibility", "hidden")
    builder, hidden, marks = TextBuilder(), 0, settings.hidden is HiddenText.MARK
    for number, slide in enumerate((e for e in root.iter() if _is_slide(e)), start=1):
        is_hidden = attribute(slide, "style-name") in styles
        hidden += is_hidden
        if is_hidden and not marks:
            continue
        builder.begin_page(number)
        part = TextBuilder() if is_hidden else builder
        _add(part, slide)
        for note in (e for e in slide.iter() if local_name(e) == "annotation"):
            part.block()
            part.verbatim(comment(note))
        if is_hidden:
            builder.hidden(part)
    builder.end_page()
    return builder.extracted(
        title=properties.title,
        authors=properties.authors,
        date=properties.date,
        left_out=hidden_parts(settings.hidden, {"slide": hidden}),
    )


def _is_slide(element: ElementTree.Element) -> bool:
    return local_name(element) == "page" and "drawing" in element.tag


def _add(builder: TextBuilder, slide: ElementTree.Element) -> None:
    for begins, element in walk(slide, _SKIPPED):
        name = local_name(element)
        if name == "frame" and attribute(element, "class") == _TITLE:
            builder.begin_heading() if begins else builder.end_heading()
        elif name == "table-row":
            builder.begin_row() if begins else builder.end_row()
        elif name in ("table-cell", "covered-table-cell"):
            _cell(builder, element, begins=begins)
        elif name in ("p", "h"):
            builder.line()
        elif name == "notes":
            builder.block()
        elif name in ("s", "tab", "line-break"):
            builder.words(" ")
        if begins and name in ("p", "h", "span", "a"):
            builder.words(element.text or "")
        elif not begins and name in ("span", "a", "s", "tab", "line-break"):
            builder.words(element.tail or "")


def _cell(builder: TextBuilder, cell: ElementTree.Element, *, begins: bool) -> None:
    if not begins:
        builder.end_cell()
    elif local_name(cell) == "table-cell":
        rows, columns = attribute(cell, "number-rows-spanned"), attribute(cell, "number-columns-spanned")
        builder.begin_cell(rows=spanned(rows), columns=spanned(columns))
