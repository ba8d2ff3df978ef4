"""Finds every place where words occur: a complete search of the index, without ranking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from investigator.language.sentences import sentence_spans
from investigator.language.terms import porter_stem, stop_words, words
from investigator.records import Chunk, Document, Mentioning, Passage
from investigator.retrieval.passage_search import passage_at
from investigator.retrieval.sources import CorpusView, WordSearch

_CURLY = re.compile("[\u201c\u201d\u201e\u00ab\u00bb]")
_PHRASE = re.compile(r'"([^"]*)"|([^\s"]+)')


def phrases_of(query: str) -> tuple[str, ...]:
    """Return the words of a query and its phrases in double quotation marks, without duplicates; stop words only in
    phrases, unless there are no other words.
    """
    phrases_and_words = (" ".join(words(phrase or word)) for phrase, word in _PHRASE.findall(_CURLY.sub('"', query)))
    phrases = tuple(dict.fromkeys(phrase for phrase in phrases_and_words if phrase))
    return tuple(phrase for phrase in phrases if phrase not in stop_words()) or phrases


def mentioning(corpus: CorpusView, full_text: WordSearch, phrases: Sequence[str]) -> Iterator[Mentioning]:
    """Yield the documents that contain every phrase, by id, with each sentence or line that contains one of them.

    Words match in all forms with the same stem, as in the index; a phrase that runs over the end of a passage, such as
    that of a page, is not found. Raises StoreError.
    """
    holders = full_text.holders(phrases)
    documents = frozenset.intersection(*holders.values()) if holders else frozenset[str]()
    chunks = sorted((name, chunk_id) for chunk_id, name in full_text.holding(phrases).items() if name in documents)
    for name, own in groupby(chunks, key=lambda entry: entry[0]):
        document = corpus.document(name)
        spans = corpus.chunk_spans([chunk_id for _, chunk_id in own])
        yield Mentioning(
            document_id=name, title=document.title, passages=tuple(_passages(document, spans, _stems(phrases)))
        )


def _stems(phrases: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(porter_stem, phrase.split())) for phrase in phrases)


def _passages(document: Document, chunks: Mapping[int, Chunk], phrases: Sequence[tuple[str, ...]]) -> Iterator[Passage]:
    """Yield the sentences of chunks that contain a phrase; of a phrase that runs across sentences, the whole chunk."""
    last = -1
    for chunk in sorted(chunks.values(), key=lambda chunk: chunk.start):
        text = document.text[chunk.start : chunk.end]
        held = [span for span in sentence_spans(text) if _holds(text[slice(*span)], phrases)]
        for start, end in held or [(0, len(text))]:
            if chunk.start + start >= last:  # chunks may overlap
                last = chunk.start + end
                yield passage_at(document, chunk.start + start, last)


def _holds(text: str, phrases: Sequence[tuple[str, ...]]) -> bool:
    stems = tuple(map(porter_stem, words(text)))
    return any(
        stems[at : at + len(phrase)] == phrase
        for phrase in phrases
        for at in range(len(stems) - len(phrase) + 1)
        if stems[at] == phrase[0]
    )
