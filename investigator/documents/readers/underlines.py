"""Headings that are underlined, as in Markdown and reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.records import Heading

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def underlined(text: str, rule: re.Pattern[str], front: int) -> Iterator[Heading]:
    """One-line paragraphs from offset `front` on that have a line below them which fits `rule`."""
    before, offset_before, previous = "", 0, ""
    for offset, line in outside_code(text, front):
        title = before.strip()
        is_title = bool(title) and not rule.match(before) and not title.startswith((">", "|", "- ", "* ", "#"))
        alone = not previous.strip() or bool(rule.match(previous))
        if is_title and alone and rule.match(line) and (len(line.strip()) >= 3 or line.strip() == "="):
            yield Heading(text=title, start=offset_before)
        previous, before, offset_before = before, line, offset


def outside_code(text: str, front: int) -> Iterator[tuple[int, str]]:
    """The lines from offset `front` on, with their offsets; fenced code gives empty ones."""
    offset, fence = front, ""
    for line in text[front:].split("\n"):
        mark = _FENCE.match(line)
        if fence:
            yield offset, ""
            if mark and mark.group(1).startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif mark:
            fence = mark.group(1)
            yield offset, ""
        else:
            yield offset, line
        offset += len(line) + 1
