"""Text that came from documents or models, made harmless to look at."""

from __future__ import annotations

import re

from investigator.language.normalise import one_line

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed: they begin terminal escapes
    "\u202a-\u202e\u2066-\u2069"  # overrides of direction: they show text in another order than it is written
    "\u2028\u2029"  # separators that some programs take for line ends
    "\ud800-\udfff"  # halves of surrogate pairs, as in file names that are not UTF-8: they cannot be written out
    "\ufffe\uffff"
    "]"
)


def inert(text: str) -> str:
    """Return the text with control characters written out, as `\\x1b`; line ends become line feeds."""
    return _UNSAFE.sub(_written_out, text.replace("\r\n", "\n"))


def inert_line(text: str, limit: int | None = None) -> str:
    """Return the text made inert and on one line, cut with an ellipsis to at most `limit` characters."""
    start = text if limit is None else text[: 4 * limit]  # a megabyte is not folded for the sake of one line
    line = inert(one_line(start))
    if limit is None or (len(line) <= limit and len(start) == len(text)):
        return line
    return line[: limit - 1].rstrip() + "…"


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
