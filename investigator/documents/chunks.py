"""Cuts a document into chunks, the spans that are indexed and retrieved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from pydantic import Field

from investigator.documents.pages import heading_at, page_at
from investigator.language.sentences import sentence_spans
from investigator.records import Chunk, Document, Heading, Record

_Span = tuple[int, int]

_LONGEST_HEADING_LINE = 200
FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*\n", re.DOTALL)
"""Matches the fields (YAML, TOML) at the beginning of a Markdown file."""
_PARAGRAPH_END = re.compile(r"\n\s*\n")


class ChunkSettings(Record):
    """Size limits for chunks, in characters."""

    target: int = Field(
        default=800, ge=100, le=10_000, description="target length of a chunk, in characters; at most half as much more"
    )

    @property
    def maximum(self) -> int:
        """Return the maximum length of a chunk."""
        return self.target * 3 // 2


def split(document: Document, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Return the chunks of a document, in order and without overlap; together they cover everything but whitespace.

    Chunks end at sentence boundaries; a sentence is split only if it is longer than `maximum`, at a line break or a
    space if possible. No chunk crosses a page boundary, and a heading starts a new chunk.
    """
    return tuple(
        Chunk(
            document_id=document.id,
            start=start,
            end=end,
            page=page_at(document.pages, start),
            heading=heading_at(document.headings, start),
        )
        for begin, finish in pairwise(_borders(document))
        for start, end in _grouped(document.text, begin, finish, settings)
    )


def _borders(document: Document) -> list[int]:
    """Return the offsets that no chunk crosses: ends of pages and front matter, headings behind body text."""
    borders = {0, len(document.text)}
    if document.media_type == "text/markdown" and (front := FRONT_MATTER.match(document.text)):
        borders.add(front.end())
    for span in document.pages:
        borders.update((span.start, span.end))
    for before, heading in pairwise([None, *document.headings]):
        if heading is not None and not _directly_follows(document.text, before, heading):
            borders.add(heading.start)
    return sorted(borders)


def _directly_follows(text: str, before: Heading | None, heading: Heading) -> bool:
    if before is None:
        return False
    between = text[before.start : heading.start].strip()
    return len(between) <= _LONGEST_HEADING_LINE and "\n" not in between


def _pieces(text: str, start: int, end: int, maximum: int) -> Iterator[_Span]:
    """Yield a span in pieces of at most `maximum` characters, split at a line break, a space, or anywhere."""
    while end - start > maximum:
        cut = _last(text, "\n", start, maximum) or _last(text, " ", start, maximum) or start + maximum
        if stop := len(text[start:cut].rstrip()):
            yield start, start + stop
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end


def _last(text: str, mark: str, start: int, maximum: int) -> int:
    """Return the offset of the last `mark` in the second half of the window; 0 if none is found."""
    return max(text.rfind(mark, start + maximum // 2, start + maximum), 0)


def _grouped(text: str, begin: int, finish: int, settings: ChunkSettings) -> Iterator[_Span]:
    """Merge neighbouring sentences into spans of the target length, or up to the maximum if still short."""
    current: _Span | None = None
    sentences = sentence_spans(text[begin:finish])
    for start, end in (p for a, b in sentences for p in _pieces(text, begin + a, begin + b, settings.maximum)):
        if current is None:
            current = (start, end)
        elif _fits(text, current, start, end, settings):
            current = (current[0], end)
        else:
            yield current
            current = (start, end)
    if current is not None:
        yield current


def _fits(text: str, current: _Span, start: int, end: int, settings: ChunkSettings) -> bool:
    filled, together = current[1] - current[0], end - current[0]
    half_full = filled >= settings.target // 2
    if half_full and _PARAGRAPH_END.search(text, current[1], start):
        return together <= settings.target * 3 // 4
    return together <= settings.target or (together <= settings.maximum and not half_full)
