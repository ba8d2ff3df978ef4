"""Scores the outcome of one question against its known answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from investigator.evaluation.answer_text import contains_answer, exact_match, number_recall, token_f1
from investigator.evaluation.evidence_match import holds, overlaps, share_found
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.rightness import from_right_documents, rightness
from investigator.records import Quote


def scores(question: Question, outcome: Outcome) -> Mapping[Measure, float]:
    """Return the measures (0..1) that can be computed from the known facts about the answer. An answerable question
    without an answer scores 0. For an unanswerable question, the only right outcome is to find nothing.
    """
    if question.answerable is False:
        right = float(outcome.silent)
        return {Measure.RIGHT: right, Measure.STATUS_RIGHT: right, Measure.FALSE_ANSWER: float(outcome.answered)}
    found: dict[Measure, float] = {Measure.STATUS_RIGHT: float(not outcome.silent)} if question.answerable else {}
    if question.documents:
        found |= _of_documents(question, outcome)
    if question.evidence:
        found |= _of_evidence(question, outcome)
    if question.pages:
        quotes = from_right_documents(question, outcome.citations)
        found[Measure.PAGE_HIT] = float(any(quote.page in question.pages for quote in quotes))
    if question.answers and not question.answer_choices:  # a choice is a label, not a wording of the answer
        found |= _of_answer(question.answers, outcome)
    if question.key_numbers:
        found[Measure.NUMBER_RECALL] = number_recall(outcome.answer, question.key_numbers)
    how_right = rightness(question, outcome)
    return found | ({Measure.RIGHT: how_right} if how_right is not None else {})


def soundness(outcome: Outcome) -> Mapping[Measure, float]:
    """Return the fraction of replies that could be parsed and the fraction of citations that are proven; a measure is
    omitted if there are no replies or no citations.
    """
    found = {Measure.PARSED: 1 - outcome.unreadable / outcome.replies} if outcome.replies else {}
    return found | ({Measure.PROVEN: outcome.proven / len(outcome.citations)} if outcome.citations else {})


def quotes_answer(question: Question, quotes: tuple[Quote, ...], *, with_evidence: bool) -> bool | None:
    """Return True if a quote is from a document that answers the question. With `with_evidence`, the quote must also
    contain known evidence, unless none is known. Return None if it is unknown whether the question is answerable, or
    which documents answer it.
    """
    if question.answerable is None or (question.answerable and not question.documents):
        return None
    if not question.answerable:
        return False
    right = from_right_documents(question, quotes)
    if with_evidence and question.evidence:
        return share_found([quote.text for quote in right], question.evidence) > 0
    return bool(right)


def evidence_in(question: Question, passages: tuple[tuple[str, str], ...]) -> bool | None:
    """Return True if one of the passages, given as (document id, text), contains a piece of evidence; None if no
    evidence is known.
    """
    if not question.evidence:
        return None
    texts = [text for document_id, text in passages if not question.documents or document_id in question.documents]
    return any(holds(text, piece) for text in texts for piece in question.evidence)


def _of_documents(question: Question, outcome: Outcome) -> dict[Measure, float]:
    right, ranked = question.documents, outcome.ranking.documents if outcome.ranking is not None else ()
    cited = [quote.document_id for quote in outcome.citations]
    by_search = {
        Measure.RANKED_FIRST: float(not right.isdisjoint(ranked[:1])),
        Measure.RANKED_IN_3: float(not right.isdisjoint(ranked[:3])),
    }
    return (by_search if outcome.ranking is not None else {}) | {
        Measure.CITED_FIRST: float(not right.isdisjoint(cited[:1])),
        Measure.CITED_HIT: float(not right.isdisjoint(cited)),
        Measure.CITED_RECALL: len(right & set(cited)) / len(right),
    }


def _of_evidence(question: Question, outcome: Outcome) -> dict[Measure, float]:
    evidence = question.evidence or ()
    quotes = [quote.text for quote in from_right_documents(question, outcome.citations)]
    found = {
        Measure.EVIDENCE_HIT: float(any(overlaps(quote, piece) for quote in quotes for piece in evidence)),
        Measure.EVIDENCE_WHOLE: float(any(holds(quote, piece) for quote in quotes for piece in evidence)),
        Measure.EVIDENCE_RECALL: share_found(quotes, evidence),
    }
    if outcome.ranking is not None and outcome.ranking.evidence_found is not None:
        found[Measure.RANKED_EVIDENCE] = float(outcome.ranking.evidence_found)
    return found


def _of_answer(answers: tuple[str, ...], outcome: Outcome) -> dict[Measure, float]:
    return {
        Measure.ANSWER_F1: token_f1(outcome.answer, answers),
        Measure.ANSWER_EXACT: float(exact_match(outcome.answer, answers)),
        Measure.ANSWER_CONTAINS: float(contains_answer(outcome.answer, answers)),
    }
