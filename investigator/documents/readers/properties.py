"""Finds the title and the date of a document."""

from __future__ import annotations

import re
from datetime import date
from email.utils import parsedate
from itertools import takewhile

from investigator.language.late_patterns import late

_GENERATED = late(
    r"^(?:microsoft (?:word|powerpoint|excel) - |untitled|document\d*$|slide 1$|powerpoint presentation$)", re.I
)
_FILE_NAME = late(r"^\S+\.(?:docx?|pptx?|xlsx?|pdf|rtf|odt|tex|dvi|indd|qxd|wpd|txt|html?)$|^[a-z][a-z+.-]+:\S+$", re.I)
"""Matches the name of a file, or an address, which a browser that prints gives as title."""
_LETTERS = late(r"[^\W\d_]{2}")
_ISO = late(r"(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_PDF = late(r"(?:D:)?(\d{4})(\d{2})(\d{2})(?:\d{6}|\D|$)")
_YEAR = late(r"(1[5-9]|20)\d\d")
_WIDE = late("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def honest_title(title: str) -> str:
    """Return the title in a file's properties, or "" if a program made it, or it is a file name or an address."""
    title = " ".join(title.split())
    if _GENERATED.match(title) or _FILE_NAME.match(title) or not _is_worded(title):
        return ""
    return title


def first_title_line(text: str) -> str:
    """Return the first short paragraph of the text, or its first line with words, if it looks like a title."""
    paragraph = " ".join(text.lstrip()[:400].partition("\n\n")[0].split())
    if is_title_like(paragraph):
        return paragraph
    for line in text[:4000].split("\n")[:12]:
        line = " ".join(line.split())
        if _is_worded(line):
            return line if is_title_like(line) else ""
    return ""


def is_title_like(line: str) -> bool:
    """Return True if a line could be a title: 3 to 200 characters with words, not ending like a clause or table row."""
    return 3 <= len(line) <= 200 and _is_worded(line) and not line.endswith((".", ",", ";", ":", "。", "、", "|"))


def largest_title(lines: list[tuple[str, float]]) -> str:
    """Return the title among `lines`, which are given with their letter heights: the largest line, if it is larger than
    the body text. Neighbouring lines of that size form one title.
    """
    worded = [(" ".join(line.split()), height) for line, height in lines if _is_worded(line)]
    if not worded:
        return ""
    heights = sorted(height for _, height in worded)
    usual, largest = heights[len(heights) // 2], heights[-1]
    if largest < 1.15 * usual:
        return ""
    at = next(index for index, (_, height) in enumerate(worded) if height == largest)
    title = " ".join(line for line, _ in takewhile(lambda item: item[1] > 0.97 * largest, worded[at : at + 6]))
    return title if 3 <= len(title) <= 300 else ""


def _is_worded(text: str) -> bool:
    return bool(_LETTERS.search(text) or _WIDE.search(text))


def iso_date(text: str | None) -> str | None:
    """Convert a date in ISO, PDF (`D:20220930...`) or mail format to YYYY-MM-DD, or a bare year to YYYY; return None
    for anything else.
    """
    text = (text or "").strip()
    if match := _ISO.match(text) or _PDF.match(text):
        return _day(*(int(part) for part in match.groups()))
    if _YEAR.fullmatch(text):
        return text
    parsed = parsedate(text)
    return _day(*parsed[:3]) if parsed else None


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
