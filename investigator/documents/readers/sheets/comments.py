"""Comments on the cells of an Office Open XML workbook, with their authors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import Package, local_name
from investigator.documents.readers.base import cleaned, comment_line
from investigator.language.normalise import one_line

_PERSONS = r"xl/persons/.*\.xml"


def comments_of(package: Package, part: str) -> list[str]:
    """Return a line for each comment on a sheet, whose part is named, in the order of the file.

    A thread yields one line per comment; the notice for older programs is skipped. Raises ReadFailure if a part is
    damaged or too large.
    """
    present = [(kind, target) for kind, target in package.related(part).values() if target in package]
    by_cell: dict[str, list[str]] = {}
    for kind, target in present:
        if kind == "threadedComment":
            for cell, text in _remarks(package.tree(target), "threadedComment", _persons(package)):
                by_cell.setdefault(cell, []).append(text)
    for kind, target in present:
        if kind == "comments":
            for cell, text in _remarks(package.tree(target), "comment", {}):
                by_cell.setdefault(cell, [text])
    return [line for lines in by_cell.values() for line in lines]


def _persons(package: Package) -> Mapping[str, str]:
    """Return the authors of threads by their ids."""
    return {
        person.get("id", ""): one_line(cleaned(person.get("displayName", "")))
        for name in package.names(_PERSONS)
        for person in package.tree(name).iter()
        if local_name(person) == "person"
    }


def _remarks(root: ElementTree.Element, name: str, persons: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the cell and the line of each comment, with the author's name unless the text begins with it."""
    authors = [one_line(cleaned(author.text or "")) for author in root.iter() if local_name(author) == "author"]
    for remark in root.iter():
        if local_name(remark) != name:
            continue
        words = one_line(cleaned("".join(_texts(remark))))
        number = remark.get("authorId", "")
        author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
        author = author or persons.get(remark.get("personId", ""), "")
        if words:
            cell, by = remark.get("ref", ""), "" if words.startswith(author) else author
            yield cell, comment_line(words, by, on=cell)


def _texts(remark: ElementTree.Element) -> Iterator[str]:
    """Yield the text runs of a comment, from `t` elements or from `text` itself; phonetic runs are skipped."""
    for element in remark.iter():
        if local_name(element) in ("t", "text"):
            yield element.text or ""
