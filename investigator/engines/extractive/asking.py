"""Finds the sentences in passages that best answer a question, and the probability that they answer it at all."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.engines.base import Embedder
from investigator.engines.extractive.candidates import Asked, Candidate, asked, candidates, measured
from investigator.engines.extractive.summarising import summary
from investigator.language.normalise import one_line
from investigator.language.relevance import coverage, stems
from investigator.language.sentences import is_row
from investigator.language.terms import content_words, is_english, is_latin, words
from investigator.questions.answer_types import expected_type, holds_type
from investigator.questions.causes import LEAST_OF_EFFECT, cause_share, follows_from_before
from investigator.questions.kinds import kind_of
from investigator.records import (
    AskReply,
    AskVariables,
    BearingReply,
    BearingVariables,
    Passage,
    QuestionKind,
    Record,
    Standing,
)
from investigator.scoring.calibration import Logistic, default_calibration, log_odds

_MOST_QUOTES = 3
_MOST_CAUSES = 40  # number of sentences that are reordered, causes first
_MOST_SENTENCES = 5
_LONGEST_QUOTE = 800
_BEHIND_BEST = 1.0  # log odds; a sentence is quoted if its odds are at least a third of the best one's
_BEHIND_NEAREST = 3.0  # log odds; a sentence is also quoted if it is at most this far behind the nearest one
_NEAR = 0.15
"""The minimum cosine similarity between a quote and a question that it is related to. It excludes 95 of 100
instructions to models, and 15 of 89 sentences of evidence in the question's language that share no word with it
(development sets of clapnq, multihop and trials).
"""
_MOSTLY = 0.5  # minimum share of the question's words that the quotes and the title must contain
_NOT_HERE = "Not in this text."


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


def ask(variables: AskVariables, embedder: Embedder, *, with_nearest: bool = True) -> AskReply:
    """Return the best sentences in the passages, both as quotes and as the reply, with a point.

    The one to three best sentences come first. If `with_nearest` is True, they are followed by up to three sentences
    that are nearest to the question, which may be others if the question and the text use different words.
    """
    kind = kind_of(variables.main_question)
    if kind is QuestionKind.SUMMARY:
        return summary(variables, embedder)
    question = asked(variables.main_question, variables.needs)
    places = measured(variables.passages, question, embedder)
    known = default_calibration()
    models = known.of(variables.main_question)
    sentences = candidates(variables.passages, places, question, embedder)
    if not sentences:
        return AskReply(point=0, reply=_NOT_HERE, quotes=())
    ranked = best_first(sentences, models.sentence)
    if kind is QuestionKind.WHY:
        ranked = causes_first(ranked, variables.main_question, variables.document_title)
    features = reply_features(variables.passages, places, question, ranked)
    point = round(100 * models.reply.chance(features))
    quotes = quoted(ranked, variables.passages)
    if with_nearest and is_english(variables.main_question):
        nearest = best_first(sentences, known.nearness)[:_MOST_QUOTES]
        bar = log_odds(nearest[0][1]) - _BEHIND_NEAREST
        texts = [one.text for one, chance in nearest if log_odds(chance) >= bar]
        quotes = (*quotes, *(text for text in texts if not any(text in own for own in quotes)))
    return AskReply(point=point, reply=" ".join(map(one_line, quotes)), quotes=quotes)


def best_first(sentences: Sequence[Candidate], model: Logistic) -> list[tuple[Candidate, float]]:
    """Return the sentences with the probability that each answers the question, most probable first."""
    return sorted(((sentence, model.chance(sentence.fit)) for sentence in sentences), key=lambda pair: -pair[1])


def causes_first(
    ranked: Sequence[tuple[Candidate, float]], question: str, about: str = ""
) -> list[tuple[Candidate, float]]:
    """Return the sentences, beginning with those that state a cause of the event in the question.

    Each cause gets a probability proportional to the share of the effect's words that it contains. A sentence followed
    by its consequence ("This led to ...") also counts as a cause. The other sentences get at most a quarter of the
    highest probability, so that they are not quoted next to a cause. `about` is the title of the document.
    """
    shares = {id(one): cause_share(one.text, question, about) for one, _ in ranked[:_MOST_CAUSES]}
    at = {(one.passage, one.place): one for one, _ in ranked}
    for one, _ in ranked[:_MOST_CAUSES]:
        before = at.get((one.passage, one.place - 1))
        if before is not None and shares[id(one)] >= LEAST_OF_EFFECT and follows_from_before(one.text):
            shares[id(before)] = max(shares[id(one)], shares.get(id(before), 0.0))
    most = max(shares.values(), default=0.0)
    if most < LEAST_OF_EFFECT:
        return list(ranked)
    best = max(chance for _, chance in ranked)
    found = (one for one, _ in ranked if shares.get(id(one), 0.0) >= LEAST_OF_EFFECT)
    causes = sorted(found, key=lambda one: -shares[id(one)])
    others = [(one, min(chance, best / 4)) for one, chance in ranked if shares.get(id(one), 0.0) < LEAST_OF_EFFECT]
    return [*((one, best * shares[id(one)] / most) for one in causes), *others]


def quoted(ranked: Sequence[tuple[Candidate, float]], passages: Sequence[Passage]) -> tuple[str, ...]:
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
        quotes[passages[number].text[run[0].span[0] : run[-1].span[1]]] = None
    return tuple(quotes)[:_MOST_QUOTES]


def _go_together(first: Candidate, last: Candidate) -> bool:
    """Return True if the sentences from `first` to `last` form one quote; a table row is not joined with the sentence
    next to it.
    """
    return _is_cells(first.text) == _is_cells(last.text) and _length(first, last) <= _LONGEST_QUOTE


def _is_cells(text: str) -> bool:
    return " | " in text or is_row(text)


def _length(first: Candidate, last: Candidate) -> int:
    return last.span[1] - first.span[0]


def reply_features(
    passages: Sequence[Passage],
    places: Sequence[tuple[float, float]],
    question: Asked,
    ranked: Sequence[tuple[Candidate, float]],
) -> ReplyFeatures:
    """Return the features that determine a reply's point; if no search has run, compute `match` from the passages."""
    matches = [passage.document_match for passage in passages if passage.document_match is not None]
    if not matches:
        text = " ".join(passage.text for passage in passages)
        similarity, shared = max(near for near, _ in places), max(shared for _, shared in places)
        standing = Standing(similarity=similarity, overlap=shared, names=coverage(question.weights, text))
        matches = [default_calibration().of(question.question).document.chance(standing)]
    return ReplyFeatures(match=max(matches), sentence=ranked[0][1])


