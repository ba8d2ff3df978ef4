"""The filters that templates can use in addition to those of Jinja2.

`data`, `line` and `attribute` prevent the text of documents from looking like part of the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise

from investigator.language.undisguised import undisguised
from investigator.records.base import Plain

_DELIMITER = re.compile(r"<(?=\s*/?\s*(?:document|memory|evidence|turn|fact)\b)|\[(?=\s*/?\s*[en]\s*\d)", re.IGNORECASE)
"""Matches the beginnings of our tags, and of the marks around quotes: `[E1]`, `[/N2]`."""
_HIDDEN = re.compile(
    "(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]+|(?<=\U0001f3f4)[\U000e0020-\U000e007f]{8,}"
)
"""Matches tag characters, except those of flags; they are invisible to people, but many models can read them."""
_NO_WIDTH = "\u200b"


def as_data(value: Plain) -> str:
    """Escape a document's text so that it cannot close the tags around it, and remove what only models can see.

    A zero-width character is inserted into tags that look like ours, even if written with spaces, or in wide or
    look-alike letters. Quotes are compared without such characters, so a quote that contains one is still found in the
    source.
    """
    text = str(value)
    return text if text.isascii() and "<" not in text and "[" not in text else _as_data(text)


@lru_cache(maxsize=1024)  # all prompts of a run contain the question, and many contain the same passages
def _as_data(value: str) -> str:
    text = _HIDDEN.sub("", value)
    folded = undisguised(text)
    marks = [folded.span(mark.start(), mark.end())[1] for mark in _DELIMITER.finditer(folded.text)]
    return _NO_WIDTH.join(text[start:end] for start, end in pairwise((0, *marks, len(text))))


def as_line(value: Plain) -> str:
    """Return text from a document or a model as a single line, for use outside tags."""
    return " ".join(as_data(value).split())


def as_attribute(value: Plain) -> str:
    """Escape text from a document or a model so that it cannot end an attribute in double quotes."""
    return as_line(value).replace('"', "'")


def number(value: float, digits: int = 0) -> str:
    """Return a number with the given number of digits after the decimal point, at most 10."""
    if not isinstance(value, int | float) or digits not in range(11):
        raise ValueError("'number' takes a number, and between 0 and 10 digits")
    return f"{value:.{digits}f}"


FILTERS: Mapping[str, Callable[..., str]] = {
    "attribute": as_attribute,
    "data": as_data,
    "line": as_line,
    "number": number,
}
