"""Dates as files write them, as ISO 8601 dates."""

from __future__ import annotations

import re
from datetime import date
from email.utils import parsedate

_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_PDF = re.compile(r"(?:D:)?(\d{4})(\d{2})(\d{2})(?:\d{6}|\D|$)")
_YEAR = re.compile(r"(1[5-9]|20)\d\d")


def iso_date(text: str | None) -> str | None:
    """The day of a date in ISO, PDF (`D:20220930...`) or mail form, as YYYY-MM-DD; a bare year as YYYY; else None."""
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