def bearing(variables: BearingVariables, embedder: Embedder) -> BearingReply:
    """Decide whether quotes are related to the questions. The threshold is low, because this is for replies that the
    search cannot judge: a quote must share a content word with a question, be close to a question, or be in a script
    that none of the questions uses.
    """
    covers = _cover(variables.questions[0], variables.quotes, variables.title)
    wanted = stems(word for text in (*variables.questions, *variables.terms) for word in content_words(text))
    latin = any(is_latin(question) for question in variables.questions)
    if any(wanted & stems(words(quote)) or is_latin(quote) is not latin for quote in variables.quotes):
        return BearingReply(bears=True, covers=covers)
    if not variables.quotes:
        return BearingReply(bears=False)
    vectors = embedder.embed([*variables.questions, *variables.quotes])
    count = len(variables.questions)
    return BearingReply(bears=float((vectors[count:] @ vectors[:count].T).max()) >= _NEAR, covers=covers)


def _cover(question: str, quotes: Sequence[str], title: str) -> bool:
    """Return True if the quotes and the title contain most of a question's words, and a quote contains the requested
    kind of thing. A quote in another language shares only names with the question, so one shared word is enough.
    """
    kind = expected_type(question)
    typed = [quote for quote in quotes if holds_type(kind, quote, question)]
    if not typed:
        return False
    wanted = stems(content_words(question))
    said = stems(words(" ".join(quotes)))
    shared = len(wanted & said) + len(wanted & stems(words(title)) - said)
    if is_english(question) is not is_english(" ".join(quotes)):
        return shared > 0
    return bool(wanted & said) and shared >= _MOSTLY * len(wanted)
