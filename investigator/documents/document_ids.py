"""Builds the ids of documents from their paths in the folder: displayable, and unique for each file. Pure.

The id depends only on the file's own path, so no other file can change it. The id can be converted back to the path:
each undisplayable byte, and U+FFFD itself, is written as U+FFFD and two hexadecimal digits. The id of a file inside
another file is that file's id, a slash and the inner path; it is unique, because no file in the folder can have a path
below another file's path.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Collection

from investigator.records import SUMMARY

_MARK = "\ufffd"
_OTHER_BYTES = "surrogatepass" if os.name == "nt" else "surrogateescape"


def document_id(path: str) -> str:
    """Return the id of a file, given its non-empty path below the folder, with forward slashes."""
    shown = path if path.isascii() and path.isprintable() else "".join(map(_shown, path))
    return f"./{shown}" if shown == SUMMARY else shown


def known_id(name: str, known: Collection[str]) -> str | None:
    """Return the id that a name stands for: the same, or the only one with the same characters, however these are
    composed; None if there is none. Keyboards compose accents, and some file systems take them apart.
    """
    if name in known:
        return name
    composed = unicodedata.normalize("NFC", name)
    same = [other for other in known if unicodedata.normalize("NFC", other) == composed]
    return same[0] if len(same) == 1 else None


def _shown(character: str) -> str:
    if character.isprintable() and character != _MARK:
        return character
    return "".join(f"{_MARK}{byte:02X}" for byte in character.encode("utf-8", _OTHER_BYTES))
