"""Pages that are read one by one become one text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from investigator.records import PageSpan

_BREAK = "\n\n"


def joined(texts: Sequence[str]) -> tuple[str, tuple[PageSpan, ...]]:
    """The pages' texts as one text, parted by an empty line, with the span of each page that has text."""
    spans: list[PageSpan] = []
    offset = 0
    for number, text in enumerate(texts, start=1):
        if text:
            spans.append(PageSpan(page=number, start=offset, end=offset + len(text)))
            offset += len(text) + len(_BREAK)
    return _BREAK.join(text for text in texts if text), tuple(spans)


def listed(indices: Iterable[int]) -> str:
    """Indices of pages, from 0 and in order, as a reader counts them: `page 4`, `pages 1, 3-7`."""
    runs: list[list[int]] = []
    for number in (index + 1 for index in indices):
        if runs and runs[-1][-1] == number - 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    words = ", ".join("-".join(map(str, run)) for run in runs)
    return f"page {words}" if len(runs) == 1 and len(runs[0]) == 1 else f"pages {words}"
