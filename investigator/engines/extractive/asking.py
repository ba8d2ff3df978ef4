"""Reading passages: the sentences that answer best, word for word, and how likely it is that they answer at all."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.calibration import Logistic, shipped
from investigator.engines.base import Embedder
from investigator.engines.extractive.answer_types import spans
from investigator.engines.extractive.candidates import Asked, Candidate, asked, candidates, measured
from investigator.records import AskReply, AskVariables, Passage, Record
from investigator.text.relevance import coverage

_MOST_QUOTES = 3
_SHARE_OF_BEST = 0.5
_NOT_HERE = "Not in this text."
_UNKNOWN_MATCH = 0.5


class ReplyFeatures(Record):
    """What tells an answer from a near miss; each about 0..1.

    `match` is the chance that the document holds the answer, judged from outside; `similarity` and `overlap` are those
    of its nearest passage; `covered` is the share of the question's weight that stands in the passages; `sentence` is
    the chance of the best sentence, `typed` whether one of the sentences quoted holds what is asked for.
    """

    match: float = 0.0
    similarity: float = 0.0
    overlap: float = 0.0
    covered: float = 0.0
    sentence: float = 0.0
    typed: float = 0.0

    @property
    def near_and_covered(self) -> float:
        """Meaning and words agree: the one without the other is a near miss."""
        return max(0.0, self.similarity) * self.covered

    @property
    def near_and_overlapping(self) -> float:
        """Meaning and words agree in one place."""
        return max(0.0, self.similarity) * self.overlap


def ask(variables: AskVariables, embedder: Embedder) -> AskReply:
    """The best one to three sentences of the passages as quotes and reply, with a point for how well they answer.

    The reply begins with what was asked for (a number, a date, a name, a place) where the best sentence holds it.
    """
    question = asked(variables.main_question, variables.needs)
    places = measured(variables.passages, question, embedder)
    ranked = best_first(candidates(variables.passages, places, question, embedder), shipped().sentence)
    if not ranked:
        return AskReply(point=0, reply=_NOT_HERE, quotes=())
    quotes = quoted(ranked)
    features = reply_features(variables.passages, places, question, ranked)
    point = round(100 * shipped().reply.chance(features))
    return AskReply(point=point, reply=_reply(question, quotes), quotes=quotes)


def best_first(sentences: Sequence[Candidate], model: Logistic) -> list[tuple[Candidate, float]]:
    """The sentences with the chance that each answers, the likeliest first."""
    return sorted(((sentence, model.chance(sentence.fit)) for sentence in sentences), key=lambda pair: -pair[1])


def quoted(ranked: Sequence[tuple[Candidate, float]]) -> tuple[str, ...]:
    """The sentences to quote: the best, and those that are not far behind it."""
    bar = _SHARE_OF_BEST * ranked[0][1]
    texts = dict.fromkeys(sentence.text for sentence, chance in ranked if chance >= bar)
    return tuple(texts)[:_MOST_QUOTES]


def reply_features(
    passages: Sequence[Passage],
    places: Sequence[tuple[float, float]],
    question: Asked,
    ranked: Sequence[tuple[Candidate, float]],
) -> ReplyFeatures:
    """What the point of a reply is computed from."""
    matches = [passage.document_match for passage in passages if passage.document_match is not None]
    return ReplyFeatures(
        match=max(matches, default=_UNKNOWN_MATCH),
        similarity=max(near for near, _ in places),
        overlap=max(shared for _, shared in places),
        covered=coverage(question.weights, " ".join(passage.text for passage in passages)),
        sentence=ranked[0][1],
        typed=max(sentence.fit.typed for sentence, _ in ranked[:_MOST_QUOTES]),
    )


def _reply(question: Asked, quotes: Sequence[str]) -> str:
    text = " ".join(" ".join(quote.split()) for quote in quotes)
    found = spans(question.kind, quotes[0], question.question)
    return f"{' '.join(found[0].split())}. {text}" if found else text
