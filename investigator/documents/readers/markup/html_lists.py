"""Numbers of the items of HTML lists, and the states of form fields, as a page shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from investigator.documents.readers.numerals import letters, roman

_UNMARKED = re.compile(r"list-style(?:-type)?\s*:\s*none", re.IGNORECASE)
_COUNTED = re.compile(r"-?\d{1,6}")
_STYLES: Mapping[str, str] = {
    "lower-alpha": "a",
    "lower-latin": "a",
    "upper-alpha": "A",
    "upper-latin": "A",
    "lower-roman": "i",
    "upper-roman": "I",
    "decimal": "1",
}
_STYLE = re.compile(rf"list-style(?:-type)?\s*:\s*({'|'.join(_STYLES)})\b", re.IGNORECASE)
_MOST_OPEN = 100


@dataclass
class _List:
    kind: str
    number: int
    step: int


@dataclass
class Lists:
    """The open lists of a page, the innermost last."""

    _open: list[_List] = field(default_factory=list)

    def begin(self, tag: str, given: Mapping[str, str | None]) -> None:
        """Begin a list: `ol`, or another one, whose items have no numbers."""
        style = given.get("style") or ""
        named = _STYLE.search(style)
        kind = _STYLES[named[1].lower()] if named is not None else (given.get("type") or "1").strip()
        if tag != "ol" or _UNMARKED.search(style) or kind not in ("1", "a", "A", "i", "I"):
            kind = ""
        start = _counted(given.get("start"), 1)
        if len(self._open) < _MOST_OPEN:
            self._open.append(_List(kind, start, -1 if "reversed" in given else 1))

    def end(self) -> None:
        """End the innermost list."""
        if self._open:
            self._open.pop()

    def item(self, given: Mapping[str, str | None]) -> str:
        """Return the number of the next item: "4. ", "b. "; "" in a list without numbers."""
        if not self._open or not self._open[-1].kind:
            return ""
        innermost = self._open[-1]
        number = innermost.number = _counted(given.get("value"), innermost.number)
        innermost.number += innermost.step
        return f"{_numeral(number, innermost.kind)}. "


def _counted(text: str | None, default: int) -> int:
    return int(text) if text is not None and _COUNTED.fullmatch(text.strip()) else default


def _numeral(number: int, kind: str) -> str:
    if kind == "1":
        return str(number)
    numeral = roman(number) if kind.lower() == "i" else letters(number, repeats=False)
    return numeral if kind.islower() else numeral.upper()


def field_text(given: Mapping[str, str | None]) -> str:
    """Return what a page shows of an `input`: a ticked or empty box, or the text that is filled in."""
    kind = (given.get("type") or "text").lower()
    if kind in ("checkbox", "radio"):
        return " ☒ " if "checked" in given else " ☐ "
    if kind in ("hidden", "password", "submit", "button", "reset", "image", "file"):
        return ""
    value = given.get("value") or ""
    return f" {value} " if value else ""
