"""Styles of a Word document: which are headings, which hide their text, which number their paragraphs."""

from __future__ import annotations

from xml.etree import ElementTree

from investigator.documents.readers.archives.package import Package, attribute, local_name

_STYLES = "word/styles.xml"
_OFF = ("0", "false", "off")
_ON = "on"
_OUTLINED = tuple("012345678")


class Styles:
    """The styles of a document by id; what a style does not say, the style that it is based on says."""

    def __init__(self, package: Package) -> None:
        elements = package.tree(_STYLES) if _STYLES in package else ()
        self._styles = {attribute(e, "styleId"): _properties(e) for e in elements if local_name(e) == "style"}

    def is_heading(self, style: str) -> bool:
        """Return True if the name or outline level of a style makes it a heading."""
        return self._value(style, "heading") == _ON

    def is_hidden(self, style: str) -> bool:
        """Return True if text of this style is hidden."""
        return self._value(style, "vanish") == _ON

    def numbering(self, style: str) -> tuple[str, int | None]:
        """Return the id of a style's numbering, "" if it has none, and the level that it names."""
        level = self._value(style, "ilvl")
        return self._value(style, "numId"), int(level) if level.isdecimal() else None

    def _value(self, style: str, name: str) -> str:
        seen: set[str] = set()
        while style in self._styles and style not in seen:
            seen.add(style)
            own = self._styles[style]
            if name in own:
                return own[name]
            style = own.get("basedOn", "")
        return ""


def _properties(style: ElementTree.Element) -> dict[str, str]:
    """Return the properties that a style itself sets."""
    own: dict[str, str] = {}
    for part in style.iter():
        kind, text = local_name(part), attribute(part, "val")
        if kind in ("basedOn", "numId", "ilvl"):
            own[kind] = text
        elif kind == "vanish":
            own[kind] = _ON if is_on(part) else ""
        elif kind == "name" and (text.lower() == "title" or text.lower().startswith("heading ")):
            own["heading"] = _ON
        elif kind == "outlineLvl":
            own.setdefault("heading", _ON if is_outlined(text) else "")
    return own


def is_outlined(level: str) -> bool:
    """Return True if an outline level is that of a heading."""
    return level in _OUTLINED


def is_on(element: ElementTree.Element) -> bool:
    """Return True if a property that can be on or off is on."""
    return attribute(element, "val").lower() not in _OFF


def child(element: ElementTree.Element, *names: str) -> ElementTree.Element | None:
    """Return the element at a path of local names below an element; None if there is none."""
    descendant: ElementTree.Element | None = element
    for name in names:
        descendant = next((e for e in descendant if local_name(e) == name), None) if descendant is not None else None
    return descendant


def value(element: ElementTree.Element, *names: str) -> str:
    """Return the value of the element at a path of local names below an element; "" if there is none."""
    descendant = child(element, *names)
    return attribute(descendant, "val") if descendant is not None else ""
