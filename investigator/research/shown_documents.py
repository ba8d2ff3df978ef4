"""Chooses what an engine sees of a document: all of it, or the passages that match, in the order of the text. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.documents.pages import heading_at, page_at
from investigator.language.addressed import addresses_model
from investigator.language.normalise import one_line
from investigator.language.relevance import best_stretch, stems
from investigator.language.sentences import sentence_spans, statement_spans
from investigator.language.terms import content_words, words
from investigator.records import Document, DocumentCard, PlanDocument, ShownDocument, ShownPassage
from investigator.research.research_settings import ReadingLimits
from investigator.retrieval.library import Library

Span = tuple[int, int]

_OPENING = 400
"""Characters from the beginning of a long document, which say what it is: title, parties, date, abstract."""
_SHOWN_OPENING = 110
_BEFORE, _AFTER = 80, 150
"""Characters shown before and after a match, so that a sentence is not separated from the one that explains it."""
_MARGIN = 300
"""Characters before and after a span in which its sentences may begin and end."""
_JOINED = 160
"""Passages with at most this many characters between them are shown as one."""
_RANKED = 24
"""Number of matches of each query that are considered in a document."""
_RANK_CONSTANT = 3
PLANNED_CHARACTERS = 220
"""Length of a passage that the planner sees."""


def shown_document(
    library: Library,
    document_id: str,
    queries: Sequence[str],
    question: str,
    limits: ReadingLimits,
    *,
    match: float | None = None,
    is_reranked: bool = False,
) -> ShownDocument:
    """Return a document as an engine reads it for a question: whole if it is short, otherwise its beginning and the
    passages that match the queries, up to `limits.characters`.

    With `is_reranked`, the reranker orders the passages of each, which takes longer. Raises KeyError for an unknown
    document.
    """
    document = library.document(document_id)
    length = len(document.text)
    spans, ranked = [(0, length)], list[Span]()
    if length > max(limits.whole_characters, limits.characters):
        ranked = _best_chunks(library, document_id, queries, is_reranked=is_reranked)
        spans = _matching_spans(document, ranked, limits.characters)
    return ShownDocument(
        document_id=document_id,
        title=document.title,
        about=about(document),
        question=question,
        whole=list(spans) == [(0, length)],
        passages=tuple(
            _passage(document, span, match, ranked) for span in spans if document.text[slice(*span)].strip()
        ),
        addresses_model=any(
            True
            for text in (document_id, document.title, *(document.text[slice(*span)] for span in spans))
            for _ in addresses_model(text)
        ),
    )


def plan_document(
    library: Library,
    card: DocumentCard,
    queries: Sequence[str],
    passages: int = 2,
) -> PlanDocument:
    """Return a document as the planner sees it: what it is, its beginning, and its best passages around the match."""
    document = library.document(card.document_id)
    wanted = stems(word for query in queries for word in content_words(query))
    texts: dict[str, None] = {}
    for start, end in _best_chunks(library, card.document_id, queries, is_reranked=False)[:passages]:
        excerpt = excerpt_of(document.text[start:end], wanted, PLANNED_CHARACTERS)
        texts[one_line(excerpt)] = None
    return PlanDocument(
        document_id=card.document_id,
        title=card.title,
        pages=card.pages,
        about=about(document),
        opening=one_line(document.text[:_SHOWN_OPENING]),
        passages=tuple(texts),
        match=card.match,
    )


def about(document: Document) -> str:
    """Return what a document states about itself: issuer, date and period; without a date in its text, the day in its
    properties.
    """
    own = document.imprint
    period = own.period_end and f"period ended {own.period_end}"
    dated = own.dated and f"dated {own.dated}"
    changed = "" if dated or period or not document.date else f"properties: {document.date}"
    return ", ".join(part for part in (own.issuer, dated, period, changed) if part)


def excerpt_of(text: str, wanted: frozenset[str], characters: int) -> str:
    """Return the sentences of a text, up to a length, around the one that contains most of the wanted stems."""
    spans = list(sentence_spans(text)) or [(0, len(text))]
    start, end = best_stretch(text, spans, wanted, characters)
    if end - start > characters:  # one long sentence, or a table: show the stretch with the wanted words
        start = _densest(text, start, end, wanted, characters)
    return text[start : min(end, start + characters)]


def _densest(text: str, start: int, end: int, wanted: frozenset[str], characters: int) -> int:
    """Return the start of the window that contains most of the wanted stems; windows begin at words."""
    step = max(1, characters // 4)
    starts = [text.find(" ", at) + 1 or at for at in range(start, end, step)]
    return max([start, *starts], key=lambda at: len(wanted & stems(words(text[at : min(end, at + characters)]))))


def _matching_spans(document: Document, ranked: Sequence[Span], characters: int) -> list[Span]:
    """Return the beginning of a document and the spans around its matches, merged, in the order of the text."""
    chosen = [(0, with_sentences(document.text, (0, 0), 0, min(_OPENING, characters // 4))[1])]
    for span in ranked:
        wide = with_sentences(document.text, span, _BEFORE, _AFTER)
        merged = merged_spans([*chosen, wide], _JOINED)
        if sum(last - first for first, last in merged) > characters and len(chosen) > 1:
            break
        chosen = merged
    return chosen


def _best_chunks(library: Library, document_id: str, queries: Sequence[str], *, is_reranked: bool) -> list[Span]:
    """Return the spans of the best chunks of a document; those that rank high for several queries come first.

    Source: reciprocal rank fusion, Cormack, Clarke and Buettcher (2009), with a constant that was chosen on the
    development rows of `benchmarks/models.py`.
    """
    scores: dict[Span, float] = {}
    for query in dict.fromkeys(queries):
        for rank, span in enumerate(library.spans(query, document_id, _RANKED, is_reranked=is_reranked)):
            scores[span] = scores.get(span, 0.0) + 1 / (_RANK_CONSTANT + rank)
    return sorted(scores, key=lambda span: -scores[span])


def with_sentences(text: str, span: Span, before: int, after: int) -> Span:
    """Return a span with the sentences, rows and list items around it that its surroundings touch.

    A sentence that goes on for more than a few hundred characters beyond the surroundings is left out, unless there is
    no other; the span itself never is: it may be a row of a long table, whose lines end in no full stop.
    """
    start, end = max(0, span[0] - before), min(len(text), span[1] + after)
    low, high = max(0, start - _MARGIN), min(len(text), end + _MARGIN)
    spans = [(low + first, low + last) for first, last in statement_spans(text[low:high])]
    whole = spans[low > 0 : len(spans) - (high < len(text))]  # those at the borders may go on beyond them
    touched = [(first, last) for first, last in whole if first < end and last > start]
    if not touched:
        return start, end
    return min(touched[0][0], span[0]), max(touched[-1][1], span[1])


def merged_spans(spans: Sequence[Span], gap: int) -> list[Span]:
    """Return spans in order, with those joined that overlap or have at most `gap` characters between them."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _passage(document: Document, span: Span, match: float | None, ranked: Sequence[Span]) -> ShownPassage:
    start, end = span
    inside = (rank for rank, (first, last) in enumerate(ranked) if start <= first and last <= end)
    return ShownPassage(
        text=document.text[start:end],
        start=start,
        heading=heading_at(document.headings, start),
        page=page_at(document.pages, start),
        match=match,
        rank=next(inside, len(ranked)),
    )
