"""Pages, lines and headings in a document's text. All offsets count characters of the stored text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from investigator.records import Heading, PageSpan

_BREAK = "\n\n"


def line_at(text: str, offset: int) -> int:
    """Return the line number, from 1, of the character at `offset`; a line break belongs to the line that it ends."""
    return text.count("\n", 0, offset) + 1


def page_at(pages: Sequence[PageSpan], offset: int) -> int | None:
    """Return the page that contains `offset`, or the first of two pages if it is between them; None if no page does.

    `pages` are in the order of the text.
    """
    index = bisect_right(pages, offset, key=lambda span: span.start) - 1
    return pages[index].page if index >= 0 else None


def heading_at(headings: Sequence[Heading], offset: int) -> str:
    """Return the last heading at or before `offset`, or "". `headings` are in the order of the text."""
    index = bisect_right(headings, offset, key=lambda heading: heading.start) - 1
    return headings[index].text if index >= 0 else ""


def joined_pages(texts: Sequence[str]) -> tuple[str, tuple[PageSpan, ...]]:
    """Join the pages' texts with empty lines, and return the span of each page that has text."""
    spans: list[PageSpan] = []
    offset = 0
    for number, text in enumerate(texts, start=1):
        if text:
            spans.append(PageSpan(page=number, start=offset, end=offset + len(text)))
            offset += len(text) + len(_BREAK)
    return _BREAK.join(text for text in texts if text), tuple(spans)


def listed_pages(indices: Iterable[int]) -> str:
    """Format sorted page indices, counted from 0, for a reader: `page 4`, `pages 1, 3-7`."""
    runs: list[list[int]] = []
    for number in (index + 1 for index in indices):
        if runs and runs[-1][-1] == number - 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    words = ", ".join("-".join(map(str, run)) for run in runs)
    return f"page {words}" if len(runs) == 1 and len(runs[0]) == 1 else f"pages {words}"
