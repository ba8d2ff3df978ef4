"""Gives the quotes that may support an answer their ids, and shows them in their surroundings. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field

from investigator.documents.pages import heading_at, page_at
from investigator.language.sentences import statement_spans
from investigator.proof.quotes import Load, quote_at
from investigator.records import Document, EvidenceDocument, EvidencePassage, EvidenceSpan, Memory, Quote, Table
from investigator.research.research_settings import AnswerSettings
from investigator.research.shown_documents import Span, about, merged_spans, with_sentences

_WHOLE = 1_200
"""A document up to this length (characters) is shown whole, so that what it does not mention can be checked too."""
_JOINED = 80
_LONGEST_HEADER = 600
_AROUND, _NEAREST = 220, 4
"""Characters shown before and after each quote; quotes shown as nearest, of documents that do not answer."""
_MANY = 8
"""From this number of documents on, less of the surroundings is shown."""


@dataclass(frozen=True)
class Evidence:
    """The quotes by id: E for those that may support a statement, N for the nearest of documents that do not answer."""

    quotes: Mapping[str, Quote] = field(default_factory=dict)

    @property
    def supports(self) -> bool:
        """Return True if any quote may support a statement."""
        return any(name.startswith("E") for name in self.quotes)

    def cited(self, ids: Iterable[str], kinds: str = "E") -> tuple[Quote, ...]:
        """Return the quotes with these ids, without unknown ids, duplicates and other kinds of ids."""
        known = (name.strip().strip("[]").upper() for name in ids)
        named = (name for name in known if name[:1] in kinds and name in self.quotes)
        return tuple(self.quotes[name] for name in dict.fromkeys(named))

    def ids_of(self, quotes: Iterable[Quote]) -> tuple[str, ...]:
        """Return the ids of the quotes that contain the given ones."""
        names = {quote: name for name, quote in self.quotes.items()}
        return tuple(names[quote] for quote in self.holding(quotes))

    def holding(self, quotes: Iterable[Quote], kinds: str = "EN") -> tuple[Quote, ...]:
        """Return the quotes of this evidence that contain the given ones, without other kinds of ids."""
        held = (
            own
            for quote in quotes
            for name, own in self.quotes.items()
            if name[:1] in kinds
            and own.document_id == quote.document_id
            and own.start <= quote.start
            and quote.end <= own.end
        )
        return tuple(dict.fromkeys(held))


def evidence_of(history: Sequence[Memory], others: Sequence[Memory], load: Load, settings: AnswerSettings) -> Evidence:
    """Return the evidence of the selected memories, and the nearest quotes of other memories.

    Quotes that overlap become one. Documents are in the order of their best point, quotes in the order of the text.
    """
    supporting = [memory for memory in history if memory.verdict.is_evidence and memory.quotes]
    places = _places(supporting, settings.evidence)
    near = sorted((memory for memory in others if memory.quotes), key=lambda memory: -(memory.point or 0))
    quotes = dict(_numbered(places, load))
    number = 0
    for memory in near:
        quote = max(memory.quotes, key=lambda quote: len(quote.text))  # not a header
        held = (each for each in quotes.values() if each.document_id == quote.document_id)
        if number < _NEAREST and not any(quote.start < each.end and each.start < quote.end for each in held):
            number += 1
            quotes[f"N{number}"] = quote
    return Evidence(quotes)


def merged_evidence(quotes: Iterable[Quote], load: Load) -> Evidence:
    """Return quotes as evidence; those that overlap become one."""
    places: dict[str, list[Span]] = {}
    for quote in quotes:
        places.setdefault(quote.document_id, []).append((quote.start, quote.end))
    return Evidence(_numbered(places, load))


def with_surroundings(evidence: Evidence, load: Load) -> Evidence:
    """Return the evidence with an id for each sentence and row around its quotes as well, so that all that is shown of
    a document can be cited.
    """
    places: dict[str, list[Span]] = {}
    by_document = _by_document(evidence.quotes)
    for document_id, own in by_document.items():
        document = load(document_id)
        quoted = sorted((quote.start, quote.end) for quote in own.values())
        for start, end in _stretches(document, own.values(), _less(_AROUND, by_document)):
            inside = [span for span in quoted if start <= span[0] < end]
            between = zip((start, *(last for _, last in inside)), (*(first for first, _ in inside), end), strict=True)
            unquoted = (
                (low + first, low + last)
                for low, high in between
                for first, last in statement_spans(document.text[low:high])
                if any(map(str.isalnum, document.text[low + first : low + last]))
            )
            places.setdefault(document_id, []).extend((*inside, *unquoted))
    return Evidence(_numbered(places, load))


def _numbered(places: Mapping[str, Sequence[Span]], load: Load) -> dict[str, Quote]:
    quotes: dict[str, Quote] = {}
    for document_id, spans in places.items():
        document = load(document_id)
        for start, end in merged_spans(spans, -1):
            quotes[f"E{len(quotes) + 1}"] = quote_at(document, start, end)
    return quotes


def _places(memories: Sequence[Memory], most: int) -> dict[str, list[Span]]:
    """Return the spans of at most `most` quotes by document; every memory's first quotes come before its later ones."""
    ranked = sorted(memories, key=lambda memory: -(memory.point or 0))
    places: dict[str, list[Span]] = {}
    turns = sorted(
        ((turn, rank, quote) for rank, memory in enumerate(ranked) for turn, quote in enumerate(memory.quotes)),
        key=lambda entry: entry[:2],
    )
    for _, _, quote in sorted(turns[:most], key=lambda entry: entry[1]):
        places.setdefault(quote.document_id, []).append((quote.start, quote.end))
    return places


