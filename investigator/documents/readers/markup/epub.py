"""Reads the chapters of EPUB books in reading order, each as XHTML."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from investigator.documents.readers.base import Extracted, HiddenText, ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.builder import TextBuilder
from investigator.documents.readers.decoding import decoded
from investigator.documents.readers.markup.html import HtmlText
from investigator.documents.readers.properties import iso_date
from investigator.documents.readers.zip_files import Package, resolved
from investigator.records import FileStatus

_CHAPTER_TYPES = ("application/xhtml+xml", "text/html", "application/xml", "text/xml")


def read_epub(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads an EPUB book without copy protection. The result has no page numbers, because an EPUB has no pages."""
    with Package(source.data, settings) as package:
        opf = _package_document(package)
        tree = package.tree(opf)
        builder = TextBuilder()
        items = {item.get("id", ""): item for item in tree.iter("item")}
        order = (items.get(entry.get("idref", "")) for entry in tree.iter("itemref"))
        chapters = (e for e in order if e is not None and e.get("media-type") in _CHAPTER_TYPES)
        for chapter in (resolved(opf, element.get("href", "")) for element in chapters):
            if chapter in package:
                markup = decoded(package.read(chapter), declared=True)
                if markup is None:
                    raise ReadFailure(FileStatus.ENCRYPTED, "the book is copy-protected")
                builder.block()
                HtmlText(builder, marks_hidden=settings.hidden is HiddenText.MARK).read(markup)
    return builder.extracted(
        title=next(iter(_values(tree, "title")), ""),
        authors=_values(tree, "creator"),
        date=next((day for value in _values(tree, "date") if (day := iso_date(value))), None),
    )


def _package_document(package: Package) -> str:
    container = "META-INF/container.xml"
    if container in package:
        for element in package.tree(container).iter("rootfile"):
            if (path := element.get("full-path", "")) in package:
                return path
    raise ReadFailure(FileStatus.FAILED, "the book has no list of its parts (.opf)")


def _values(tree: Element, name: str) -> list[str]:
    values = (" ".join((e.text or "").split()) for e in tree.iter(name))
    return [value for value in values if value]
