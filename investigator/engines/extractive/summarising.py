"""Summarises text without a language model, by selecting sentences that represent its parts, verbatim and in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from investigator.engines.base import Embedder, Vectors
from investigator.language.amounts import amounts
from investigator.language.sentences import sentence_spans
from investigator.language.terms import folded, words
from investigator.questions.cues import opposites, patterns
from investigator.questions.kinds import asks_everything, summarised
from investigator.records import AskReply, AskVariables, Passage

_SHORTEST, _LONGEST = 40, 450  # minimum and maximum sentence length, in characters
_FEWEST_WORDS, _MOST_FIGURES = 6, 0.35  # a sentence with a larger share of figures is a table row
_MOST_SENTENCES = 240
_MOST_OF_A_SECTION = 2
_POINT = 80  # every summary gets this point: the user chose the document, so it cannot be the wrong one
_LEAST, _USUAL, _MOST, _OF_EACH = 4, 7, 10, 2
_CENTRAL, _ASKED, _FIGURE, _EARLY = 0.45, 0.35, 0.1, 0.1
_ALIKE = 0.75  # minimum cosine similarity of two sentences that say the same thing
_NUMBERS = ("three", "four", "five", "six", "seven", "eight", "nine", "ten")
_POINTS = re.compile(
    r"\b(\d+|three|four|five|six|seven|eight|nine|ten)\s+(?:short |bullet )*(?:points?|bullets?|sentences?)"
)

_LISTED = re.compile(r",\s*(?:and\s+)?|\s+and\s+")


@dataclass(frozen=True)
class _Sentence:
    """A sentence: its text, the number of its passage, and its span if it is in the document."""

    text: str
    passage: int
    start: int


def summary(variables: AskVariables, embedder: Embedder) -> AskReply:
    """Return the sentences nearest to the centre of the text and to the question, each about a different subject.

    Tables of contents, lists of exhibits, references and boilerplate are excluded.
    """
    found = _sentences(variables.passages)
    if not found:
        return AskReply(point=0, reply="The text has no sentences suitable for a summary.", quotes=())
    vectors = embedder.embed([summarised(variables.main_question), *(one.text for one in found)])
    aspects = _aspects(variables.main_question)
    most = how_many_points(variables.main_question)
    chosen = _chosen(found, vectors[1:], vectors[0], most, embedder.embed(aspects) if aspects else ())
    quotes = tuple(one.text for one in sorted(chosen, key=lambda one: one.start))
    return AskReply(point=_POINT, reply=" ".join(" ".join(quote.split()) for quote in quotes), quotes=quotes)


def _aspects(question: str) -> list[str]:
    """Return the topics that a summary must cover, if the question lists them after a colon."""
    listed = question.partition(": ")[2].strip(" .?!")
    aspects = [text.strip() for text in _LISTED.split(listed) if text.strip()]
    return aspects[:_MOST] if len(aspects) > 1 else []


def how_many_points(question: str) -> int:
    """Return the number of sentences that a document contributes to a summary: few if all documents are summarised.

    It is slightly more than the number of points that the question requests, because no sentence covers everything.
    """
    if asks_everything(question):
        return _OF_EACH
    asked = _POINTS.search(folded(question))
    said = asked.group(1) if asked is not None else str(_USUAL)
    number = _NUMBERS.index(said) + 3 if said in _NUMBERS else int(said)
    return max(_LEAST, min(number + 2, _MOST))


def _sentences(passages: Sequence[Passage]) -> list[_Sentence]:
    found: dict[str, _Sentence] = {}
    for number, passage in enumerate(passages):
        for start, end in sentence_spans(passage.text):
            text = passage.text[start:end]
            if says_something(text):
                found.setdefault(" ".join(text.split()), _Sentence(text, number, passage.start + start))
    return list(found.values())[:_MOST_SENTENCES]


def says_something(sentence: str, *, by_itself: bool = True) -> bool:
    """Return True if the sentence is complete, and is not a table row, list entry or boilerplate. Unless `by_itself` is
    set, the sentence may depend on the previous one.
    """
    if not _SHORTEST <= len(sentence) <= _LONGEST or sentence.rstrip("\"'”’)] ")[-1:] not in ".!?。":
        return False
    own = words(sentence)
    if len(own) < _FEWEST_WORDS:
        return False
    figures = sum(not word.isalpha() and any(map(str.isdigit, word)) for word in own)
    others = (patterns(name)["words"] for name in (("boilerplate", "hanging") if by_itself else ("boilerplate",)))
    return figures <= _MOST_FIGURES * len(own) and not any(other.search(sentence) for other in others)


def _moves(text: str) -> bool:
    """Return True if the text says that something rose or fell."""
    return any(side.search(text) for side in opposites()["change"])


def _chosen(
    found: Sequence[_Sentence], vectors: Vectors, asked: Vectors, most: int, aspects: Vectors | Sequence[Vectors]
) -> list[_Sentence]:
    """Return the sentence nearest to each aspect and the best other sentences, without repetition, and only a few from
    each section.
    """
    middle = vectors.mean(axis=0)
    middle = middle / (float(np.linalg.norm(middle)) or 1.0)
    last = max(one.start for one in found) or 1
    scores = [
        _CENTRAL * float(vector @ middle)
        + _ASKED * float(vector @ asked)
        + _FIGURE * (bool(amounts(one.text)) + bool(amounts(one.text) and _moves(one.text)))
        + _EARLY * (1 - one.start / last)
        for one, vector in zip(found, vectors, strict=True)
    ]
    sections: Counter[int] = Counter()
    kept: list[int] = []
    for aspect in aspects:
        nearest = int(np.argmax(vectors @ aspect + np.asarray(scores)))
        if nearest not in kept:
            kept.append(nearest)
            sections[found[nearest].passage] += 1
    for place in sorted(range(len(found)), key=lambda i: -scores[i]):
        is_new = all(float(vectors[place] @ vectors[other]) < _ALIKE for other in kept)
        if is_new and sections[found[place].passage] < _MOST_OF_A_SECTION:
            kept.append(place)
            sections[found[place].passage] += 1
        if len(kept) >= most:
            break
    return [found[place] for place in kept]
