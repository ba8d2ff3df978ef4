"""Finds the sentences in documents that best answer a question, and the probability that they answer it at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from investigator.engines.base import Embedder
from investigator.engines.extractive.candidates import Asked, Candidate, asked, candidates, compared_spans, measured
from investigator.language.normalise import one_line
from investigator.language.relevance import coverage
from investigator.language.sentences import is_row
from investigator.language.terms import is_english
from investigator.records import (
    AskReply,
    AskVariables,
    CellReply,
    DocumentReply,
    Record,
    RowReply,
    RowVariables,
    ShownDocument,
    Standing,
    Verdict,
)
from investigator.scoring.calibration import Logistic, default_calibration, log_odds

_MOST_QUOTES = 3
_MOST_SENTENCES = 5
_LONGEST_QUOTE = 800
_LONGEST_STRETCH = 1_200  # characters; about the length of the passages for which the models were fitted
_BEHIND_BEST = 1.0  # log odds; a sentence is quoted if its odds are at least a third of the best one's
_BEHIND_NEAREST = 3.0  # log odds; a sentence is also quoted if it is at most this far behind the nearest one
_HISTORY = 50  # the point from which on a reply belongs to the history


class ReplyFeatures(Record):
    """Features that separate an answer from a near miss: two probabilities, 0..1.

    `match` is the probability that the document contains the answer, judged before it is read; `sentence` is
    the probability that its best sentence does.
    """

    match: float
    sentence: float

    @property
    def match_odds(self) -> float:
        """Return the log odds of `match`."""
        return log_odds(self.match)

    @property
    def sentence_odds(self) -> float:
        """Return the log odds of `sentence`."""
        return log_odds(self.sentence)


@dataclass(frozen=True)
class BestSentences:
    """The best sentences of a text, best first, and the probability (0..1) that they answer the question.

    `nearest` are sentences that are near to the question but may use other words. `threshold` (0..100) is the lowest
    percentage at which sentences count as an answer, which depends on the language of the question.
    """

    threshold: int
    chance: float = 0.0
    quotes: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()

    @property
    def point(self) -> int:
        """Return the point (0..100), in which the threshold is 50."""
        percent, threshold = 100 * self.chance, self.threshold
        if round(percent) < threshold:
            return min(_HISTORY - 1, round(_HISTORY * percent / threshold))
        return round(_HISTORY + (100 - _HISTORY) * (percent - threshold) / (100 - threshold))

    @property
    def answers(self) -> bool:
        """Return True if the sentences count as an answer."""
        return self.point >= _HISTORY


def ask(variables: AskVariables, embedder: Embedder) -> AskReply:
    """Return the best sentences of each document, as quotes and as the reply, with a point."""
    return AskReply(readings=tuple(_reading(document, variables, embedder) for document in variables.documents))


def fill_row(variables: RowVariables, embedder: Embedder) -> RowReply:
    """Return the best sentences of the document for each question, if they count as an answer."""
    texts = _texts_of(variables.document)
    best = (best_sentences(question, texts, embedder) for question in variables.questions)
    return RowReply(answers=tuple(_cell(number, sentences) for number, sentences in enumerate(best, 1)))


def _reading(document: ShownDocument, variables: AskVariables, embedder: Embedder) -> DocumentReply:
    matches = [passage.match for passage in document.passages if passage.match is not None]
    match = max(matches, default=None)
    best = best_sentences(variables.main_question, _texts_of(document), embedder, match=match)
    quotes = best.quotes[:1]
    if best.answers:
        nearest = (text for text in best.nearest if not any(text in own for own in best.quotes))
        quotes = (*best.quotes, *nearest)[: variables.most_quotes]
    return DocumentReply(
        document=document.document_id,
        verdict=Verdict.ANSWERS if best.answers else Verdict.NOT_STATED,
        point=best.point,
        quotes=quotes,
        reply=" ".join(map(one_line, quotes)) if best.answers else "",
    )


def _cell(number: int, best: BestSentences) -> CellReply:
    if not best.answers:
        return CellReply(question=number, verdict=Verdict.NOT_STATED)
    quote = best.quotes[0]
    return CellReply(question=number, verdict=Verdict.ANSWERS, quotes=(quote,), answer=one_line(quote))


def _texts_of(document: ShownDocument) -> list[str]:
    return [stretch for passage in document.passages for stretch in _stretches(passage.text)]


def best_sentences(
    question: str, texts: Sequence[str], embedder: Embedder, *, match: float | None = None
) -> BestSentences:
    """Return the best sentences of texts from one document.

    `match` is the probability that the document contains the answer, according to the search; without it, the
    probability is computed from the texts.
    """
    compared, known = asked(question), default_calibration()
    places = measured(texts, compared, embedder)
    sentences = candidates(texts, places, compared, embedder)
    if not sentences:
        return BestSentences(known.threshold_of(question))
    models = known.of(question)
    ranked = best_first(sentences, models.sentence)
    features = reply_features(texts, places, compared, ranked, match)
    near = _nearest(sentences) if is_english(question) else ()
    return BestSentences(known.threshold_of(question), models.reply.chance(features), quoted(ranked, texts), near)


def _stretches(text: str) -> Iterator[str]:
    """Yield the text in stretches of whole sentences, each about as long as a passage of the index."""
    start = end = None
    for first, last in compared_spans(text):
        if start is not None and end is not None and last - start > _LONGEST_STRETCH:
            yield text[start:end]
            start = None
        start, end = first if start is None else start, last
    if start is not None:
        yield text[start:end]


def _nearest(sentences: Sequence[Candidate]) -> tuple[str, ...]:
    """Return up to three sentences that are nearest to the question."""
    nearest = best_first(sentences, default_calibration().nearness)[:_MOST_QUOTES]
    bar = log_odds(nearest[0][1]) - _BEHIND_NEAREST
    return tuple(sentence.text for sentence, chance in nearest if log_odds(chance) >= bar)


def best_first(sentences: Sequence[Candidate], model: Logistic) -> list[tuple[Candidate, float]]:
    """Return the sentences with the probability that each answers the question, most probable first."""
    return sorted(((sentence, model.chance(sentence.fit)) for sentence in sentences), key=lambda pair: -pair[1])


def quoted(ranked: Sequence[tuple[Candidate, float]], texts: Sequence[str]) -> tuple[str, ...]:
    """Return at most three quotes: the best sentence and those with at least a third of its odds; neighbouring
    sentences become one quote.
    """
    bar = log_odds(ranked[0][1]) - _BEHIND_BEST
    chosen = [sentence for sentence, chance in ranked[:_MOST_SENTENCES] if log_odds(chance) >= bar]
    at = {(sentence.passage, sentence.place): sentence for sentence in chosen}
    quotes: dict[str, None] = {}
    for sentence in chosen:
        number, first = sentence.passage, sentence.place
        if (number, first) not in at:
            continue
        last = first
        while (after := at.get((number, last + 1))) and _go_together(at[number, first], after):
            last += 1
        while (before := at.get((number, first - 1))) and _go_together(before, at[number, last]):
            first -= 1
        run = [at.pop((number, place)) for place in range(first, last + 1)]
        quotes[texts[number][run[0].span[0] : run[-1].span[1]]] = None
    return tuple(quotes)[:_MOST_QUOTES]


def _go_together(first: Candidate, last: Candidate) -> bool:
    """Return True if the sentences from `first` to `last` form one quote; a table row is not joined with the sentence
    next to it.
    """
    length = last.span[1] - first.span[0]
    return _is_cells(first.text) == _is_cells(last.text) and length <= _LONGEST_QUOTE


def _is_cells(text: str) -> bool:
    return " | " in text or is_row(text)


def reply_features(
    texts: Sequence[str],
    places: Sequence[tuple[float, float]],
    question: Asked,
    ranked: Sequence[tuple[Candidate, float]],
    match: float | None,
) -> ReplyFeatures:
    """Return the features that determine a reply's point; if no search has run, compute `match` from the texts."""
    if match is None:
        similarity, shared = max(near for near, _ in places), max(shared for _, shared in places)
        names = coverage(question.weights, " ".join(texts))
        standing = Standing(similarity=similarity, overlap=shared, names=names)
        match = default_calibration().of(question.question).document.chance(standing)
    return ReplyFeatures(match=match, sentence=ranked[0][1])
