"""Scores the outcome of one question against the known facts in its row (see docs/decisions/0029). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from investigator.evaluation.answer_text import (
    amounts_in,
    contains_answer,
    exact_match,
    holds,
    is_named,
    number_recall,
    overlaps,
    says,
    share_found,
    tokens,
    word_overlap,
)
from investigator.evaluation.measures import Ground, Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import KeyPoint, Question
from investigator.language.amounts import Amount
from investigator.records import AnswerStatus, Quote

_SHORT = 5  # maximum number of words in an answer that is searched for verbatim (as in NQ-open, Lee et al. 2019)
_FIRST = 3  # number of passages that a user is expected to read, if no statement answers


def ground_of(question: Question) -> Ground | None:
    """Return the criterion for judging a row; None if it has no known answer."""
    if question.answerable is False:
        return Ground.SILENCE
    known = (
        (Ground.NUMBERS, question.key_numbers),
        (Ground.ANSWER, _short(question)),
        (Ground.POINTS, _points(question)),
        (Ground.EVIDENCE, question.evidence),
        (Ground.FIGURES, _figures(question)),
        (Ground.DOCUMENT, question.documents),
        (Ground.ANSWER, _answers(question)),
    )
    return next((ground for ground, facts in known if facts), None)


def grounds_of(questions: Iterable[Question]) -> dict[Ground, int]:
    """Count the questions by criterion."""
    counts = Counter(ground_of(question) for question in questions)
    return {ground: counts[ground] for ground in Ground if counts[ground]}


def rightness(question: Question, outcome: Outcome) -> float | None:
    """Return the score (0..1) of an outcome; None if the row has no known answer.

    If the right documents are known, one of them must be cited. For numbers and key points, the score is the share that
    the answer contains; otherwise, one known answer is enough. Anything else in the answer is ignored. Passages that
    nobody has judged are right if the first three hold what is known.
    """
    ground = ground_of(question)
    if ground is None or ground is Ground.SILENCE:
        return None if ground is None else float(outcome.silent)
    if outcome.status is AnswerStatus.PASSAGES_FOUND:
        return float(_is_among(question, _from_right_documents(question, outcome.citations[:_FIRST])))
    cited = _from_right_documents(question, outcome.citations)
    if question.documents and not cited:
        return 0.0
    match ground:
        case Ground.NUMBERS:
            return number_recall(outcome.answer, question.key_numbers or ())
        case Ground.ANSWER:
            return float(any(says(outcome.answer, answer) for answer in _short(question) or _answers(question)))
        case Ground.POINTS:
            return _share([_is_made(point, outcome.citations) for point in _points(question)])
        case Ground.EVIDENCE:
            return float(share_found([quote.text for quote in cited], question.evidence or ()) > 0)
        case Ground.FIGURES:
            named = amounts_in(outcome.answer)
            return max(_share([is_named(amount, named) for amount in wanted]) for wanted in _figures(question))
        case Ground.DOCUMENT:
            return 1.0


def scores(question: Question, outcome: Outcome) -> dict[Measure, float]:
    """Return the measures (0..1) that can be computed from the known facts about the answer, and the share of proven
    quotes. An answerable question without an answer scores 0. For an unanswerable question, the only right outcome is
    to find nothing.
    """
    values = {Measure.PROVEN: outcome.proven / len(outcome.citations)} if outcome.citations else {}
    if question.answerable is not None and outcome.silent:
        values[Measure.NO_ANSWER_PRECISION] = float(not question.answerable)
    if question.answerable is False:
        silent = dict.fromkeys((Measure.RIGHT, Measure.STATUS_RIGHT, Measure.NO_ANSWER_RECALL), float(outcome.silent))
        return values | silent | {Measure.FALSE_ANSWER: float(outcome.answered)}
    if question.answerable:
        values[Measure.STATUS_RIGHT] = float(not outcome.silent)
    if right_documents := question.documents:
        cited = [quote.document_id for quote in outcome.citations]
        values[Measure.CITED_FIRST] = float(not right_documents.isdisjoint(cited[:1]))
        values[Measure.CITED_HIT] = float(not right_documents.isdisjoint(cited))
        values[Measure.CITED_RECALL] = len(right_documents & set(cited)) / len(right_documents)
    quotes = _from_right_documents(question, outcome.citations)
    if question.pages:
        values[Measure.PAGE_HIT] = float(any(quote.page in question.pages for quote in quotes))
    if question.evidence:
        recall = share_found([quote.text for quote in quotes], question.evidence)
        whole = any(holds(quote.text, piece) for quote in quotes for piece in question.evidence)
        values[Measure.EVIDENCE_HIT], values[Measure.EVIDENCE_RECALL] = float(recall > 0), recall
        values[Measure.EVIDENCE_WHOLE] = float(whole)
    if question.answers and not question.answer_choices:  # a choice is a label, not a wording of the answer
        values[Measure.ANSWER_F1] = word_overlap(outcome.answer, question.answers).f1
        values[Measure.ANSWER_EXACT] = float(exact_match(outcome.answer, question.answers))
        values[Measure.ANSWER_CONTAINS] = float(contains_answer(outcome.answer, question.answers))
    if question.key_numbers:
        values[Measure.NUMBER_RECALL] = number_recall(outcome.answer, question.key_numbers)
    right = rightness(question, outcome)
    return values | ({Measure.RIGHT: right} if right is not None else {})


def _from_right_documents(question: Question, quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    return tuple(quote for quote in quotes if not question.documents or quote.document_id in question.documents)


def _answers(question: Question) -> tuple[str, ...]:
    return () if question.answer_choices else tuple(answer for answer in question.answers or () if tokens(answer))


def _short(question: Question) -> tuple[str, ...]:
    return tuple(answer for answer in _answers(question) if len(answer.split()) <= _SHORT)


def _figures(question: Question) -> list[list[Amount]]:
    return [wanted for answer in _answers(question) if (wanted := amounts_in(answer))]


def _points(question: Question) -> tuple[KeyPoint, ...]:
    return tuple(point for point in question.key_points or () if point.evidence)


def _is_made(point: KeyPoint, quotes: Sequence[Quote]) -> bool:
    own = (quote for quote in quotes if point.doc_id in (None, quote.document_id))
    return any(overlaps(quote.text, point.evidence or "") for quote in own)


def _is_among(question: Question, quotes: Sequence[Quote]) -> bool:
    """Return True if quotes hold known evidence, a known answer or a key number, or if none of these is known."""
    texts = [quote.text for quote in quotes]
    points = [point.evidence or "" for point in _points(question)]
    if evidence := (*(question.evidence or ()), *points):
        return bool(texts) and share_found(texts, evidence) > 0
    if answers := _answers(question):
        return any(says(text, answer) for text in texts for answer in answers)
    if numbers := question.key_numbers:
        return any(number_recall(text, numbers) > 0 for text in texts)
    return bool(texts)


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held)
