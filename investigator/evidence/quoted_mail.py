"""Finds older messages quoted in a message: lines that begin with ">", and all text below "-----Original Message-----".
Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

from investigator.records import Document

_MESSAGES = re.compile(r"message/rfc822|application/vnd\.ms-outlook|text/plain")
_MARKED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_HEAD = re.compile(  # the line that precedes an older message
    r"^[ \t]*-{2,}[ \t]*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d['’]origine"
    r"|Mensaje original)[ \t]*-{2,}[ \t]*$"
    r"|^[ \t]*(?:On|Am|Le|El)\b[^\n]{6,120}(?:\n[^\n]{1,80})?"
    r"\b(?:wrote|schrieb\b[^\n]*|a écrit|escribió)[ \t]*:[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)


def is_quoted(document: Document, place: int) -> bool:
    """Return True if a place in a message or plain-text file is inside an older message that the file quotes."""
    if not _MESSAGES.fullmatch(document.media_type):
        return False
    return any(start <= place < end for start, end in _spans(document.text))


@lru_cache(maxsize=16)
def _spans(text: str) -> tuple[tuple[int, int], ...]:
    marked = tuple(match.span() for match in _MARKED.finditer(text))
    heads = tuple(match.span() for match in _HEAD.finditer(text))
    if heads and not any(start > heads[0][0] for start, _ in marked):
        return (*marked, (heads[0][0], len(text)))
    return (*heads, *marked)  # there may be replies between the quoted lines
