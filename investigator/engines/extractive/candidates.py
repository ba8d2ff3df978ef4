"""The sentences that a reply may quote, and their features. Pure, except for the embedder."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from investigator.engines.base import Embedder, Vectors
from investigator.language.relevance import overlap, rarity, share_of_weight, stems
from investigator.language.sentences import statement_spans
from investigator.language.terms import content_words, stem, words
from investigator.questions.answer_types import AnswerType, expected_type, figures, finding, holds_type
from investigator.records import Record

_HEADING = re.compile(r"\s*#{1,6}\s")  # Markdown headings
_LONGEST_SENTENCE = 500
_SHORTEST_SENTENCE = 12
_FEWEST_WORDS = 5
_UNKNOWN_SHARE = 0.5
_ENDS = re.compile(r"[.!?。！？؟।:;][\"'”’»)\]]*$")


class Nearness(Record):
    """Features that measure how close a text is to a question, each roughly in 0..1.

    `similarity` is the text's cosine similarity to the question. `focus` is the share of the question's words that the
    text contains; words that occur in most of the compared texts have a low weight. `typed` is 1 if the text contains
    the requested kind of thing.
    """

    similarity: float
    focus: float
    typed: float


class SentenceFit(Nearness):
    """Features of a sentence that may answer a question, each roughly in 0..1.

    `around` is like `focus`, but includes the sentences before and after this one. `passage` and `overlap` are the
    similarity and the word overlap of the passage that contains it. `finding` and `figures` measure how much it reads
    like a result; both are 0.5 unless a result is requested. `complete` is 1 for a sentence, and 0 for a heading or a
    fragment of a table.
    """

    around: float
    passage: float
    overlap: float
    finding: float
    figures: float
    complete: float


@dataclass(frozen=True)
class Candidate:
    """A sentence: its text, passage, position among the sentences of the passage, span in the passage, and features."""

    text: str
    passage: int
    place: int
    span: tuple[int, int]
    fit: SentenceFit


@dataclass(frozen=True)
class Asked:
    """A question, the weights of its stems, and the kind of thing that it asks for."""

    question: str
    weights: Mapping[str, float]
    kind: AnswerType


def asked(question: str) -> Asked:
    """Prepare a question for comparison with sentences."""
    weights = {stem(word): rarity(_UNKNOWN_SHARE) for word in content_words(question)}
    return Asked(question, weights, expected_type(question))


def measured(passages: Sequence[str], question: Asked, embedder: Embedder) -> list[tuple[float, float]]:
    """Return each passage's similarity and word overlap with the question."""
    vectors: Vectors = embedder.embed([question.question, *passages])
    near = (vectors[1:] @ vectors[0]).tolist()
    return [(similarity, overlap(question.weights, text)) for text, similarity in zip(passages, near, strict=True)]


def nearness(question: str, texts: Sequence[str], embedder: Embedder) -> list[Nearness]:
    """Return features that measure how close each text is to a question."""
    vectors = embedder.embed([question, *texts])
    stemmed = [stems(words(text)) for text in texts]
    rare = _telling({stem(word): 1.0 for word in content_words(question)}, stemmed)
    kind = expected_type(question)
    return [
        Nearness(
            similarity=similarity,
            focus=share_of_weight(rare, rare.keys() & present),
            typed=holds_type(kind, text, question),
        )
        for text, present, similarity in zip(texts, stemmed, (vectors[1:] @ vectors[0]).tolist(), strict=True)
    ]


def candidates(
    passages: Sequence[str], places: Sequence[tuple[float, float]], question: Asked, embedder: Embedder
) -> list[Candidate]:
    """Return all sentences of the passages in order; `places` contains each passage's similarity and overlap."""
    pieces = [compared_spans(text) for text in passages]
    flat = [passages[number][start:end] for number, piece in enumerate(pieces) for start, end in piece]
    if not flat:
        return []
    vectors = embedder.embed([question.question, *flat])
    near = iter((vectors[1:] @ vectors[0]).tolist())
    texts = iter(flat)
    stemmed = [[stems(words(next(texts))) for _ in piece] for piece in pieces]
    rare = _telling(question.weights, [each for piece in stemmed for each in piece])
    return [
        Candidate(
            sentence := passages[number][slice(*span)],
            number,
            index,
            span,
            SentenceFit(
                similarity=next(near),
                focus=share_of_weight(rare, rare.keys() & stemmed[number][index]),
                around=share_of_weight(
                    rare, rare.keys() & frozenset().union(*stemmed[number][max(0, index - 1) : index + 2])
                ),
                passage=places[number][0],
                overlap=places[number][1],
                typed=holds_type(question.kind, sentence, question.question),
                finding=finding(question.kind, sentence),
                figures=figures(question.kind, sentence),
                complete=float(bool(_ENDS.search(sentence)) and len(stemmed[number][index]) >= _FEWEST_WORDS),
            ),
        )
        for number, piece in enumerate(pieces)
        for index, span in enumerate(piece)
    ]


def _telling(weights: Mapping[str, float], sentences: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the words of the question that occur in any sentence, weighted by inverse sentence frequency."""
    counts = Counter(word for each in sentences for word in each if word in weights)
    total = len(sentences)
    return {word: math.log(1 + (total - n + 0.5) / (n + 0.5)) for word in weights if (n := counts[word])}


def compared_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences in the text that may answer a question; an overlong sentence is returned in
    pieces.
    """
    found = [piece for start, end in statement_spans(text) for piece in _pieces(text, start, end)]
    return [(start, end) for start, end in found if _says_something(text[start:end])]


def _says_something(sentence: str) -> bool:
    """Return True if a sentence is long enough and not a heading; scripts without spaces need fewer characters."""
    if _HEADING.match(sentence) and "\n" not in sentence.strip():
        return False
    return len(sentence) >= _SHORTEST_SENTENCE or len(words(sentence)) >= _FEWEST_WORDS


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Split an overlong sentence (a table, a list) at line ends, or else between words."""
    pieces = []
    while end - start > _LONGEST_SENTENCE:
        limit = start + _LONGEST_SENTENCE
        cut = text.rfind("\n", start + 1, limit)
        if cut < 0:
            cut = text.rfind(" ", start + 1, limit)
        stop = cut if cut > start else limit
        pieces.append((start, start + len(text[start:stop].rstrip())))
        start = stop + len(text[stop:end]) - len(text[stop:end].lstrip())
    return [piece for piece in (*pieces, (start, end)) if piece[1] > piece[0]]
