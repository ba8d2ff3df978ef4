"""The id of a document of the folder: its path in a displayable form, unique for each file. Pure.

The id of a file depends only on its own path, so that no other file can change it. It can be turned back into the path:
each byte of what cannot be shown is written as U+FFFD and two hexadecimal digits, and U+FFFD itself that way too. Files
inside a file have its id, a slash and their path in it; no other file of the folder can be below a file.
"""

from __future__ import annotations

import os

from investigator.records import SUMMARY

_MARK = "\ufffd"
_OTHER_BYTES = "surrogatepass" if os.name == "nt" else "surrogateescape"


def document_id(path: str) -> str:
    """Return the id of the file with this path below the folder, which has forward slashes and is never empty."""
    shown = path if path.isascii() and path.isprintable() else "".join(map(_shown, path))
    return f"./{shown}" if shown == SUMMARY else shown


def _shown(character: str) -> str:
    if character.isprintable() and character != _MARK:
        return character
    return "".join(f"{_MARK}{byte:02X}" for byte in character.encode("utf-8", _OTHER_BYTES))
