"""Numbers of paragraphs as Word computes them (ECMA-376, part 1, 17.9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import Package, attribute, local_name
from investigator.documents.readers.numerals import letters, roman
from investigator.documents.readers.office.word_styles import Styles, child, value

_NUMBERING = "word/numbering.xml"
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
    **dict.fromkeys(_SILENT, lambda _: ""),
}


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
        self._lists: dict[str, _Numbering] = {}
        self._counts: dict[str, dict[int, int]] = {}
        if _NUMBERING in package:
            self._lists = _lists(package.tree(_NUMBERING), styles)

    def number(self, paragraph: ElementTree.Element, style: str) -> str:
        """Return the number of the next paragraph: "4.2", "(b)"; "" if it has none."""
        own = child(paragraph, "pPr", "numPr")
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
            return _numeral(counts.get(place, entry.start), "decimal" if own.is_decimal else entry.form)

        return _PLACE.sub(numeral, own.text)[:_LONGEST].strip()


def _numeral(number: int, form: str) -> str:
    shown = _FORMS.get(form, str)(number)
    return shown.upper() if form.startswith("upper") else shown


def _lists(root: ElementTree.Element, styles: Styles) -> dict[str, _Numbering]:
    abstract: dict[str, dict[int, _Level]] = {}
    linked: dict[str, str] = {}
    for element in root:
        if local_name(element) == "abstractNum":
            name = attribute(element, "abstractNumId")
            abstract[name] = _levels(element)
            linked[name] = value(element, "numStyleLink")
    lists: dict[str, _Numbering] = {}
    for element in root:
        if local_name(element) != "num":
            continue
        name = value(element, "abstractNumId")
        levels = dict(abstract.get(name, {}))
        starts: dict[int, int] = {}
        for override in (e for e in element if local_name(e) == "lvlOverride"):
            depth = attribute(override, "ilvl")
            levels |= _levels(override)
            if child(override, "startOverride") is not None and depth.isdecimal():
                starts[int(depth)] = _whole(value(override, "startOverride"))
        lists[attribute(element, "numId")] = _Numbering(name, levels, starts)
    for numbering in lists.values():  # a list that names a style has that style's levels
        other = lists.get(styles.numbering(linked.get(numbering.abstract, ""))[0])
        if not numbering.levels and other is not None:
            numbering.abstract, numbering.levels = other.abstract, other.levels
    return lists


def _levels(element: ElementTree.Element) -> dict[int, _Level]:
    levels: dict[int, _Level] = {}
    for entry in element:
        depth = attribute(entry, "ilvl")
        if local_name(entry) != "lvl" or not depth.isdecimal():
            continue
        levels[int(depth)] = _Level(
            start=_whole(value(entry, "start")),
            form=value(entry, "numFmt") or "decimal",
            text=value(entry, "lvlText"),
            is_decimal=child(entry, "isLgl") is not None,
            style=value(entry, "pStyle"),
        )
    return levels


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 7 else 1
