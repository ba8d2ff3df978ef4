"""Symbols of Word: characters of symbol fonts, and the states of form fields."""

from __future__ import annotations

from xml.etree import ElementTree

from investigator.documents.readers.archives.package import attribute, local_name
from investigator.documents.readers.office.word_styles import child, is_on, value

_TICKED, _EMPTY = "\N{BALLOT BOX WITH X}", "\N{BALLOT BOX}"
_PRIVATE = 0xF000  # Word stores the codes of symbol fonts in the private-use area


def _table(codes: str, shown: str) -> dict[int, int]:
    return str.maketrans(codes + "".join(chr(_PRIVATE + ord(code)) for code in codes), shown * 2)


_SYMBOLS = {
    "wingdings": _table("oq\xa8\xfb\xfc\xfd\xfe", "☐☐☐✗✓☒☒"),
    "wingdings 2": _table("OPQRS*\xa3", "✗✓☒☒☒☐☐"),
    "symbol": _table("m\xa3\xb0\xb1\xb3\xb4\xb7", "μ≤°±≥×•"),
}
"""The characters of symbol fonts that tell something, by font and code."""


def symbol(code: str, font: str) -> str:
    """Return the character with a hexadecimal code in a font; "" if it is unknown."""
    try:
        number = int(code, 16) & 0xFF
    except ValueError:
        return ""
    shown = symbols(chr(number), font)
    return shown if shown != chr(number) else ""


def symbols(text: str, font: str) -> str:
    """Return a text in a font; characters that are not known as symbols of the font stay as they are."""
    return text.translate(_SYMBOLS.get(font.lower(), {}))


def legacy_field(data: ElementTree.Element) -> str:
    """Return what a legacy form field shows that is not in the text: its box, or the chosen entry of its list."""
    boxed, listed = child(data, "checkBox"), child(data, "ddList")
    if boxed is not None:
        state = child(boxed, "checked")
        state = state if state is not None else child(boxed, "default")
        return _TICKED if state is not None and is_on(state) else _EMPTY
    if listed is None:
        return ""
    entries = [attribute(entry, "val") for entry in listed if local_name(entry) == "listEntry"]
    at = value(listed, "result") or value(listed, "default") or "0"
    return entries[int(at)] if at.isdecimal() and int(at) < len(entries) else ""
