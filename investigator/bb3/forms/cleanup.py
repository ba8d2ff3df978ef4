"""What a model wrote, tidied as BB3's 30B and 175B tidy it (seed: bb3_agents)."""

from __future__ import annotations

from collections.abc import Sequence


def cleaned(texts: Sequence[str], *, take_last_newline: bool = False, allow_newline: bool = False) -> list[str]:
    """Generations without what is around them.

    Newlines and blanks at the ends go. Where one of the texts still has several lines, each is cut down to its first
    line, or the last with `take_last_newline`, and there to what comes after the last colon; with `allow_newline` it is
    left alone. Texts that have nothing to do with each other are best given one by one.
    """
    texts = [text.strip("\n") for text in texts]
    if not allow_newline and any("\n" in text for text in texts):
        chosen = -1 if take_last_newline else 0
        texts = [text.split("\n")[chosen].rpartition(":")[2] for text in texts]
    return [text.strip() for text in texts]
