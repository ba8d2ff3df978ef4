"""A folder limited to some of its documents."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.records import Document, DocumentCard, LeftOut, Passage, SearchHit, Unreadable
from investigator.retrieval.library import DocumentIndex

_DOCUMENTS = 5  # number of documents searched for passages if no document is given


class ScopedIndex:
    """An index limited to the documents in a scope; word frequencies refer to the whole folder."""

    def __init__(self, inner: DocumentIndex, scope: Sequence[str]) -> None:
        self._inner = inner
        self._scope = frozenset(scope)

    def document_ids(self) -> tuple[str, ...]:
        """Return the sorted ids of the documents in the scope that were read."""
        return tuple(document_id for document_id in self._inner.document_ids() if document_id in self._scope)

    def document(self, document_id: str) -> Document:
        """Return a document with its text. Raises KeyError for a document outside the scope."""
        if document_id not in self._scope:
            raise KeyError(document_id)
        return self._inner.document(document_id)

    def unreadable(self) -> tuple[Unreadable, ...]:
        """Return the documents in the scope that could not be read, with the reasons."""
        return tuple(file for file in self._inner.unreadable() if file.path in self._scope)

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return nothing, because excluded files are outside the scope."""
        return ()

    def cards(self, queries: Sequence[str]) -> tuple[DocumentCard, ...]:
        """Return the documents in the scope, the most promising for any of the queries first."""
        return tuple(card for card in self._inner.cards(queries) if card.document_id in self._scope)

    def expect(self, queries: Sequence[str]) -> None:
        """Prepare to search for passages with these queries."""
        self._inner.expect(queries)

    def passages(self, queries: Sequence[str], document_id: str | None = None) -> tuple[Passage, ...]:
        """Return the best passages for the given queries, best first, in one document or in the most promising
        documents in the scope.

        The passages have no document probability, because the user chose the documents.
        """
        if document_id is not None:
            passages = self._inner.passages(queries, document_id) if document_id in self._scope else ()
            return tuple(passage.changed(document_match=None) for passage in passages)
        likeliest = [card.document_id for card in self.cards(queries[:1])][:_DOCUMENTS]
        each = [self.passages(queries, document_id) for document_id in likeliest]
        every = sorted((passage for some in each for passage in some), key=lambda passage: -passage.score)
        return tuple(every[: max(map(len, each), default=0)])

    def hits(self, query: str, limit: int, document_id: str | None = None) -> tuple[SearchHit, ...]:
        """Return the best chunks for a query, in one document of the scope or in all of them."""
        if document_id is not None:
            return self._inner.hits(query, limit, document_id) if document_id in self._scope else ()
        every = (hit for name in sorted(self._scope) for hit in self._inner.hits(query, limit, name))
        return tuple(sorted(every, key=lambda hit: -hit.passage.score)[:limit])

    def spans(self, query: str, document_id: str, limit: int, *, is_reranked: bool) -> tuple[tuple[int, int], ...]:
        """Return the spans of the best chunks of a document in the scope."""
        return (
            self._inner.spans(query, document_id, limit, is_reranked=is_reranked) if document_id in self._scope else ()
        )

    def holders(self, query: str) -> frozenset[str]:
        """Return the documents in the scope that contain a word of a query."""
        return self._inner.holders(query) & self._scope


def within(index: DocumentIndex, scope: Sequence[str]) -> DocumentIndex:
    """Return the index limited to a scope; an empty scope sets no limit."""
    return ScopedIndex(index, scope) if scope else index
