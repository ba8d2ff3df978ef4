"""Comments on the cells of an Office Open XML workbook; the library that reads the values ignores them."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import Package, local_name, sheets
from investigator.documents.readers.base import ReaderSettings, SourceFile, cleaned
from investigator.language.normalise import one_line

_PARTS = r"xl/.*[cC]omments?.*\.xml"


def sheet_comments(source: SourceFile, settings: ReaderSettings) -> dict[str, list[str]]:
    """Return a line for each comment, grouped by sheet name, in the order of the workbook.

    A thread yields one line per comment; the notice for older programs is skipped. Raises ReadFailure if a part is
    damaged or too large.
    """
    with Package(source.data, settings) as package:
        listed = sheets(package) if package.names(_PARTS) else ()
        return {name: lines for name, part in listed if (lines := _lines(package, part))}


def _lines(package: Package, part: str) -> list[str]:
    """Return the comments on one sheet."""
    present = [(kind, target) for kind, target in package.related(part).values() if target in package]
    said: dict[str, list[str]] = {}
    for kind, target in present:
        if kind == "threadedComment":
            for cell, text in _remarks(package.tree(target), "threadedComment"):
                said.setdefault(cell, []).append(f"comment on {cell}: {text}")
    for kind, target in present:
        if kind == "comments":
            for cell, text in _remarks(package.tree(target), "comment"):
                said.setdefault(cell, [f"comment on {cell}: {text}"])
    return [line for lines in said.values() for line in lines]


def _remarks(root: ElementTree.Element, name: str) -> Iterator[tuple[str, str]]:
    """Yield the cell and the text of each comment, preceded by the author's name unless the text begins with it."""
    authors = [one_line(cleaned(author.text or "")) for author in root.iter() if local_name(author) == "author"]
    for remark in root.iter():
        if local_name(remark) != name:
            continue
        words = one_line(cleaned("".join(_texts(remark))))
        number = remark.get("authorId", "")
        author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
        if words:
            by = f"{author}: " if author and not words.startswith(author) else ""
            yield remark.get("ref", ""), by + words


def _texts(remark: ElementTree.Element) -> Iterator[str]:
    """Yield the text runs of a comment, from `t` elements or from `text` itself; phonetic runs are skipped."""
    for element in remark.iter():
        if local_name(element) in ("t", "text"):
            yield element.text or ""
