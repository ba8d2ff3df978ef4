"""Reading passages: the sentences that answer best, word for word, and how likely it is that they answer at all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from investigator.engines.base import Embedder
from investigator.engines.extractive.answer_types import expected_type, holds_type
from investigator.engines.extractive.calibration import NOTHING, Features, point
from investigator.records import AskReply, AskVariables, Need, Passage
from investigator.text.sentences import sentence_spans
from investigator.text.terms import content_words, stem, words

_LONGEST_SENTENCE = 500
_SHORTEST_SENTENCE = 12
_MOST_QUOTES = 3
_SHARE_OF_BEST = 0.8
_NOT_HERE = "Not in this text."


@dataclass(frozen=True)
class _Sentence:
    text: str
    passage: int
    position: int


@dataclass(frozen=True)
class _Scored:
    """Sentences with how well each fits (any scale), and what tells whether the best of them answer."""

    sentences: Sequence[_Sentence]
    fit: Sequence[float]
    features: Features


def ask(variables: AskVariables, embedder: Embedder) -> AskReply:
    """The best one to three sentences of the passages as quotes and reply, with a point for how well they answer."""
    scored = _scored(variables, embedder)
    if not scored.sentences:
        return AskReply(point=0, reply=_NOT_HERE, quotes=())
    order = sorted(range(len(scored.fit)), key=lambda i: -scored.fit[i])
    bar = _SHARE_OF_BEST * scored.fit[order[0]]
    quotes = tuple(dict.fromkeys(scored.sentences[i].text for i in order[:_MOST_QUOTES] if scored.fit[i] >= bar))
    reply = " ".join(" ".join(quote.split()) for quote in quotes)
    return AskReply(point=point(scored.features), reply=reply, quotes=quotes)


def features_of(variables: AskVariables, embedder: Embedder) -> Features:
    """What the point of a reply is computed from."""
    return _scored(variables, embedder).features


def _scored(variables: AskVariables, embedder: Embedder) -> _Scored:
    question, sentences = variables.main_question, _sentences(variables.passages)
    if not sentences:
        return _Scored((), (), NOTHING)
    passages = [passage.text for passage in variables.passages]
    vectors = embedder.embed([question, *passages, *(sentence.text for sentence in sentences)])
    near = vectors[1:] @ vectors[0]
    passage_near, sentence_near = near[: len(passages)], near[len(passages) :]
    weights = _weights(question, variables.needs)
    kind = expected_type(question)
    covered = [_coverage(weights, _context(sentences, i)) for i in range(len(sentences))]
    typed = [holds_type(kind, sentence.text, question) for sentence in sentences]
    fit = [0.7 * float(s) + 0.25 * c + 0.05 * t for s, c, t in zip(sentence_near, covered, typed, strict=True)]
    best = max(range(len(fit)), key=lambda i: fit[i])
    features = Features(
        sentence_similarity=float(sentence_near.max()),
        passage_similarity=float(passage_near.max()),
        coverage=max(covered),
        rarest_covered=_rarest_covered(weights, " ".join(passages)),
        answer_type=typed[best],
    )
    return _Scored(sentences, fit, features)


def _sentences(passages: Sequence[Passage]) -> list[_Sentence]:
    found: list[_Sentence] = []
    for number, passage in enumerate(passages):
        position = 0
        for start, end in sentence_spans(passage.text):
            for piece in _pieces(passage.text[start:end]):
                if len(piece) >= _SHORTEST_SENTENCE:
                    found.append(_Sentence(piece, number, position))
                    position += 1
    return found


def _pieces(sentence: str) -> list[str]:
    """A sentence that is too long to be one (a table, a list) comes in pieces of whole lines."""
    if len(sentence) <= _LONGEST_SENTENCE:
        return [sentence]
    pieces, start = [], 0
    while start < len(sentence):
        end = min(len(sentence), start + _LONGEST_SENTENCE)
        if end < len(sentence):
            cut = max(sentence.rfind("\n", start, end), sentence.rfind(" ", start, end) if "\n" not in sentence else -1)
            end = cut if cut > start else end
        pieces.append(sentence[start:end].strip())
        start = end
    return [piece for piece in pieces if piece]


def _context(sentences: Sequence[_Sentence], index: int) -> str:
    """The sentence with the one before and after it in its passage: what a pronoun in it may stand for."""
    own = sentences[index]
    around = sentences[max(0, index - 1) : index + 2]
    return " ".join(sentence.text for sentence in around if sentence.passage == own.passage)


def _weights(question: str, needs: Sequence[Need]) -> Mapping[str, float]:
    """Stems of the question's words with their weights, taken from the needs that hold them."""
    weights = {stem(word): 0.3 for word in content_words(question)}
    for need in needs:
        for word in words(need.term):
            if stem(word) in weights:
                weights[stem(word)] = max(weights[stem(word)], need.weight)
    return weights


def _coverage(weights: Mapping[str, float], text: str) -> float:
    present = {stem(word) for word in words(text)}
    total = math.fsum(weights.values())
    return math.fsum(weight for word, weight in weights.items() if word in present) / total if total else 0.0


def _rarest_covered(weights: Mapping[str, float], text: str) -> float:
    """Whether the word that tells most stands in the text: 1.0 or 0.0, and the share where several tell as much."""
    most = max(weights.values(), default=0.0)
    return _coverage({word: weight for word, weight in weights.items() if weight >= most - 0.01}, text)
