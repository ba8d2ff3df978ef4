"""Writes raised digits of a PDF page as such, so that 10\u2076 is not read as 106."""

from __future__ import annotations

import re
from typing import Any

from investigator.documents.readers.pdf.orientation import Orientation

_RUN = re.compile(r"(?<=[\w)\u2212-])[0-9]{1,12}(?![0-9])|[0-9]{2,12}")
_RAISED = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
_SMALLER = 0.85  # size of a raised digit, as a share of the letter before it
_SAME_LINE, _NEXT = 0.2, 2.5  # distances from the line and from the raised digit, as shares of the line's height
_HIGHER = 0.15  # height above its line, as a share of that letter's size


def with_raised_digits(textpage: Any, raw: str, turned: Orientation) -> str:
    """Return pdfium's text of a page with raised digits in place of plain ones that are smaller and higher than the
    letter before them; the line goes on behind them. The length of the text stays as it is.
    """
    if textpage.count_chars() != len(raw):
        return raw
    import pypdfium2.raw as pdfium

    characters, size, handle = list(raw), pdfium.FPDFText_GetFontSize, textpage.raw
    for match in _RUN.finditer(raw):
        last = match.end() - 1
        first = match.start() - 1 if match.start() and not raw[match.start() - 1].isspace() else match.start()
        if first == last or size(handle, last) >= _SMALLER * size(handle, first):
            continue
        at = last
        while at > first and _is_raised(textpage, first, at, turned):
            characters[at] = raw[at].translate(_RAISED)
            at -= 1
        if at < last and _goes_on(textpage, raw, first, last, turned):
            characters[last + 1 : last + 3] = "  "
    return "".join(characters)


def _goes_on(textpage: Any, raw: str, before: int, raised: int, turned: Orientation) -> bool:
    """Return True if pdfium breaks a line behind a raised digit, although the line goes on."""
    after = raised + 3
    if raw[raised + 1 : after] != "\r\n" or after >= len(raw):
        return False
    while after < len(raw) and raw[after] == " ":
        after += 1
    if after >= len(raw) or raw[after].isspace():
        return False
    line, mark, goes_on = (turned.upright(*textpage.get_charbox(at, loose=True)) for at in (before, raised, after))
    height = max(line.top - line.bottom, 1.0)
    return abs(goes_on.bottom - line.bottom) < _SAME_LINE * height and 0 <= goes_on.left - mark.left < _NEXT * height


def _is_raised(textpage: Any, before: int, at: int, turned: Orientation) -> bool:
    import pypdfium2.raw as pdfium

    size = pdfium.FPDFText_GetFontSize(textpage, before)
    if size <= 0 or pdfium.FPDFText_GetFontSize(textpage, at) >= _SMALLER * size:
        return False
    line = turned.upright(*textpage.get_charbox(before))
    own = turned.upright(*textpage.get_charbox(at))
    height = max(line.top - line.bottom, 1.0)
    return own.bottom > line.bottom + _HIGHER * height and own.left >= line.left
