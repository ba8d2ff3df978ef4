"""Presentations, PowerPoint (.pptx) and OpenDocument (.odp): one page per slide, with its notes and comments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from xml.etree.ElementTree import Element

from investigator.documents.readers.base import (
    Extracted,
    HiddenText,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    cleaned,
    comment_line,
    hidden_parts,
)
from investigator.documents.readers.builder import TextBuilder
from investigator.documents.readers.numerals import whole_number
from investigator.documents.readers.pictures.picture import embedded_texts
from investigator.documents.readers.sheets.charts import add_chart, unread_charts
from investigator.documents.readers.sheets.open_document import comment, hidden_styles
from investigator.documents.readers.zip_files import Package, walk
from investigator.language.normalise import one_line

_SKIPPED = frozenset({"Fallback", "extLst"})
_MAIN = "ppt/presentation.xml"
_FURNITURE = frozenset({"sldNum", "dt", "sldImg"})
_TRUE = ("1", "true")
_AUTHORS = r"ppt/(?:commentAuthors|authors)\d*\.xml"
_SKIPPED_IN_OPEN = frozenset({"page-thumbnail", "annotation", "forms", "date", "creator"})


def read_slides(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a .pptx, .pptm or .ppsx file: the slides' shapes, tables and charts in file order, then their notes,
    comments and the texts of their pictures. Hidden slides are left out and counted, or marked. Raises ReadFailure.
    """
    builder, shown = TextBuilder(), list[str]()
    with Package(source.data, settings) as package:
        authors = _authors(package)
        trees = ((name, package.tree(name)) for name in _slides(package))
        slides = (
            (root.get("show") in ("0", "false"), partial(_add_slide, package, name, root, authors, shown))
            for name, root in trees
        )
        hidden = _added(builder, slides, settings.hidden)
        images = dict.fromkeys(part for name in shown for part in package.present(name, "image"))
        texts, unread = embedded_texts(map(package.read, images), settings)
        for text in texts:
            builder.paragraph(text)
        charts = unread_charts(kind for name in shown for kind, _ in package.related(name).values())
        properties = package.properties()
    if properties.title.lower() == "powerpoint presentation":
        properties = properties._replace(title="")
    return builder.extracted(*properties, left_out=(*hidden, *unread, *charts))


