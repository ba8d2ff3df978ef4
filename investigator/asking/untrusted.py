"""Filters of the templates: text of documents, of which nothing can pass for a part of the prompt. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from investigator.language.undisguised import undisguised

_DELIMITER = re.compile(r"<(?=\s*/?\s*(?:passage|document|memory|evidence|turn|fact)\b)")
_HIDDEN = re.compile(
    "(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]+|(?<=\U0001f3f4)[\U000e0020-\U000e007f]{8,}"
)
"""Tag characters except those of flags: invisible to a human who reads a document, and words to many a model."""
_NO_WIDTH = "\u200b"


def as_data(value: object) -> str:
    """Return text of a document that cannot close the tags around it, and holds nothing that only a model sees.

    A character without width is put into tags that look like ours, even if they are written with blanks, or in wide or
    look-alike letters. Quotes are compared without such characters, so a quote that runs over one is still found in the
    source.
    """
    text = _HIDDEN.sub("", str(value))
    folded = undisguised(text)
    marks = [folded.span(mark.start(), mark.end())[1] for mark in _DELIMITER.finditer(folded.text)]
    return _NO_WIDTH.join(text[start:end] for start, end in pairwise((0, *marks, len(text))))


def as_line(value: object) -> str:
    """Return text of a document or of a model that cannot leave its line, for places without tags around it."""
    return " ".join(as_data(value).split())


def as_attribute(value: object) -> str:
    """Return text of a document that cannot leave the attribute it is in."""
    return as_line(value).replace('"', "'")