def evidence_documents(
    quotes: Mapping[str, Quote], load: Load, points: Mapping[str, int] | None = None, around: int = _AROUND
) -> tuple[EvidenceDocument, ...]:
    """Return quotes by id, in their surroundings: each stretch of text once, with its quotes marked.

    `around` is the number of characters before and after each quote. If a quote stands in a table, the header rows of
    the table are shown with it; a short document is shown whole. `points` are those of the documents' best readings.
    """
    by_document = _by_document(quotes)
    less = _less(around, by_document)
    shown = (_shown(load(document_id), own, less) for document_id, own in by_document.items())
    return tuple(document.changed(point=(points or {}).get(document.document_id)) for document in shown)


def _by_document(quotes: Mapping[str, Quote]) -> dict[str, dict[str, Quote]]:
    by_document: dict[str, dict[str, Quote]] = {}
    for name, quote in quotes.items():
        by_document.setdefault(quote.document_id, {})[name] = quote
    return by_document


def _less(around: int, documents: Sized) -> int:
    return around if len(documents) < _MANY else around // 3


def _stretches(document: Document, quotes: Collection[Quote], around: int) -> list[Span]:
    if len(document.text) <= _WHOLE:
        return [(0, len(document.text))]
    return _surroundings(document, quotes, around)


def _shown(document: Document, quotes: Mapping[str, Quote], around: int) -> EvidenceDocument:
    whole = len(document.text) <= _WHOLE
    spans = _stretches(document, quotes.values(), around)
    passages = (
        EvidencePassage(
            spans=tuple(_marked(document.text, span, quotes)),
            heading="" if whole else heading_at(document.headings, _first_quote(span, quotes.values())),
            page=page_at(document.pages, span[0]),
        )
        for span in spans
    )
    return EvidenceDocument(
        document_id=document.id,
        title=document.title,
        about=about(document),
        whole=whole,
        passages=tuple(passages),
    )


def _first_quote(span: Span, quotes: Iterable[Quote]) -> int:
    """Return where the first quote in a span begins; its own beginning without one."""
    return min((quote.start for quote in quotes if span[0] <= quote.start < span[1]), default=span[0])


def _surroundings(document: Document, quotes: Iterable[Quote], around: int) -> list[Span]:
    spans: list[Span] = []
    for quote in quotes:
        spans.append(with_sentences(document.text, (quote.start, quote.end), around, around))
        spans += (header for table in document.tables if (header := _header(table, quote)) is not None)
    return merged_spans(spans, _JOINED)


def _header(table: Table, quote: Quote) -> Span | None:
    """Return the span of the caption and the header rows of a table that contains the quote."""
    if not table.start <= quote.start < table.end:
        return None
    ends = [cell.end for cell in table.cells if cell.row < table.header_rows]
    start = min(table.start, table.caption.start if table.caption is not None else table.start)
    end = max(ends, default=start)
    return (start, end) if 0 < end - start <= _LONGEST_HEADER else None


def _marked(text: str, span: Span, quotes: Mapping[str, Quote]) -> Iterable[EvidenceSpan]:
    """Yield the text of a span, with the quotes in it marked by their ids."""
    at, last = span
    inside = sorted((quote.start, quote.end, name) for name, quote in quotes.items() if at <= quote.start < last)
    for start, end, name in inside:
        if start > at:
            yield EvidenceSpan(text=text[at:start])
        if start >= at:
            yield EvidenceSpan(text=text[start:end], id=name)
            at = end
    if at < last:
        yield EvidenceSpan(text=text[at:last])