def read_open_presentation(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads an .odp file; hidden slides are left out and counted, or marked. Raises ReadFailure."""
    with Package(source.data, settings) as package:
        root, properties = package.tree("content.xml"), package.properties()
    styles, builder = hidden_styles(root, "visibility", "hidden"), TextBuilder()
    slides = ((slide.get("style-name") in styles, partial(_add_open_slide, slide)) for slide in root.iter("page"))
    return builder.extracted(*properties, left_out=_added(builder, slides, settings.hidden))


def _added(
    builder: TextBuilder, slides: Iterable[tuple[bool, Callable[[TextBuilder], None]]], hidden: HiddenText
) -> list[ReadFailure]:
    """Add slides, given by whether each is hidden and a function that adds it; return the report of those not read."""
    count = 0
    for number, (is_hidden, add) in enumerate(slides, start=1):
        count += is_hidden
        if is_hidden and hidden is not HiddenText.MARK:
            continue
        builder.begin_page(number)
        part = TextBuilder() if is_hidden else builder
        add(part)
        if is_hidden:
            builder.hidden(part)
    builder.end_page()
    return hidden_parts(hidden, {"slide": count})


def _add_slide(
    package: Package, name: str, root: Element, authors: Mapping[str, str], shown: list[str], builder: TextBuilder
) -> None:
    shown.append(name)
    related = {identity: own for identity, own in package.related(name).items() if own[1] in package}
    charts = {identity: package.tree(part) for identity, (kind, part) in related.items() if kind == "chart"}
    _add(builder, root, charts)
    for kind, part in sorted(related.values()):
        if kind in ("diagramData", "notesSlide"):
            builder.block()
            _add(builder, package.tree(part), {})
        elif kind == "comments":
            _add_comments(builder, package.tree(part), authors)


def _authors(package: Package) -> dict[str, str]:
    return {
        author.get("id", ""): one_line(cleaned(author.get("name", "")))
        for name in package.names(_AUTHORS)
        for author in package.tree(name)
    }


def _add_comments(builder: TextBuilder, root: Element, authors: Mapping[str, str]) -> None:
    """Add a line for each comment; a reply is a comment too."""
    for note in root.iter():
        if note.tag not in ("cm", "reply"):
            continue
        body = (part for part in note if part.tag in ("text", "txBody"))
        if words := one_line(cleaned(" ".join(e.text or "" for part in body for e in part.iter()))):
            builder.paragraph(comment_line(words, authors.get(note.get("authorId", ""), "")))


def _slides(package: Package) -> list[str]:
    """Return the slide parts in the order of the presentation, or by number if no order is given."""
    if _MAIN in package:
        relations = package.related(_MAIN)
        targets = [relations.get(entry.get("r:id", ""), ("", ""))[1] for entry in package.tree(_MAIN).iter("sldId")]
        if targets and all(target in package for target in targets):
            return targets
    return package.names(r"ppt/slides/slide\d+\.xml")


def _add(builder: TextBuilder, root: Element, charts: Mapping[str, Element]) -> None:
    furniture = named = False
    for begins, element in walk(root, _SKIPPED):
        name = element.tag
        if name == "sp":
            kind = next((mark.get("type", "") for mark in element.iter("ph")), "") if begins else ""
            furniture = kind in _FURNITURE
            if kind in ("title", "ctrTitle"):
                builder.begin_heading()
            elif not begins:
                builder.end_heading()
        elif furniture:
            continue
        elif name == "tblPr":
            named = element.get("firstRow") in _TRUE
        elif name == "tr":
            builder.row_or_cell(name, begins, header=named)
        elif name == "tc" and element.get("hMerge") not in _TRUE:
            rows = 0 if element.get("vMerge") in _TRUE else whole_number(element.get("rowSpan"))
            builder.row_or_cell(name, begins, columns=whole_number(element.get("gridSpan")), rows=rows)
        else:
            _inline(builder, element, charts, begins=begins)


def _inline(builder: TextBuilder, element: Element, charts: Mapping[str, Element], *, begins: bool) -> None:
    match element.tag:
        case "p":
            builder.line()
        case "r":
            properties = element.find("rPr") if begins else None
            baseline = properties.get("baseline", "0") if properties is not None else "0"
            lowered = baseline.startswith("-")
            builder.shifted(raised=not lowered and baseline.strip("0") != "", lowered=lowered)
        case "t" if begins:
            builder.verbatim(element.text or "")
        case "br" if begins:
            builder.line()
        case "chart" if begins and (chart := charts.get(element.get("r:id", ""))) is not None:
            add_chart(builder, chart)


def _add_open_slide(slide: Element, builder: TextBuilder) -> None:
    for begins, element in walk(slide, _SKIPPED_IN_OPEN):
        match element.tag:
            case "frame" if element.get("class") == "title":
                builder.begin_heading() if begins else builder.end_heading()
            case "table-row":
                builder.begin_row() if begins else builder.end_row()
            case "table-cell" if begins:
                rows, columns = element.get("number-rows-spanned"), element.get("number-columns-spanned")
                builder.begin_cell(rows=whole_number(rows), columns=whole_number(columns))
            case "table-cell" | "covered-table-cell" if not begins:
                builder.end_cell()
            case _:
                _add_words(builder, element, begins=begins)
    for note in slide.iter("annotation"):
        builder.paragraph(comment(note))


def _add_words(builder: TextBuilder, element: Element, *, begins: bool) -> None:
    match element.tag:
        case "p" | "h":
            builder.line()
            builder.words((element.text or "") if begins else "")
        case "span" | "a":
            builder.words((element.text if begins else element.tail) or "")
        case "s" | "tab" | "line-break":
            builder.words(" " if begins else f" {element.tail or ''}")
        case "notes":
            builder.block()
