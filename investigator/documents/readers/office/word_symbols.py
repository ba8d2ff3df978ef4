"""Symbols of Word: characters of symbol fonts, and the states of form fields."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import attribute, local_name
from investigator.documents.readers.office.word_styles import child, is_on

TICKED, EMPTY = "\N{BALLOT BOX WITH X}", "\N{BALLOT BOX}"
_SYMBOLS: Mapping[str, Mapping[int, str]] = {
    "wingdings": {
        0x6F: EMPTY,
        0x71: EMPTY,
        0xA8: EMPTY,
        0xFB: "\N{BALLOT X}",
        0xFC: "\N{CHECK MARK}",
        0xFD: TICKED,
        0xFE: TICKED,
    },
    "wingdings 2": {
        0x4F: "\N{BALLOT X}",
        0x50: "\N{CHECK MARK}",
        0x51: TICKED,
        0x52: TICKED,
        0x53: TICKED,
        0x2A: EMPTY,
        0xA3: EMPTY,
    },
    "symbol": {
        0x6D: "\N{GREEK SMALL LETTER MU}",
        0xA3: "\N{LESS-THAN OR EQUAL TO}",
        0xB0: "\N{DEGREE SIGN}",
        0xB1: "\N{PLUS-MINUS SIGN}",
        0xB3: "\N{GREATER-THAN OR EQUAL TO}",
        0xB4: "\N{MULTIPLICATION SIGN}",
        0xB7: "\N{BULLET}",
    },
}
"""The characters of symbol fonts that tell something, by font and code."""
_PRIVATE = 0xF000  # Word stores the codes of symbol fonts in the private-use area


def is_symbol_font(font: str) -> bool:
    """Return True if the characters of a font are symbols."""
    return font.lower() in _SYMBOLS


def symbol(code: str, font: str) -> str:
    """Return the character with a hexadecimal code in a font; "" if it is unknown."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return _SYMBOLS.get(font.lower(), {}).get(number & 0xFF, "")


def symbols(text: str, font: str) -> str:
    """Return a text in a symbol font; characters that are not known as symbols stay as they are."""
    known = _SYMBOLS.get(font.lower(), {})
    return "".join(known.get(ord(c) - _PRIVATE if ord(c) >= _PRIVATE else ord(c), c) for c in text)


def box(is_ticked: bool) -> str:
    """Return a ticked or an empty box."""
    return TICKED if is_ticked else EMPTY


def legacy_field(data: ElementTree.Element) -> str:
    """Return what a legacy form field shows that is not in the text: its box, or the chosen entry of its list."""
    boxed, listed = child(data, "checkBox"), child(data, "ddList")
    if boxed is not None:
        state = child(boxed, "checked")
        state = state if state is not None else child(boxed, "default")
        return box(state is not None and is_on(state))
    if listed is None:
        return ""
    entries = [attribute(entry, "val") for entry in listed if local_name(entry) == "listEntry"]
    result = child(listed, "result")
    result = result if result is not None else child(listed, "default")
    at = attribute(result, "val") if result is not None else "0"
    return entries[int(at)] if at.isdecimal() and int(at) < len(entries) else ""
