"""Styles of a Word document: which are headings, which hide their text, which number their paragraphs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import Package, attribute, local_name

_STYLES = "word/styles.xml"
_OFF = ("0", "false", "off")
Value = TypeVar("Value")


@dataclass
class Style:
    """The properties that a style itself sets; None where it sets none. `numbering` is the id of its numbering, and
    `level` the level in it.
    """

    parent: str = ""
    is_heading: bool | None = None
    is_hidden: bool | None = None
    numbering: str | None = None
    level: int | None = None


class Styles:
    """The styles of a document by id; what a style does not say, the style that it is based on says."""

    def __init__(self, package: Package) -> None:
        self._styles: dict[str, Style] = {}
        for element in package.tree(_STYLES) if _STYLES in package else ():
            if local_name(element) == "style":
                self._styles[attribute(element, "styleId")] = _style(element)

    def is_heading(self, style: str) -> bool:
        """Return True if the name or outline level of a style makes it a heading."""
        return bool(self._inherited(style, lambda own: own.is_heading))

    def is_hidden(self, style: str) -> bool:
        """Return True if text of this style is hidden."""
        return bool(self._inherited(style, lambda own: own.is_hidden))

    def numbering(self, style: str) -> tuple[str, int | None]:
        """Return the id of a style's numbering, "" if it has none, and the level that it names."""
        return self._inherited(style, lambda own: own.numbering) or "", self._inherited(style, lambda own: own.level)

    def _inherited(self, style: str, value: Callable[[Style], Value | None]) -> Value | None:
        seen: set[str] = set()
        while style in self._styles and style not in seen:
            seen.add(style)
            own = self._styles[style]
            if (result := value(own)) is not None:
                return result
            style = own.parent
        return None


def _style(element: ElementTree.Element) -> Style:
    style = Style()
    for part in element.iter():
        kind, value = local_name(part), attribute(part, "val")
        match kind:
            case "basedOn":
                style.parent = value
            case "name" if value.lower() == "title" or value.lower().startswith("heading "):
                style.is_heading = True
            case "outlineLvl":
                style.is_heading = style.is_heading or value in tuple("012345678")
            case "vanish":
                style.is_hidden = is_on(part)
            case "numId":
                style.numbering = value
            case "ilvl":
                style.level = int(value) if value.isdecimal() else None
    return style


def is_on(element: ElementTree.Element) -> bool:
    """Return True if a property that can be on or off is on."""
    return attribute(element, "val").lower() not in _OFF


def child(element: ElementTree.Element, *names: str) -> ElementTree.Element | None:
    """Return the element at a path of local names below an element; None if there is none."""
    found: ElementTree.Element | None = element
    for name in names:
        found = next((e for e in found if local_name(e) == name), None) if found is not None else None
    return found
