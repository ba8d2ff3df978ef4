"""Removes the thoughts that a model writes before its reply, because they are not part of the reply."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TAG = re.compile(r"<(?P<closing>/?)(?:think|thinking|thought|thoughts|reasoning)>", re.IGNORECASE)
_STRING = re.compile(r'(?<=[\s:,\[{])"(?:[^"\\]|\\.)*+"(?=\s*[,:\]}])', re.DOTALL)
"""Matches a string inside JSON; a tag in it is quoted, perhaps from a document that tries to end the thought."""


def without_thoughts(text: str) -> str:
    """Return the text without `<think>...</think>` and similar tags.

    A thought that is never closed runs to the end; a thought that the prompt opened (only the closing tag appears)
    begins at the start.
    """
    kept: list[str] = []
    thinking, done = False, 0
    for tag in _tags(text):
        if tag["closing"]:
            if not thinking:
                kept.clear()
            thinking = False
            done = tag.end()
        elif not thinking:
            kept.append(text[done : tag.start()])
            thinking = True
    if not thinking:
        kept.append(text[done:])
    return "".join(kept)


def unclosed_thought(text: str) -> str:
    """Return the text of an unclosed thought, without its tag; empty if all are closed."""
    opening = None
    for tag in _tags(text):
        if tag["closing"]:
            opening = None
        elif opening is None:
            opening = tag
    return text[opening.end() :] if opening else ""


def _tags(text: str) -> Iterator[re.Match[str]]:
    """Yield the tags of thoughts, except those inside a JSON string."""
    if not _TAG.search(text):
        return
    quoted = _STRING.finditer(text)
    string = next(quoted, None)
    for tag in _TAG.finditer(text):
        while string is not None and string.end() <= tag.start():
            string = next(quoted, None)
        if string is None or tag.start() < string.start():
            yield tag
