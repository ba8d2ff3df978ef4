"""The filters available to templates. They convert plain values to plain values, and never make a short string long.

`data`, `line` and `attribute` prevent the text of documents from looking like part of the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from jinja2 import Undefined

from investigator.language.undisguised import undisguised
from investigator.records.base import Plain

MOST_CHARACTERS = 4_000_000
"""Maximum number of characters of a rendered template: about a million tokens."""

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


def joined(values: Sequence[Plain], between: str = "") -> str:
    """Return the items of a list as one string."""
    texts = [str(value) for value in values]
    _check_length(sum(map(len, texts)) + len(texts) * len(between))
    return between.join(texts)


def replaced(text: str, old: str, new: str) -> str:
    """Return a string with each occurrence of `old` replaced with `new`."""
    _check_length(len(text) + text.count(old) * len(new))
    return text.replace(old, new)


def mapped(values: Sequence[Mapping[str, Plain]], attribute: str) -> list[Plain]:
    """Return one attribute of each item in a list."""
    return [value[attribute] for value in values]


def truncated(text: str, length: int = 255) -> str:
    """Return a string truncated between words to the given number of characters, with "..." in place of the rest.

    A string that exceeds the length by at most 5 characters stays whole.
    """
    if length < 3:
        raise ValueError("'truncate' takes a length of at least 3")
    return text if len(text) <= length + 5 else f"{text[: length - 3].rsplit(' ', 1)[0]}..."


def default(value: Plain | Undefined, other: Plain = "") -> Plain:
    """Return a value, or the given default if the value is undefined."""
    return other if isinstance(value, Undefined) else value


def first(values: Sequence[Plain]) -> Plain:
    """Return the first item of a list."""
    return values[0]


def last(values: Sequence[Plain]) -> Plain:
    """Return the last item of a list."""
    return values[-1]


FILTERS: Mapping[str, Callable[..., Plain]] = {
    "attribute": as_attribute,
    "capitalize": str.capitalize,
    "data": as_data,
    "default": default,
    "first": first,
    "join": joined,
    "last": last,
    "length": len,
    "line": as_line,
    "lower": str.lower,
    "map": mapped,
    "number": number,
    "replace": replaced,
    "trim": str.strip,
    "truncate": truncated,
    "upper": str.upper,
}


def _check_length(characters: int) -> None:
    if characters > MOST_CHARACTERS:
        raise ValueError(f"its text has more than {MOST_CHARACTERS:,} characters")
