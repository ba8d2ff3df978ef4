"""PowerPoint presentations (.pptx): one page per slide, with the slide's notes, in presentation order."""

from __future__ import annotations

from xml.etree import ElementTree

from investigator.documents.readers.archives.package import CoreProperties, Package, attribute, local_name, walk
from investigator.documents.readers.base import Extracted, ReaderSettings, SourceFile
from investigator.documents.readers.builder import TextBuilder

_SKIPPED = frozenset({"Fallback", "extLst"})
_MAIN = "ppt/presentation.xml"
_FURNITURE = frozenset({"sldNum", "dt", "sldImg"})


def read_slides(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a .pptx, .pptm or .ppsx file: the slides' shapes, tables and diagrams in file order, then the notes."""
    with Package(source.data, settings) as package:
        builder = TextBuilder()
        for number, slide in enumerate(_slides(package), start=1):
            builder.begin_page(number)
            _add(builder, package.tree(slide))
            related = package.related(slide).values()
            for kind, part in sorted(related):
                if kind in ("diagramData", "notesSlide") and part in package:
                    builder.block()
                    _add(builder, package.tree(part))
        builder.end_page()
        properties = CoreProperties(package)
    title = "" if properties.title.lower() == "powerpoint presentation" else properties.title
    return builder.extracted(title=title, authors=properties.authors, date=properties.date)


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


def _add(builder: TextBuilder, root: ElementTree.Element) -> None:
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
        elif name == "tblPr" and begins:
            named = attribute(element, "firstRow") in ("1", "true")
        elif name in ("tr", "tc"):
            builder.row_or_cell(name, begins, header=named)
        elif name == "p":
            builder.line()
        elif begins:
            _inline(builder, name, element)


def _placeholder(shape: ElementTree.Element) -> str:
    """Return the role of a shape on its slide (title, body, slide number), or ""."""
    return next((attribute(e, "type") for e in shape.iter() if local_name(e) == "ph"), "")


def _inline(builder: TextBuilder, name: str, element: ElementTree.Element) -> None:
    if name == "t":
        builder.verbatim(element.text or "")
    elif name == "br":
        builder.line()
