"""The sentences, rows and list items that may answer a question, and their features. Pure, except for the embedder."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

import numpy as np

from investigator.engines.base import Embedder, Vectors
from investigator.language.relevance import stems
from investigator.language.sentences import statement_spans
from investigator.language.terms import content_words, stem, words
from investigator.records import EvidenceDocument, Record, ShownDocument
from investigator.scoring.calibration import log_odds

Span = tuple[int, int]

_HEADING = re.compile(r"\s*#{1,6}\s")  # Markdown headings
_SEPARATORS = " ;,|\n\t"
_LONGEST_SENTENCE = 500
_SHORTEST_SENTENCE = 12
_FEWEST_WORDS = 5
_MANY_WORDS = 40
_NEIGHBOURHOOD = 1_000
"""Characters on each side of a sentence whose sentences count as its passage."""
_BEFORE = 150
"""Characters before a sentence whose words count beside its own: a label above a row, the sentence before."""


class SentenceFit(Record):
    """Features of a sentence that may answer a question. Shares are 0..1 and count rare words more than common ones.

    `similarity` is the cosine similarity of the sentence to the question; `around` and `passage` are those of the mean
    of the sentence with its neighbours, and with the sentences within a thousand characters. `words` is the share of
    the question's words in the sentence, `context` what its heading, title and file name add to it, and `before` what
    the text right before it adds to both. `length` is 1 from forty words on. `match` is the log odds that the document
    contains the answer, by the search.
    """

    similarity: float
    around: float
    passage: float
    words: float
    context: float
    before: float
    length: float
    match: float


@dataclass(frozen=True)
class Stretch:
    """A stretch of a document: its text, what is known of its place (title, file name, heading), and how likely the
    document is to contain the answer (0..1).
    """

    text: str
    context: str
    match: float


@dataclass(frozen=True)
class Candidate:
    """A sentence: the number of its stretch, its span in that, and its features."""

    stretch: int
    span: Span
    fit: SentenceFit


def context_of(document: ShownDocument | EvidenceDocument, heading: str) -> str:
    """Return what is known of a place in a document: file name, title and heading."""
    return f"{document.document_id} {document.title} {heading}".replace("_", " ")


def candidates(stretches: Sequence[Stretch], question: str, embedder: Embedder) -> list[Candidate]:
    """Return the sentences of the stretches in order."""
    spans = [compared_spans(stretch.text) for stretch in stretches]
    flat = [(number, place, span) for number, own in enumerate(spans) for place, span in enumerate(own)]
    if not flat:
        return []
    texts = [stretches[number].text[slice(*span)] for number, _, span in flat]
    before = [stretches[number].text[max(0, start - _BEFORE) : start] for number, _, (start, _) in flat]
    vectors: Vectors = embedder.embed([question, *texts])
    stemmed, above = ([stems(words(text)) for text in each] for each in (texts, before))
    contexts = [stems(words(stretch.context)) for stretch in stretches]
    parts = zip(flat, stemmed, above, strict=True)
    weights = _weights(question, [own | higher | contexts[number] for (number, *_), own, higher in parts])
    ends = list(accumulate(map(len, spans)))
    sums = [_sums(vectors[1 + end - len(own) : 1 + end]) for own, end in zip(spans, ends, strict=True)]
    result: list[Candidate] = []
    for (number, place, span), own, higher in zip(flat, stemmed, above, strict=True):
        near = partial(_similarity, vectors[0], sums[number])
        share, placed = _share(weights, own), _share(weights, own | contexts[number])
        fit = SentenceFit(
            similarity=near(place, place),
            around=near(place - 1, place + 1),
            passage=near(*_neighbours(spans[number], place)),
            words=share,
            context=placed - share,
            before=_share(weights, own | contexts[number] | higher) - placed,
            length=min(len(own), _MANY_WORDS) / _MANY_WORDS,
            match=log_odds(stretches[number].match),
        )
        result.append(Candidate(number, span, fit))
    return result


def _sums(sentences: Vectors) -> Vectors:
    """Return the sums of the first 0, 1, 2, ... vectors, from which a mean of neighbours is computed."""
    return np.concatenate([np.zeros_like(sentences[:1]), np.cumsum(sentences, axis=0)])


def _similarity(question: Vectors, sums: Vectors, first: int, last: int) -> float:
    """Return the cosine similarity of a question to the mean of the sentences from `first` to `last`."""
    total = sums[min(last + 1, len(sums) - 1)] - sums[max(first, 0)]
    return float(total @ question / max(float(np.linalg.norm(total)), 1e-9))


def _neighbours(spans: Sequence[Span], place: int) -> tuple[int, int]:
    start, end = spans[place]
    first = last = place
    while first > 0 and end - spans[first - 1][0] < _NEIGHBOURHOOD:
        first -= 1
    while last + 1 < len(spans) and spans[last + 1][1] - start < _NEIGHBOURHOOD:
        last += 1
    return first, last


def _weights(question: str, sentences: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the stems of the question that occur in any sentence or its context, weighted by inverse frequency."""
    wanted = dict.fromkeys(stem(word) for word in content_words(question))
    counts = Counter(word for each in sentences for word in each if word in wanted)
    total = len(sentences)
    return {word: math.log(1 + (total - n + 0.5) / (n + 0.5)) for word in wanted if (n := counts[word])}


def _share(weights: Mapping[str, float], held: frozenset[str]) -> float:
    total = math.fsum(weights.values())
    return math.fsum(weight for word, weight in weights.items() if word in held) / total if total else 0.0


def compared_spans(text: str) -> list[Span]:
    """Return the spans of the sentences in the text that may answer a question; an overlong sentence is returned in
    pieces.
    """
    pieces = (piece for start, end in statement_spans(text) for piece in _pieces(text, start, end))
    return [(start, end) for start, end in pieces if _says_something(text[start:end])]


def _says_something(sentence: str) -> bool:
    """Return True if a sentence is long enough and not a heading; scripts without spaces need fewer characters."""
    is_heading = _HEADING.match(sentence) and "\n" not in sentence.strip()
    return not is_heading and (len(sentence) >= _SHORTEST_SENTENCE or len(words(sentence)) >= _FEWEST_WORDS)


def _pieces(text: str, start: int, end: int) -> list[Span]:
    """Split an overlong sentence (a table, a list) at line ends, or else between words."""
    pieces = []
    while end - start > _LONGEST_SENTENCE:
        limit = start + _LONGEST_SENTENCE
        cut = text.rfind("\n", start + 1, limit)
        if cut < 0:
            cut = text.rfind(" ", start + 1, limit)
        stop = cut if cut > start else limit
        pieces.append((start, start + len(text[start:stop].rstrip())))
        start = stop + len(text[stop:end]) - len(text[stop:end].lstrip(_SEPARATORS))
    return [piece for piece in (*pieces, (start, end)) if piece[1] > piece[0]]
