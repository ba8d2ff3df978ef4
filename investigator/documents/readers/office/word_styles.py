"""Styles of a Word document (which are headings, which hide their text), and the numbers of its paragraphs as Word
computes them (ECMA-376, part 1, 17.9).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from xml.etree import ElementTree

from investigator.documents.readers.numerals import letters, roman, whole_number
from investigator.documents.readers.zip_files import Package

_STYLES, _NUMBERING = "word/styles.xml", "word/numbering.xml"
_OFF = ("0", "false", "off")
_ON = "on"
_OUTLINED = tuple("012345678")
_LEVELS = 9
_LONGEST = 60
_PLACE = re.compile(r"%([1-9])")
_SILENT = ("bullet", "none")
_FORMS: Mapping[str, Callable[[int], str]] = {
    "lowerLetter": partial(letters, repeats=True),
    "upperLetter": partial(letters, repeats=True),
    "lowerRoman": roman,
    "upperRoman": roman,
    "decimalZero": "{:02}".format,
}


class Styles:
    """The styles of a document by id; what a style does not say, the style that it is based on says."""

    def __init__(self, package: Package) -> None:
        elements = package.tree(_STYLES).iterfind("style") if _STYLES in package else ()
        self._styles = {element.get("styleId", ""): _properties(element) for element in elements}

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
    own: dict[str, str] = {}
    for part in style.iter():
        kind, text = part.tag, part.get("val", "")
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
    return element.get("val", "").lower() not in _OFF


def value(element: ElementTree.Element, path: str) -> str:
    """Return the value of the element at a path below an element; "" if there is none."""
    descendant = element.find(path)
    return descendant.get("val", "") if descendant is not None else ""


@dataclass(frozen=True)
class _Level:
    """A level of a list: its first number, its format, its text ("%1.%2"), and the style that it numbers."""

    start: int = 1
    form: str = "decimal"
    text: str = ""
    is_decimal: bool = False
    style: str = ""


@dataclass
class _Numbering:
    """A list of a document: the abstract list whose counters it shares, its levels, and its own starts."""

    abstract: str
    levels: Mapping[int, _Level]
    starts: dict[int, int] = field(default_factory=dict)


class Numbers:
    """Counts the numbered paragraphs of a document."""

    def __init__(self, package: Package, styles: Styles) -> None:
        self._styles = styles
        self._counts: dict[str, dict[int, int]] = {}
        self._lists = _lists(package.tree(_NUMBERING), styles) if _NUMBERING in package else {}

    def number(self, paragraph: ElementTree.Element, style: str) -> str:
        """Return the number of the next paragraph: "4.2", "(b)"; "" if it has none."""
        own = paragraph.find("pPr/numPr")
        identity, level = self._styles.numbering(style)
        if own is not None:
            named, depth = value(own, "numId"), value(own, "ilvl")
            identity = named or identity
            level = int(depth) if depth.isdecimal() else (0 if named else level)
        numbering = self._lists.get(identity)
        if numbering is None:
            return ""
        if level is None:
            level = next((n for n, entry in numbering.levels.items() if style and entry.style == style), 0)
        return self._counted(numbering, level)

    def _counted(self, numbering: _Numbering, level: int) -> str:
        counts = self._counts.setdefault(numbering.abstract, {})
        own = numbering.levels.get(level)
        if own is None:
            return ""
        start = numbering.starts.pop(level, None)  # an override holds for the first paragraph of its list
        if start is not None or level not in counts:
            counts[level] = own.start if start is None else start
        else:
            counts[level] += 1
        for deeper in range(level + 1, _LEVELS):
            counts.pop(deeper, None)
        if own.form in _SILENT:
            return ""

        def numeral(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            entry = numbering.levels.get(place, _Level())
            form = "decimal" if own.is_decimal else entry.form
            if form in _SILENT:
                return ""
            shown = _FORMS.get(form, str)(counts.get(place, entry.start))
            return shown.upper() if form.startswith("upper") else shown

        return _PLACE.sub(numeral, own.text)[:_LONGEST].strip()


def _lists(root: ElementTree.Element, styles: Styles) -> dict[str, _Numbering]:
    abstract = {element.get("abstractNumId", ""): element for element in root.iterfind("abstractNum")}
    levels = {name: _levels(element) for name, element in abstract.items()}
    lists: dict[str, _Numbering] = {}
    for element in root.iterfind("num"):
        name = value(element, "abstractNumId")
        numbering = lists[element.get("numId", "")] = _Numbering(name, levels.get(name, {}))
        for override in element.iterfind("lvlOverride"):
            numbering.levels = {**numbering.levels, **_levels(override)}
            depth = override.get("ilvl", "")
            if override.find("startOverride") is not None and depth.isdecimal():
                numbering.starts[int(depth)] = whole_number(value(override, "startOverride"))
    for numbering in lists.values():  # a list that names a style has that style's levels
        linked = value(abstract[numbering.abstract], "numStyleLink") if numbering.abstract in abstract else ""
        other = lists.get(styles.numbering(linked)[0])
        if not numbering.levels and other is not None:
            numbering.abstract, numbering.levels = other.abstract, other.levels
    return lists


def _levels(element: Iterable[ElementTree.Element]) -> dict[int, _Level]:
    return {
        int(entry.get("ilvl", "")): _Level(
            start=whole_number(value(entry, "start")),
            form=value(entry, "numFmt") or "decimal",
            text=value(entry, "lvlText"),
            is_decimal=entry.find("isLgl") is not None,
            style=value(entry, "pStyle"),
        )
        for entry in element
        if entry.tag == "lvl" and entry.get("ilvl", "").isdecimal()
    }
