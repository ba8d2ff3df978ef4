"""PowerPoint presentations (.pptx): one page per slide, with the slide's notes, in presentation order."""

from __future__ import annotations

from xml.etree import ElementTree

from investigator.documents.readers.archives.package import CoreProperties, Package, attribute, local_name, walk
from investigator.documents.readers.base import (
    Extracted,
    HiddenText,
    ReaderSettings,
    SourceFile,
    cleaned,
    comment_line,
    hidden_parts,
)
from investigator.documents.readers.builder import TextBuilder, spanned
from investigator.documents.readers.pictures.picture import embedded_texts
from investigator.documents.readers.sheets.charts import add_chart, unread_charts
from investigator.language.normalise import one_line

_SKIPPED = frozenset({"Fallback", "extLst"})
_MAIN = "ppt/presentation.xml"
_FURNITURE = frozenset({"sldNum", "dt", "sldImg"})
_TRUE = ("1", "true")
_AUTHORS = r"ppt/(?:commentAuthors|authors)\d*\.xml"


def read_slides(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a .pptx, .pptm or .ppsx file: the slides' shapes, tables and charts in file order, then their notes,
    comments and the texts of their pictures. Hidden slides are left out and counted, or marked.
    """
    hidden, images, kinds, marks = 0, list[str](), list[str](), settings.hidden is HiddenText.MARK
    with Package(source.data, settings) as package:
        builder = TextBuilder()
        authors = _authors(package)
        for number, slide in enumerate(_slides(package), start=1):
            root = package.tree(slide)
            is_hidden = root.get("show") in ("0", "false")
            hidden += is_hidden
            if is_hidden and not marks:
                continue
            builder.begin_page(number)
            part = TextBuilder() if is_hidden else builder
            _add_slide(part, package, slide, root, authors)
            if is_hidden:
                builder.hidden(part)
            kinds += [kind for kind, _ in package.related(slide).values()]
            images += [part for kind, part in package.related(slide).values() if kind == "image" and part in package]
        builder.end_page()
        texts, unread = embedded_texts((package.read(part) for part in dict.fromkeys(images)), settings)
        for text in texts:
            builder.block()
            builder.verbatim(text)
        properties = CoreProperties(package)
    title = "" if properties.title.lower() == "powerpoint presentation" else properties.title
    return builder.extracted(
        title=title,
        authors=properties.authors,
        date=properties.date,
        left_out=(*hidden_parts(settings.hidden, {"slide": hidden}), *unread, *unread_charts(kinds)),
    )


def _add_slide(
    builder: TextBuilder, package: Package, slide: str, root: ElementTree.Element, authors: dict[str, str]
) -> None:
    related = package.related(slide)
    charts = {
        identity: package.tree(part)
        for identity, (kind, part) in related.items()
        if kind == "chart" and part in package
    }
    _add(builder, root, charts)
    for kind, part in sorted(related.values()):
        if part not in package:
            continue
        if kind in ("diagramData", "notesSlide"):
            builder.block()
            _add(builder, package.tree(part), {})
        elif kind == "comments":
            _add_comments(builder, package.tree(part), authors)


def _authors(package: Package) -> dict[str, str]:
    """Return the names of the authors of comments by their ids."""
    return {
        author.get("id", ""): one_line(cleaned(author.get("name", "")))
        for name in package.names(_AUTHORS)
        for author in package.tree(name)
    }


def _add_comments(builder: TextBuilder, root: ElementTree.Element, authors: dict[str, str]) -> None:
    """Add a line for each comment; a reply is a comment too."""
    for comment in root.iter():
        if local_name(comment) not in ("cm", "reply"):
            continue
        body = (part for part in comment if local_name(part) in ("text", "txBody"))
        words = one_line(cleaned(" ".join(e.text or "" for part in body for e in part.iter())))
        author = authors.get(comment.get("authorId", ""), "")
        if words:
            builder.block()
            builder.verbatim(comment_line(words, author))


def _slides(package: Package) -> list[str]:
    """Return the slide parts in the order of the presentation, or by number if no order is given."""
    if _MAIN in package:
        relations = package.related(_MAIN)
        listed = [e for e in package.tree(_MAIN).iter() if local_name(e) == "sldId"]
        targets = [relations.get(_relation_id(entry), ("", ""))[1] for entry in listed]
        if targets and all(target in package for target in targets):
            return targets
    return package.names(r"ppt/slides/slide\d+\.xml")


def _relation_id(entry: ElementTree.Element) -> str:
    """Return the `r:id` attribute of an entry, which is not its `id` attribute."""
    return next((value for key, value in entry.attrib.items() if key.endswith("}id")), "")


def _add(builder: TextBuilder, root: ElementTree.Element, charts: dict[str, ElementTree.Element]) -> None:
    title = furniture = named = False
    for begins, element in walk(root, _SKIPPED):
        name = local_name(element)
        if name == "sp":
            kind = _placeholder(element) if begins else ""
            title, furniture = kind in ("title", "ctrTitle"), kind in _FURNITURE
            if begins and title:
                builder.begin_heading()
            elif not begins:
                builder.end_heading()
        elif furniture:
            continue
        elif name == "tblPr":
            named = attribute(element, "firstRow") in _TRUE
        elif name == "tr":
            builder.row_or_cell(name, begins, header=named)
        elif name == "tc":
            _cell(builder, element, begins=begins)
        else:
            _inline(builder, name, element, charts, begins=begins)


def _cell(builder: TextBuilder, cell: ElementTree.Element, *, begins: bool) -> None:
    """Begin or end a cell of a table; a cell that another one covers is part of it."""
    if cell.get("hMerge") in _TRUE:
        return
    goes_on = cell.get("vMerge") in _TRUE
    rows = 0 if goes_on else spanned(cell.get("rowSpan"))
    builder.row_or_cell("tc", begins, columns=spanned(cell.get("gridSpan")), rows=rows)


def _shift(builder: TextBuilder, run: ElementTree.Element, *, begins: bool) -> None:
    """Begin or end a run, which may be raised or lowered."""
    baseline = next((e.get("baseline", "0") for e in run if local_name(e) == "rPr"), "0") if begins else "0"
    builder.raised(not baseline.startswith("-") and baseline.strip("0") != "")
    builder.lowered(baseline.startswith("-"))


def _placeholder(shape: ElementTree.Element) -> str:
    """Return the role of a shape on its slide (title, body, slide number), or ""."""
    return next((attribute(e, "type") for e in shape.iter() if local_name(e) == "ph"), "")


def _inline(
    builder: TextBuilder,
    name: str,
    element: ElementTree.Element,
    charts: dict[str, ElementTree.Element],
    *,
    begins: bool,
) -> None:
    if name == "p":
        builder.line()
    elif name == "r":
        _shift(builder, element, begins=begins)
    elif not begins:
        return
    elif name == "t":
        builder.verbatim(element.text or "")
    elif name == "br":
        builder.line()
    elif name == "chart" and (chart := charts.get(_relation_id(element))) is not None:
        add_chart(builder, chart)
