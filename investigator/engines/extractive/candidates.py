"""The sentences, rows and list items that may answer a question: their features, rank, and quotes in their
surroundings. Pure, except for the embedder.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

import numpy as np

from investigator.engines.base import Embedder, Vectors
from investigator.language.sentences import statement_spans
from investigator.language.terms import content_words, porter_stem, words
from investigator.records import EvidenceDocument, Record, ShownDocument
from investigator.scoring.calibration import default_calibration, log_odds

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
_LONGEST_QUOTE = 600
_BEHIND_BEST = 5.0  # log odds: a sentence is shown if its odds are at least a hundredth or so of those of the best one
_BESIDE = 0.12  # of cosine similarity below the threshold
_HELD = 0.6  # of the question's words: such a sentence is shown even if its meaning is not near, as a row of a table
_NEXT_LINE = re.compile(r"\s*[^\n]{1,400}")
_TITLE = re.compile(r"(?![^\n]*(?::\s|[|☐☒]))[^\n]{1,79}[^\n.!?。！？।؟:;,](?:\n|$)")
"""Matches a short line that is no sentence, field of a form or row of a table, as above a section."""
_BLANK_LINE = re.compile(r"\n\s*\n")
_COUNTS = 50
"""The point from which on a reply belongs to the history."""


class SentenceFit(Record):
    """Features of a sentence that may answer a question. Shares are 0..1 and count rare words more than common ones.

    `similarity` is the cosine similarity of the sentence to the question; `around` and `passage` are those of the mean
    of the sentence with its neighbours, and with the sentences within a thousand characters. `words` is the share of
    the question's words in the sentence, `context` what its heading, title and file name add to it, and `before` what
    the text right before it adds to both. `length` is 1 from forty words on. `match` is the log odds that the document
    contains the answer, by the search. `holds` is the share of the question's words in it and its context, of which
    those that no text contains count too.
    """

    similarity: float
    around: float
    passage: float
    words: float
    context: float
    before: float
    length: float
    match: float
    holds: float


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
    stemmed, above = ([_stems(text) for text in each] for each in (texts, before))
    contexts = [_stems(stretch.context) for stretch in stretches]
    parts = zip(flat, stemmed, above, strict=True)
    weights, known = _weights(question, [own | higher | contexts[number] for (number, *_), own, higher in parts])
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
            holds=known * placed,
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


def _weights(question: str, sentences: Sequence[frozenset[str]]) -> tuple[dict[str, float], float]:
    """Return the stems of the question that occur in any sentence or its context, weighted by inverse frequency, and
    their share of the weight of all its stems.
    """
    wanted = dict.fromkeys(porter_stem(word) for word in content_words(question))
    counts = Counter(word for each in sentences for word in each if word in wanted)
    total = len(sentences)
    every = {word: math.log(1 + (total - counts[word] + 0.5) / (counts[word] + 0.5)) for word in wanted}
    weights = {word: weight for word, weight in every.items() if counts[word]}
    return weights, _share(every, frozenset(weights))


def _stems(text: str) -> frozenset[str]:
    """Return the stems of the words by which the index, too, finds a text."""
    return frozenset(map(porter_stem, words(text)))


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


@dataclass(frozen=True)
class Ranked:
    """The sentences of some stretches of text with their scores (log odds), best first.

    `bar` is the lowest score of a sentence that is worth showing.
    """

    stretches: Sequence[Stretch]
    sentences: Sequence[tuple[Candidate, float]]
    bar: float

    @property
    def nearest(self) -> float:
        """Return the highest similarity of a sentence to the question."""
        return max((candidate.fit.similarity for candidate, _ in self.sentences), default=0.0)

    @property
    def best(self) -> Iterator[Candidate]:
        """Yield the sentences that are worth showing, best first."""
        return (candidate for candidate, score in self.sentences if score >= self.bar)

    @property
    def counts(self) -> bool:
        """Return True if a sentence is near enough to the question, or holds enough of its words, to be shown."""
        return self._is_near(default_calibration().similarity)

    @property
    def counts_beside(self) -> bool:
        """Return True if a sentence may be shown beside one of another document that counts."""
        return self._is_near(default_calibration().similarity - _BESIDE)

    def _is_near(self, least: float) -> bool:
        holds = max((candidate.fit.holds for candidate, _ in self.sentences), default=0.0)
        return any(True for _ in self.best) and (self.nearest >= least or holds >= _HELD)

    def part(self, first: int, end: int) -> Ranked:
        """Return the sentences of the stretches from `first` up to `end`, which are one document."""
        own = [entry for entry in self.sentences if first <= entry[0].stretch < end]
        return Ranked(self.stretches, own, self.bar)

    @property
    def point(self) -> int:
        """Return the point (0..100): below 50 if no sentence is near enough to the question, otherwise 50 and half the
        probability that the document contains the answer.
        """
        if not self.counts_beside:
            lowest = default_calibration().similarity - _BESIDE
            return min(_COUNTS - 1, round(_COUNTS * max(0.0, self.nearest) / lowest))
        match = max(self.stretches[candidate.stretch].match for candidate, _ in self.sentences)
        return _COUNTS + round((100 - _COUNTS) * match)

    def quotes(self, most: int) -> tuple[str, ...]:
        """Return at most `most` quotes, best first: sentences worth showing, or else the best one, each with those
        around it, and none twice.
        """
        taken: dict[int, list[Span]] = {}
        quotes: list[str] = []
        for candidate in list(self.best) or [candidate for candidate, _ in self.sentences[:1]]:
            own = taken.setdefault(candidate.stretch, [])
            if len(quotes) == most:
                break
            if not any(start <= candidate.span[0] < end for start, end in own):
                text = self.stretches[candidate.stretch].text
                start, end = self._surroundings(candidate)
                start = max([start, *(stop for _, stop in own if stop <= candidate.span[0])])
                limit = min([len(text), *(begin for begin, _ in own if begin >= candidate.span[1])])
                is_cut, end = limit < end, _completed(text, start, min(end, limit), limit)
                own.append((start, end))
                if not (is_cut and _TITLE.fullmatch(text[start:end].strip())):  # what stands below is quoted already
                    quotes.append(text[start:end].strip())
        return tuple(quotes)

    def _surroundings(self, candidate: Candidate) -> Span:
        """Return the span of a sentence with as many of its neighbours as fit; it crosses no title, and a title goes
        on to what stands below it.
        """
        text = self.stretches[candidate.stretch].text
        spans = sorted(other.span for other, _ in self.sentences if other.stretch == candidate.stretch)
        first = last = spans.index(candidate.span)
        if last + 1 < len(spans) and _TITLE.fullmatch(text, *candidate.span):
            last += 1
        while True:
            if last + 1 < len(spans) and _fits(text, spans[first][0], spans[last][1], spans[last + 1]):
                last += 1
            elif first > 0 and _fits(text, spans[first][0], spans[last][1], spans[first - 1]):
                first -= 1
            else:
                return spans[first][0], spans[last][1]


def _completed(text: str, start: int, end: int, limit: int) -> int:
    """Return the end of a quote; one that ends in a colon goes on to the end of the next line, up to a limit."""
    is_open = text[start:end].rstrip().endswith((":", "："))
    rest = _NEXT_LINE.match(text, end, limit) if is_open else None
    return rest.end() if rest else end


def _fits(text: str, start: int, end: int, neighbour: Span) -> bool:
    """Return True if a neighbour of a quote belongs to the same section and the two together are not too long."""
    is_next = neighbour[0] >= end
    between = text[end : neighbour[0]] if is_next else text[neighbour[1] : start]
    later = neighbour if is_next else (start, end)
    begins_section = bool(between.strip()) or (
        _BLANK_LINE.search(between) is not None and _TITLE.match(text, *later) is not None
    )
    return max(end, neighbour[1]) - min(start, neighbour[0]) <= _LONGEST_QUOTE and not begins_section


def ranked(stretches: Sequence[Stretch], question: str, embedder: Embedder) -> Ranked:
    """Return the sentences of the stretches, those that most likely answer the question first."""
    model = default_calibration().sentence
    sentences = candidates(stretches, question, embedder)
    scored = sorted(((candidate, model.log_odds(candidate.fit)) for candidate in sentences), key=lambda pair: -pair[1])
    return Ranked(stretches, scored, scored[0][1] - _BEHIND_BEST if scored else 0.0)
