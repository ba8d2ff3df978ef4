"""What a model thinks aloud before it replies is no part of its reply."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?P<closing>/?)(?:think|thinking|thought|thoughts|reasoning)>", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """The text without `<think>...</think>` and its kin.

    A thought that is never closed runs to the end; one that was opened in the prompt (a closing tag alone) began
    at the beginning.
    """
    kept: list[str] = []
    thinking, done = False, 0
    for tag in _TAG.finditer(text):
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
    """The thought that is never closed, without its tag; empty where there is none."""
    opening = None
    for tag in _TAG.finditer(text):
        if tag["closing"]:
            opening = None
        elif opening is None:
            opening = tag
    return text[opening.end() :] if opening else ""
