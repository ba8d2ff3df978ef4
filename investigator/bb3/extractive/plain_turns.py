"""Turns as plain words: what marks the parts of a prompt of BlenderBot 3 means nothing where somebody types it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.bb3.records import Turn

_CONTROL_TOKEN = re.compile(r"(?<!\w)__[A-Za-z][A-Za-z0-9-]*(?:_{1,2}[A-Za-z0-9-]+)*__(?!\w)")
_LABEL = re.compile(
    r"\b(?:(?:external|interesting|previous|personal) (?:knowledge|facts?|topics?)|(?:search|memory) (?:decision|query)"
    r"|(?:your|partner['’]s|person [12]['’]s) persona)[ \t]*:(?!\S)"
    r"|(?:^|(?<=[.!?:\n]))[ \t]*(?:person [12]|query|memory|memories|style|knowledge|topic|persona|you|partner|self"
    r"|system|user|human|assistant|bot)[ \t]*:(?!\S)",
    re.IGNORECASE,
)


def plain_turns(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns without labels of prompts ("External Knowledge:") and control tokens; the words after them stay."""
    return tuple(turn.changed(text=without_labels(turn.text)) for turn in turns)


def without_labels(text: str) -> str:
    """A text without labels of prompts at the beginnings of its sentences, and without control tokens."""
    bare = _CONTROL_TOKEN.sub(" ", text)
    while (shorter := _LABEL.sub(" ", bare).lstrip()) != bare:
        bare = shorter
    return bare
