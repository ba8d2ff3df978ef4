"""Ranks sentences, and quotes each in its surroundings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from investigator.engines.base import Embedder
from investigator.engines.extractive.candidates import Candidate, Span, Stretch, candidates
from investigator.scoring.calibration import default_calibration

_LONGEST_QUOTE = 600
_BEHIND_BEST = 5.0  # log odds: a sentence is shown if its odds are at least a hundredth or so of those of the best one
_BESIDE = 0.12  # of cosine similarity below the threshold
_NEXT_LINE = re.compile(r"\s*[^\n]{1,400}")
_TITLE = re.compile(r"(?![^\n]*(?::\s|[|☐☒]))[^\n]{1,79}[^\n.!?。！？।؟:;,](?:\n|$)")
"""Matches a short line that is no sentence, field of a form or row of a table, as above a section."""
_BLANK_LINE = re.compile(r"\n\s*\n")
_COUNTS = 50
"""The point from which on a reply belongs to the history."""


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
        """Return True if a sentence is near enough to the question to be shown."""
        return self.counts_beside and self.nearest >= default_calibration().similarity

    @property
    def counts_beside(self) -> bool:
        """Return True if a sentence is near enough to be shown beside one of another document that counts."""
        return any(True for _ in self.best) and self.nearest >= default_calibration().similarity - _BESIDE

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
